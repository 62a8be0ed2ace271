"""What a newcomer types first, in an empty folder: an answer, or one line that says what to do. Never a traceback."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tearsheet.cli import app


def run(data: Path, *words: str):
    return CliRunner().invoke(app, ["--data", str(data), *words])


@pytest.mark.parametrize(
    "line",
    [
        "search flood", "count flood", "count * --by week", "count * --by word", "cite flood", "status", "stats", "feeds list",
        "feeds export", "sources list", "sources gaps", "sources export", "collections list", "queues list", "archive list",
        "erase --show", "erase --resume",
        "archive verify", "archive index", "pages list", "pages check", "topic list", "token list", "doctor",
        "pipeline list", "config show", "config show --sources", "config show --json",
    ],
)  # fmt: skip
def test_an_empty_folder_is_no_error(tmp_path: Path, line: str):
    result = run(tmp_path, *line.split())
    assert result.exit_code == 0, result.output
    assert result.output.strip()


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("index rebuild nowhere", 2, "there is no file or folder"),
        ("index rebuild", 5, "there are no archived stories to index"),
        ("search title:", 2, "nothing follows this field"),
        ("search flood --from yesterday", 2, "write it as 2026-11-15"),
        ("feeds add notaurl", 2, "neither an http(s) address nor a file"),
        ("feeds show 99", 5, "`tearsheet feeds list` shows them"),
        ("queues peek nope", 5, "there is no queue"),
        ("pipeline run nope x", 5, "there is no pipeline 'nope'"),
        ("topic status nope", 5, "there is no topic"),
        ("archive extract nope", 5, "nope"),
        ("collections show nope", 5, "`tearsheet collections list` shows them"),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(tmp_path: Path, line: str, code: int, said: str):
    result = run(tmp_path, *line.split())
    assert result.exit_code == code, result.output
    assert said in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_settings_are_shown_without_their_passwords(tmp_path: Path):
    (tmp_path / "config.toml").write_text(
        '[engines]\ndatabase = "postgresql://me:geheim@db.example/x"\n'
        '[archive]\nstores = ["s3://KEY:streng@objects.example/b", "copies"]\n'
    )
    result = run(tmp_path, "config", "show", "--json")
    shown = {row["name"]: row["value"] for row in json.loads(result.output)}
    assert shown["engines.database"] == "postgresql://me:***@db.example/x"
    assert shown["archive.stores"] == ["s3://KEY:***@objects.example/b", "copies"]
    for words in (["config", "show"], ["config", "show", "--sources"]):
        output = run(tmp_path, *words).output
        assert "geheim" not in output and "streng" not in output
