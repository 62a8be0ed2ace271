"""A contract for import-linter: a package is entered by its front.

The front of a package is its `__init__.pyi`. Modules of the same package import one another directly; modules of other packages
import what the front lists. Run by `make lint`, see `[tool.importlinter]`.
"""

from __future__ import annotations

from pathlib import Path

import grimp
from importlinter import Contract, ContractCheck, output


class FrontContract(Contract):
    """Every package that has a front is imported through it by everybody outside."""

    type_name = "fronts"

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:
        """Look at each direct import between modules."""
        by_the_window = []
        for imported in sorted(graph.modules):
            front = front_of(imported)
            for importer in sorted(graph.find_modules_that_directly_import(imported)) if front else ():
                if not importer.startswith(f"{front}."):
                    by_the_window.append(f"{importer} imports {imported}: import it from {front}")
        return ContractCheck(kept=not by_the_window, metadata={"imports": by_the_window})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Name each import and the front it should use."""
        for line in check.metadata["imports"]:
            output.print_error(line)


def front_of(module: str) -> str | None:
    """The package by whose front `module` is reached; None when it has no front, is one itself, or is listed whole."""
    parents = module.split(".")[:-1]
    while parents:
        front = Path("src", *parents, "__init__.pyi")
        if front.exists():
            name = module.removeprefix(".".join(parents) + ".")
            room = Path("src", *module.split("."), "__init__.pyi")
            listed = f"from . import {name} as {name}" in front.read_text().splitlines()
            return None if room.exists() or listed else ".".join(parents)
        parents.pop()
    return None
