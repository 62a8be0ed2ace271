"""The sources of the program as syntax trees, for tests that read them: each file is parsed once in a test process."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from tests.support.paths import ROOT

SOURCE = ROOT / "src" / "tearsheet"


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def source_trees(folder: Path = SOURCE) -> dict[Path, ast.Module]:
    """Every module in a folder of the sources."""
    return {path: tree_of(path) for path in sorted(folder.rglob("*.py"))}
