"""Where there is no data folder, a command that only reads makes none: a lost folder can be restored, and a lost disk mounted."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from tearsheet.cli import app
from tearsheet.errors import NotFoundError
from tests.support.every_command import SERVING, WORDS

BEGINS = frozenset(
    {
        "feeds add", "feeds import", "feeds sync", "feeds discover", "sources add", "sources import", "run", "pipeline run",
        "index copy", "queues load-archives", "pages put", "pages import", "topic create", "ingest",
        "token create",
    }
)  # fmt: skip
"""Commands that may be the first ones of a new user."""
NEED_NONE = frozenset({"config show", "pipeline list", "restore"})
READS = sorted(WORDS.keys() - BEGINS - NEED_NONE - SERVING - {"doctor"})


def said(words: str, tmp_path, data) -> tuple[int, str]:
    typed = [word.format(hostile="a-name", outside=tmp_path) for word in words.split(" ")]
    done = CliRunner().invoke(app, ["--data", str(data), *typed], input="y\n")
    return done.exit_code, done.stderr


def test_a_command_that_reads_makes_no_folder(tmp_path):
    data = tmp_path / "data"
    for name in READS:
        code, told = said(WORDS[name], tmp_path, data)
        assert (code, data.exists()) == (NotFoundError.exit_code, False), (name, told)
        assert f"there is no data folder {data}" in told, name
    for name in NEED_NONE:
        said(WORDS[name], tmp_path, data)
        assert not data.exists(), name


def test_the_doctor_says_it_once_and_makes_no_folder(tmp_path):
    done = CliRunner().invoke(app, ["--data", str(tmp_path / "data"), "doctor"])
    assert done.exit_code == 1
    assert done.output.count("no data folder") == 1
    assert "clock" in done.output
    assert not (tmp_path / "data").exists()


def test_a_machine_whose_engines_are_servers_needs_no_folder(tmp_path, monkeypatch):
    for engine, url in {"DATABASE": "postgresql", "BROKER": "amqp", "INDEX": "opensearch"}.items():
        monkeypatch.setenv(f"TEARSHEET_ENGINES_{engine}", f"{url}://127.0.0.1:1/none")
    monkeypatch.setenv("TEARSHEET_ENGINES_PATIENCE_SECONDS", "0.1")
    code, told = said("search *", tmp_path, tmp_path / "data")
    assert code == 7
    assert "data folder" not in told
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("name", ["sources add", "topic create", "token create"])
def test_a_command_that_writes_begins_a_folder(tmp_path, name):
    said(WORDS[name], tmp_path, tmp_path / "data")
    assert (tmp_path / "data" / "tearsheet.db").exists()
