"""The sources of the program as syntax trees, for tests that read them: each file is parsed once in a test process."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

from tests.support.paths import ROOT

SOURCE = ROOT / "src" / "tearsheet"


@cache
def tree_of(path: Path) -> ast.Module:
    """The tree of a file. The garbage collector rests meanwhile: it would look at all trees again and again, and find nothing."""
    text = path.read_text("utf-8")
    gc.disable()
    try:
        return ast.parse(text)
    finally:
        gc.enable()


def source_trees(folder: Path = SOURCE) -> dict[Path, ast.Module]:
    """Every module in a folder of the sources."""
    return {path: tree_of(path) for path in sorted(folder.rglob("*.py"))}
