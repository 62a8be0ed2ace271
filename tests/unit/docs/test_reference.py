"""The reference pages say all and only what the program has."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import typer

from tearsheet.cli import app
from tearsheet.compose import Services
from tearsheet.config import Settings, declared_settings
from tearsheet.errors import EXIT_CODES
from tearsheet.web.app import create_app

DOCS = Path(__file__).parents[3] / "docs"


def page(name: str) -> str:
    return (DOCS / "reference" / name).read_text("utf-8")


def commands(group: Any, prefix: str) -> list[str]:
    found = []
    for name in group.list_commands(None):
        full, command = f"{prefix} {name}", group.get_command(None, name)
        found += commands(command, full) if hasattr(command, "commands") else [full]
    return found


def test_every_command_is_documented_and_none_that_is_not_there():
    documented = set(re.findall(r"^### `(tearsheet [a-z -]+)`", page("commands.md"), re.MULTILINE))
    assert documented == set(commands(typer.main.get_command(app), "tearsheet"))


def test_every_setting_is_documented_with_its_default_and_meaning():
    text = page("settings.md")
    for declared in declared_settings():
        assert f"| `{declared.name}` | `{declared.default}` | {declared.help} |" in text, declared.name
    assert len(re.findall(r"^\| `[a-z_]+\.[a-z_]+` \|", text, re.MULTILINE)) == len(list(declared_settings()))


def test_every_exit_code_is_documented():
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", page("exit-codes.md"), re.MULTILINE)
    assert {int(code): meaning for code, meaning in rows} == EXIT_CODES


def test_the_description_of_the_api_is_the_one_that_the_server_gives(tmp_path):
    with Services(Settings(tmp_path)) as services:
        assert json.loads(page("openapi.json")) == json.loads(json.dumps(create_app(services).openapi()))
