"""No Python process that we start imports what lies in the folder that the command was typed in."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.support.source_trees import SOURCE, source_trees


def trees() -> Iterator[tuple[str, str, ast.AST]]:
    for path, tree in source_trees().items():
        yield path.relative_to(SOURCE).as_posix(), path.read_text("utf-8"), tree


def is_interpreter(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "executable" and ast.unparse(node) == "sys.executable"


def test_every_command_line_with_our_interpreter_has_the_safe_path():
    lines = []
    for name, _, tree in trees():
        used = sum(map(is_interpreter, ast.walk(tree)))
        listed = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.List | ast.Tuple) and any(map(is_interpreter, node.elts))
        ]
        assert used == len(listed), f"{name}: write the whole command line where sys.executable is"
        lines += [(name, node.elts) for node in listed]
    assert {name for name, _ in lines} >= {"engines/index/killable.py", "cli/worker.py", "work/pool.py"}
    for name, parts in lines:
        assert is_interpreter(parts[0]) and ast.unparse(parts[1]) == "'-P'", name


def names_imported(tree: ast.AST) -> set[str]:
    """The modules and names of `multiprocessing` and `concurrent` that a module imports."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.startswith(("multiprocessing", "concurrent"))}


def test_every_pool_of_processes_has_the_safe_path():
    harmless = {
        "multiprocessing.connection.Connection",
        "concurrent.futures.ThreadPoolExecutor",
        "concurrent.futures.Future",
    }
    pools = {name: text for name, text, tree in trees() if names_imported(tree) - harmless}
    assert set(pools) == {"topics/snapshot/parallel.py"}
    assert all('os.environ["PYTHONSAFEPATH"] = "1"' in text for text in pools.values())


INDEX = """
import sys
from pathlib import Path
from tearsheet.engines.index.killable import _Reader
from tearsheet.engines.index.tantivy import TantivyIndex
folder = Path(sys.argv[1])
TantivyIndex(folder).close()
_Reader(folder).end()
"""


def test_a_folder_full_of_traps_is_not_imported(tmp_path: Path):
    here, trap = tmp_path / "here", "import os; open(os.environ['HOME'] + '/trapped', 'a').write(__name__)\n"
    here.mkdir()
    for name in ("tearsheet", "tantivy", "multiprocessing", "resource", "pickle", "msgspec"):
        (here / f"{name}.py").write_text(trap)
    program = tmp_path / "program.py"
    program.write_text(INDEX)
    command = [sys.executable, "-P", str(program), str(tmp_path / "index")]
    done = subprocess.run(
        command, cwd=here, env=os.environ | {"HOME": str(tmp_path)}, capture_output=True, text=True, timeout=60
    )
    assert not (tmp_path / "trapped").exists()
    assert done.returncode == 0, done.stderr
