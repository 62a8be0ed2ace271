"""The program imports nothing that only POSIX systems have, and what Windows cannot do says so."""

from __future__ import annotations

import ast
import subprocess
import sys

from tests.support.as_on_windows import MODULES
from tests.support.paths import ROOT
from tests.support.patience import PATIENCE
from tests.support.source_trees import SOURCE, source_trees

HAVE_TWO_WAYS = {"locks.py", "system.py", "work/confine.py", "engines/index/tantivy_child.py"}
"""Modules that import what only POSIX systems have, elsewhere than on Windows."""


def test_every_module_is_imported_on_a_system_without_posix_and_says_what_cannot_work(tmp_path):
    words = [sys.executable, "-m", "tests.support.as_on_windows", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, timeout=2 * PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    modules, *refusals = done.stdout.splitlines()
    assert int(modules) > 400
    advice = "needs Linux or macOS; on Windows, use Tearsheet in WSL (`wsl --install`)"
    assert refusals == [f"reading pages in processes that are confined {advice}", f"web.socket {advice}"]


def test_few_modules_import_what_only_posix_systems_have():
    found = set()
    for path, tree in source_trees().items():
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            if set(names) & set(MODULES):
                found.add(path.relative_to(SOURCE).as_posix())
    assert found == HAVE_TWO_WAYS
