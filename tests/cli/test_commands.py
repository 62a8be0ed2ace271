"""The table of commands says what the modules have, and a command imports no more than it needs."""

import pkgutil
import subprocess
import sys
from importlib import import_module
from typing import Any

import typer
from typer.main import get_command, get_group
from typer.testing import CliRunner

import tearsheet.cli


def test_every_command_of_every_module_is_listed():
    offered = set()
    for module in pkgutil.iter_modules(tearsheet.cli.__path__):
        register = getattr(import_module(f"tearsheet.cli.{module.name}"), "register", None)
        if register is not None:
            part = typer.Typer()
            part.callback()(lambda: None)
            register(part)
            offered |= set(get_group(part).commands)
    commands: Any = get_command(tearsheet.cli.app)
    listed = commands.list_commands(None)
    assert sorted(listed) == sorted(offered)
    assert all(commands.get_command(None, name) for name in listed)


def test_ctrl_c_while_a_command_is_imported_ends_it_as_later(monkeypatch):
    def interrupted(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tearsheet.cli.import_module", interrupted)
    assert CliRunner().invoke(tearsheet.cli.app, ["serve"]).exit_code == 11


def modules_of(*words: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    code = f"""
import sys
from tearsheet.cli import main
sys.argv = ["tearsheet", *{list(words)!r}]
try:
    main()
finally:
    print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=100)
    return set(done.stdout.split())


def test_a_plain_question_does_not_wait_for_the_engines():
    loaded = modules_of("--version")
    assert "tearsheet.cli" in loaded
    assert not {"fastapi", "lxml", "numpy", "sqlalchemy", "tantivy"} & loaded


def test_a_search_loads_the_index_and_no_database(tmp_path):
    loaded = modules_of("--data", str(tmp_path), "search", "flood")
    assert "tantivy" in loaded
    assert not {"fastapi", "lxml", "numpy", "sqlalchemy"} & loaded
