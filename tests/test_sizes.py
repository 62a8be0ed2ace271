"""How long modules and functions are: what fits on a screen is read, and what does not is skimmed."""

from __future__ import annotations

import ast
from statistics import median, quantiles

from tests.support.source_trees import SOURCE, source_trees

LONGEST_MODULE, LONGEST_FUNCTION = 400, 60
USUAL_MODULE, USUAL_FUNCTION, LONG_FUNCTION = 110, 7, 18
"""Medians, and what nine of ten functions do not exceed."""

HISTORY = "engines/database/migrations/versions/"
"""What databases in use were made with is not edited: a migration lists the tables of its time, however many."""


def lines_of_modules() -> dict[str, int]:
    return {
        path.relative_to(SOURCE).as_posix(): len(path.read_text("utf-8").splitlines())
        for path in SOURCE.rglob("*.py")
        if path.name != "__init__.py"
    }


def lines_of_functions() -> dict[str, int]:
    return {
        f"{path.relative_to(SOURCE).as_posix()}:{node.lineno} {node.name}": node.end_lineno - node.lineno + 1
        for path, tree in source_trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None
    }


def test_no_module_is_too_long_to_be_read_at_once():
    modules = lines_of_modules()
    assert {name: lines for name, lines in modules.items() if lines > LONGEST_MODULE} == {}
    assert median(modules.values()) <= USUAL_MODULE


def test_no_function_is_longer_than_a_screen():
    functions = lines_of_functions()
    long = {name: lines for name, lines in functions.items() if lines > LONGEST_FUNCTION}
    assert {name: lines for name, lines in long.items() if not name.startswith(HISTORY)} == {}
    assert median(functions.values()) <= USUAL_FUNCTION
    assert quantiles(functions.values(), n=10)[-1] <= LONG_FUNCTION
