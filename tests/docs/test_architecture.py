"""The page on how Tearsheet is built: its files and rules exist, and its walks are what the program does."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "explanation" / "architecture.md").read_text("utf-8")
SOURCE = ROOT / "src" / "tearsheet"
RULES = [
    (file, name)
    for file, names in re.findall(r"^\| [A-Z].* \| `([\w/]+\.py)`: ((?:`\w+`(?:, )?)+) \|$", PAGE, re.MULTILINE)
    for name in re.findall(r"\w+", names)
]


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([a-z_/]+\.py|[a-z_]+/)`", PAGE))))
def test_every_file_and_package_that_the_page_names_exists(name):
    inside = [path for path in SOURCE.rglob(name.rstrip("/")) if path.is_dir() == name.endswith("/")]
    assert (SOURCE / name).exists() or inside or (ROOT / name).exists()


def test_the_page_lists_rules():
    assert len(RULES) >= 10


@pytest.mark.parametrize(("file", "name"), RULES)
def test_a_rule_and_its_test_are_where_the_page_says(file, name):
    assert re.search(rf"^(?:def|class) {name}\b", (SOURCE / file).read_text("utf-8"), re.MULTILINE)
    folder, _, module = f"tests/{file}".rpartition("/")
    tests = "".join(test.read_text("utf-8") for test in (ROOT / folder).glob(f"test_{module.removesuffix('.py')}*.py"))
    assert re.search(rf"\b{name}\b", tests), f"no test_{module} names {name}"


def passed(text: str) -> dict[str, set[str]]:
    """The modules of each walk, out of its paragraph."""
    found: dict[str, set[str]] = {}
    for title, body in re.findall(r"^(An? [\w ]+): \d+ modules.*\n((?:  › .*\n?)+)", text, re.MULTILINE):
        rooms = re.findall(r"› ([\w.]+) \(([^)]*)\)", body)
        found[title] = {f"{room}.{name}" for room, names in rooms for name in names.split(", ")}
    return found


@pytest.mark.proof
@pytest.mark.timeout(300)
def test_the_walks_are_those_of_the_program():
    command = [sys.executable, "-m", "tools.walks"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, timeout=280)
    assert done.returncode == 0, done.stderr[-3000:]
    traced = passed(done.stdout)
    assert len(traced) == 6
    assert passed(PAGE) == traced
