"""`app/` is the only place where settings, engines and parts meet; one of its modules alone handles signals while anything runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import tearsheet
from tests.support.source_trees import tree_of

SOURCES = Path(tearsheet.__file__).parent
BUILT = {
    "PoliteClient",
    "CpuPool",
    "ReadingPool",
    "AsyncWorker",
    "BatchWorker",
    "KeepingWorker",
    "CpuWorker",
    "Supervisor",
    "HostStore",
}
NAMES_OF_SIGNALS = {"ITIMER_PROF", "SIGKILL", "Signals", "setitimer"}
"""What needs no handler: what ended a child process, and what shall end it."""


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Every module that a file imports from, with each name it takes from there."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


@pytest.mark.parametrize("package", ["cli", "web", "agents"])
def test_commands_and_pages_open_no_engine_and_know_no_sql(package):
    for path in sorted((SOURCES / package).rglob("*.py")):
        for module, name in imports(path):
            if path.name == "versions.py":
                continue  # which asks the libraries for their versions, and nothing else
            assert module.partition(".")[0] not in ("sqlalchemy", "sqlite3", "pycurl"), path
            assert name not in BUILT and not name.startswith("open_"), f"{path}: {name}"


def test_one_module_handles_signals_once_a_command_runs():
    found = {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if "signal" in path.read_text("utf-8")  # most files need not be parsed
        and any(module == "signal" and name not in NAMES_OF_SIGNALS for module, name in imports(path))
    }
    assert found == {"start.py", "app/running.py"}
