"""The tree of errors: as drawn in the explanation, and nothing beside it that could reach a user or a worker."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tearsheet
from tearsheet.errors import EXIT_CODES, StoryError, TearsheetError, UserError, WorkerError
from tests.support.paths import ROOT
from tests.support.source_trees import source_trees

BRANCHES = (UserError, StoryError, WorkerError)
SOURCE = Path(tearsheet.__file__).parent
PAGE = ROOT / "docs/explanation/errors.md"


def modules() -> Iterator[Path]:
    return (path for path in sorted(SOURCE.rglob("*.py")) if "migrations" not in path.parts and path.stem != "__main__")


def classes() -> list[type[Exception]]:
    """Every exception class that a module of ours defines; an interruption is none."""
    found = []
    for path in modules():
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        module = importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
        found += [
            value
            for value in vars(module).values()
            if inspect.isclass(value) and issubclass(value, Exception) and value.__module__ == module.__name__
        ]
    return found


def package_of(kind: type[Exception]) -> str:
    return ".".join(kind.__module__.split(".")[:2])


def is_public(kind: type[Exception]) -> bool:
    """Whether other packages can import it: from a module that is no package, or from a front of its package."""
    package = SOURCE / package_of(kind).removeprefix("tearsheet.")
    if not package.is_dir():
        return True
    fronts = (front.read_text() for front in package.rglob("__init__.pyi"))
    return any(re.search(rf" as {kind.__name__}$", front, re.MULTILINE) for front in fronts)


def is_caught_at_home(kind: type[Exception]) -> bool:
    """Whether its own package catches it, by its name or by that of a class of ours above it."""
    names = {base.__name__ for base in kind.__mro__ if base.__module__.startswith("tearsheet")}
    package = SOURCE / package_of(kind).removeprefix("tearsheet.")
    nodes = (node for tree in source_trees(package).values() for node in ast.walk(tree))
    caught = (part for node in nodes for part in _caught_by(node))
    return any(isinstance(name, ast.Name) and name.id in names for part in caught for name in ast.walk(part))


def _caught_by(node: ast.AST) -> list[ast.expr]:
    """The classes that an `except` or a `suppress` names."""
    if isinstance(node, ast.ExceptHandler) and node.type is not None:
        return [node.type]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "suppress":
        return node.args
    return []


def drawing() -> str:
    lines: list[tuple[str, type[Exception]]] = []
    public = [kind for kind in classes() if is_public(kind)]

    def add(kind: type[Exception], head: str, indent: str) -> None:
        lines.append((head + kind.__name__, kind))
        below = sorted((child for child in public if child.__bases__[0] is kind), key=lambda child: child.__name__)
        if kind is TearsheetError:
            below = list(BRANCHES)
        for child in below:
            last = child is below[-1]
            add(child, indent + ("└── " if last else "├── "), indent + ("    " if last else "│   "))

    add(TearsheetError, "", "")
    width = max(len(text) for text, _ in lines)
    return "\n".join(f"{text:<{width}}  {_code(kind):>2}  {package_of(kind)}" for text, kind in lines)


def _code(kind: type[Exception]) -> str:
    assert issubclass(kind, TearsheetError)
    return "" if issubclass(kind, StoryError) or kind in (TearsheetError, *BRANCHES) else str(kind.exit_code)


def test_the_drawing_shows_the_classes_as_they_are():
    assert drawing() in PAGE.read_text(), f"the drawing should be\n{drawing()}"


@pytest.mark.parametrize("kind", classes(), ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_an_exception_stands_on_one_branch_or_stays_at_home(kind):
    branches = [branch for branch in BRANCHES if issubclass(kind, branch)]
    assert len(branches) == 1 or kind is TearsheetError or (not is_public(kind) and is_caught_at_home(kind))


def test_every_exit_code_of_a_class_is_documented():
    codes = {kind.exit_code for kind in classes() if issubclass(kind, TearsheetError)}
    assert codes <= EXIT_CODES.keys()
