"""The table of commands says what the modules have, and a command imports no more than it needs."""

import json
import pkgutil
import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest
import typer
from typer.main import get_command, get_group
from typer.testing import CliRunner

import tearsheet.cli
from tests.support.tearsheet_command import in_process
from tests.support.tearsheet_command import tearsheet as run_tearsheet


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
    return set(done.stdout.splitlines()[-1].split())


def test_a_plain_question_does_not_wait_for_the_engines():
    loaded = modules_of("--version")
    assert "tearsheet.cli" in loaded
    assert not {"fastapi", "lxml", "numpy", "sqlalchemy", "tantivy"} & loaded


def test_a_search_loads_the_index_and_no_database(tmp_path):
    loaded = modules_of("--data", str(tmp_path), "search", "flood")
    assert "tantivy" in loaded
    assert not {"fastapi", "lxml", "numpy", "sqlalchemy"} & loaded


@pytest.mark.parametrize(
    "words", [["--l\u202eist"], ["feeds", "--l\u202eist"], ["search", "a", "--limit", "\u202e3"], ["\u202e"]]
)
def test_what_was_typed_is_cleaned_where_it_is_refused(words, tmp_path):
    done = in_process(*words, data=tmp_path)
    assert done.exit_code == 2 and "\u202e" not in done.output and "Usage" in done.output


def test_a_log_level_that_does_not_exist_is_a_wrong_setting(tmp_path):
    done = in_process("--log-level", "verbose", "status", data=tmp_path)
    assert done.exit_code == 4 and "log.level (from flag): 'verbose' is not one of" in done.stderr.replace("\n", " ")


def test_a_misspelt_variable_is_named(tmp_path):
    done = run_tearsheet("config", "show", "--json", data=tmp_path, TEARSHEET_ENGINES_DATABSE="x.db")
    assert done.returncode == 0 and json.loads(done.stdout)
    assert "TEARSHEET_ENGINES_DATABSE sets nothing; did you mean TEARSHEET_ENGINES_DATABASE?" in done.stderr.replace(
        "\n", " "
    )
