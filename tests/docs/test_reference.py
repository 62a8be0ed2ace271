"""The reference pages say all and only what the program has."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
import typer
from tools.write_reference import PAGES

from tearsheet.cli import app
from tearsheet.errors import EXIT_CODES
from tearsheet.settings import declared_settings
from tearsheet.web.metrics import METRICS
from tests.support.paths import ROOT

DOCS = ROOT / "docs"


def page(name: str) -> str:
    return (DOCS / "reference" / name).read_text("utf-8")


def commands(group: Any, prefix: str) -> list[str]:
    found = []
    for name in group.list_commands(None):
        full, command = f"{prefix} {name}", group.get_command(None, name)
        found += [full, *commands(command, full)] if hasattr(command, "commands") else [full]
    return found


def test_every_command_is_documented_and_none_that_is_not_there():
    documented = set(re.findall(r"^###? `(tearsheet [a-z -]+)`", page("commands.md"), re.MULTILINE))
    assert documented == set(commands(typer.main.get_command(app), "tearsheet"))


def test_every_setting_is_documented_with_its_default_and_meaning():
    text = page("settings.md")
    for declared in declared_settings():
        assert f"| `{declared.name}` | `{declared.default}` | {declared.help} |" in text, declared.name
    assert len(re.findall(r"^\| `[a-z_]+\.[a-z_]+` \|", text, re.MULTILINE)) == len(declared_settings())


def test_every_exit_code_is_documented():
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", page("exit-codes.md"), re.MULTILINE)
    assert {int(code): meaning for code, meaning in rows} == EXIT_CODES


def test_every_metric_is_documented():
    names = re.findall(r"^\| `(tearsheet_[a-z_]+)` \|", page("metrics.md"), re.MULTILINE)
    assert names == list(METRICS)


@pytest.mark.parametrize("name", PAGES)
def test_pages_that_are_made_from_the_program_are_up_to_date(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # one page is made from a server, on a data folder
    assert page(name) == PAGES[name](), "run `make docs`"
