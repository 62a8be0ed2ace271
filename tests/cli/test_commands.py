"""The table of commands says what the modules have, and a command imports no more than it needs."""

import json
import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest
import typer
from bench.start import LOOKING_UP, make_folder
from typer.main import get_command, get_group
from typer.testing import CliRunner

import tearsheet.cli
from tearsheet.app.backups import WITHOUT
from tearsheet.app.services import Services
from tearsheet.demo.newsroom import LEAST_ARTICLES
from tearsheet.index import ORDERS
from tearsheet.settings import Settings
from tearsheet.topics import NewTopic
from tearsheet.topics.snapshot.export_files import FORMATS
from tearsheet.topics.store import create_topic
from tests.support.every_command import commands
from tests.support.index_stories import story
from tests.support.patience import PATIENCE
from tests.support.tearsheet_command import in_process
from tests.support.tearsheet_command import tearsheet as run_tearsheet

HEAVY = {"fastapi", "lxml", "numpy", "pycurl", "sqlalchemy", "tantivy", "rich"}
"""Libraries that take longer to load than most commands take to run."""


def test_every_command_of_every_module_is_listed():
    offered = set()
    for module in pkgutil.iter_modules(tearsheet.cli.__path__):
        register = getattr(import_module(f"tearsheet.cli.{module.name}"), "register", None)
        if register is not None:
            part = typer.Typer()
            part.callback()(lambda: None)
            register(part)
            offered |= set(get_group(part).commands)
    every: Any = get_command(tearsheet.cli.app)
    listed = every.list_commands(None)
    assert sorted(listed) == sorted(offered)
    assert all(every.get_command(None, name) for name in listed)


def test_ctrl_c_while_a_command_is_imported_ends_it_as_later(monkeypatch):
    def interrupted(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tearsheet.cli.import_module", interrupted)
    monkeypatch.setattr("tearsheet.cli._commands_of", tearsheet.cli._commands_of.__wrapped__)
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
    print("modules:", *sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=100)
    return set(done.stdout.rpartition("modules:")[2].split())


def test_a_plain_question_does_not_wait_for_the_engines():
    loaded = modules_of("--version")
    assert "tearsheet.cli" in loaded
    assert not (HEAVY - {"pycurl"}) & loaded  # which is asked for its version


def test_helps_and_completion_load_no_engine(tmp_path):
    """All in one process: every help, a mistake, and the completion of a name."""
    code = f"""
import sys
from pathlib import Path
from typer.testing import CliRunner
from tearsheet.cli import _COMMANDS, app
from tearsheet.cli.completing import names_of
for name in _COMMANDS:
    assert CliRunner().invoke(app, [name, "--help"]).exit_code == 0, name
assert CliRunner().invoke(app, ["serch"]).exit_code == 2
from tearsheet.app import names_like
assert names_like(Path({str(tmp_path)!r}), "topics", "") == []
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=100)
    loaded = set(done.stdout.split())
    assert "tearsheet.cli.topic" in loaded and "tearsheet.app.completing" in loaded
    assert not HEAVY & loaded


def test_the_list_of_commands_says_what_each_command_says_itself():
    """The list is kept where it can be read without importing the commands."""
    every: Any = get_command(tearsheet.cli.app)
    said = {name: about for name, (_, about) in tearsheet.cli._COMMANDS.items()}
    assert said == {name: every.get_command(None, name).short_help for name in every.list_commands(None)}
    shown = " ".join(CliRunner().invoke(tearsheet.cli.app, ["--help"]).output.split())
    assert all(about in shown for about in said.values())


def test_no_help_shows_the_name_of_a_type():
    for name in commands():
        shown = CliRunner().invoke(tearsheet.cli.app, [*name.split(), "--help"]).output
        assert "Usage: " in shown and not re.search(r"<\w+>|\blist\[", shown), shown


def test_helps_name_what_the_program_knows():
    assert ", ".join(FORMATS) in shown_help("topic", "export")
    assert all(word in shown_help("backup") for word in WITHOUT)
    assert all(order in shown_help("search") for order in ORDERS)


def shown_help(*words: str) -> str:
    return " ".join(CliRunner().invoke(tearsheet.cli.app, [*words, "--help"]).output.split())


def test_names_are_completed_for_the_shell(tmp_path, monkeypatch):
    with Services(Settings(tmp_path)) as services:
        create_topic(services.database, NewTopic("Bridge", "water"), 0)

    def completed(*words: str) -> list[str]:
        line = " ".join(("tearsheet", "--data", str(tmp_path), *words))
        given = {"_TEARSHEET_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) + 2)}
        return CliRunner().invoke(tearsheet.cli.app, prog_name="tearsheet", env=given).output.split()

    assert completed("sea") == ["search"]
    assert completed("topic", "status", "B") == ["Bridge"]
    assert completed("search", "x", "--jso") == ["--json", "--jsonl"]
    assert completed("topic", "dele") == ["delete"]


def test_names_of_the_demo_are_completed_where_commands_read_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TEARSHEET_DATA", raising=False)
    demo = tmp_path / "tearsheet-data" / "demo"
    with Services(Settings(demo)) as services:
        create_topic(services.database, NewTopic("corvane bridge (2)", "water"), 0)
    (demo / "config.toml").write_text("[fetch]\nconnect_to = {}\n")

    def completed(line: str) -> str:
        given = {"_TEARSHEET_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": "3"}
        return CliRunner().invoke(tearsheet.cli.app, prog_name="tearsheet", env=given).output.rstrip("\n")

    assert completed("tearsheet\ntopic\nstatus\ncor") == r"corvane\ bridge\ \(2\)", "bash puts it on the line as it is"
    assert completed("tearsheet\ntopic\nstatus\ncorvane\\ br") == r"corvane\ bridge\ \(2\)"
    assert completed('tearsheet\ntopic\nstatus\n"corvane br') == "corvane bridge (2)", "and closes the quotes itself"


def test_commands_that_look_something_up_load_the_database_alone(tmp_path):
    """All in one process. Of the libraries that SQLAlchemy has for other engines, none is loaded."""
    make_folder(tmp_path)
    code = f"""
import sys
from typer.testing import CliRunner
from tearsheet.cli import app
for line in {LOOKING_UP!r}:
    done = CliRunner().invoke(app, ["--data", {str(tmp_path)!r}, *line.split()])
    assert done.exit_code == 0, (line, done.output)
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE)
    loaded = set(done.stdout.split())
    assert "sqlalchemy" in loaded
    others = {
        "sqlalchemy.dialects.postgresql",
        "sqlalchemy.orm",
        "alembic",
        "psycopg",
        "asyncpg",
        "pydantic",
        "httpx",
        "jinja2",
    }
    assert not (HEAVY - {"sqlalchemy", "tantivy"} | others) & loaded  # gaps are looked for in the index


def test_a_search_loads_the_index_and_no_database(tmp_path):
    with Services(Settings(tmp_path)) as services:
        services.index.add([story("1", "A flood in the harbour")])
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


def test_the_demo_says_how_small_it_may_be(tmp_path):
    refused = in_process("demo", "--articles", str(LEAST_ARTICLES - 1), data=tmp_path)
    assert refused.exit_code == 2
    assert f"{LEAST_ARTICLES}" in refused.output
