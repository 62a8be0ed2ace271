"""`tearsheet cite`, `--as-of` and `sources gaps`, as a user calls them."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tearsheet.cli import app
from tearsheet.engines.index.opener import open_index
from tests.support.index_stories import story

MOMENT = datetime(2026, 11, 1, 8, tzinfo=UTC)


def indexed(hours: float) -> int:
    return int((MOMENT + timedelta(hours=hours)).timestamp()) * 1_000_000_000


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    index = open_index("index", folder)
    index.add(
        [
            story("a", "Flood in Orsel", canonical_domain="a.example", indexed_date=indexed(0)),
            story("b", "Flood again", canonical_domain="b.example", indexed_date=indexed(1)),
            story("c", "Flood once more", canonical_domain="a.example", indexed_date=indexed(2)),
        ]
    )
    index.close()
    return folder


@pytest.fixture
def tearsheet(data: Path):
    def run(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(app, ["--data", str(data), "--quiet", *words])
        assert result.exit_code == code, result.output
        return result.output

    return run


def test_a_result_is_repeated_as_of_a_moment(tearsheet):
    assert json.loads(tearsheet("count", "flood", "--json")) == [{"stories": 3, "of": 3}]
    assert json.loads(tearsheet("count", "flood", "--as-of", "2026-11-01T09:00:00Z", "--json")) == [
        {"stories": 2, "of": 2}
    ]
    assert json.loads(tearsheet("count", "flood", "--as-of", "2026-11-01T09:59:59+01:00", "--json")) == [
        {"stories": 1, "of": 1}
    ]
    assert "is not a moment" in tearsheet("search", "flood", "--as-of", "yesterday", code=2)


def test_a_citation_is_checked(tearsheet, data: Path, tmp_path: Path):
    file = tmp_path / "citation.json"
    file.write_text(tearsheet("cite", "flood", "--source", "a.example", "--json"))
    assert json.loads(file.read_text())["result"]["stories"] == 2
    index = open_index("index", data)
    later = int(datetime.now(UTC).timestamp() + 60) * 1_000_000_000
    index.add([story("d", "Flood tomorrow", canonical_domain="a.example", indexed_date=later)])
    index.close()
    assert "The same 2 stories" in tearsheet("cite", "--check", str(file))
    assert json.loads(tearsheet("count", "flood", "--source", "a.example", "--json"))[0]["stories"] == 3

    file.write_text(file.read_text().replace("a.example", "b.example"))
    assert "not the same: 2 stories then, 1 now" in tearsheet("cite", "--check", str(file), code=3)
    file.write_text("{}")
    assert "is not a citation" in tearsheet("cite", "--check", str(file), code=2)
    assert "give a query" in tearsheet("cite", code=2)


def test_the_command_of_a_citation_gives_its_stories(tearsheet):
    citation = json.loads(tearsheet("cite", "flood", "--language", "en", "--json"))
    assert citation["repeat"].startswith("tearsheet search flood --language en --as-of ")
    assert citation["repeat"].endswith("--limit 0 --csv")
    assert "Repeat it: tearsheet search flood" in tearsheet("cite", "flood")


def test_a_collection_is_a_filter(tearsheet):
    tearsheet("sources", "add", "b.example", "--collection", "Coast")
    assert json.loads(tearsheet("count", "flood", "--collection", "Coast", "--json")) == [{"stories": 1, "of": 1}]
    assert "there is no collection" in tearsheet("count", "flood", "--collection", "Hills", code=5)


def test_no_gaps_are_said_too(tearsheet):
    assert "Nothing to compare: no stories up to" in tearsheet("sources", "gaps")
    assert "try --to 2024-01-05" in tearsheet("sources", "gaps")
    assert "No gaps from 2023-12-07 to 2024-01-05" in tearsheet("sources", "gaps", "--to", "2024-01-05")
    assert "there is no source 'aa.example'" in tearsheet("sources", "gaps", "aa.example", code=5)
    assert json.loads(tearsheet("sources", "gaps", "a.example", "--json")) == []


def test_a_citation_in_one_line_is_the_same(tearsheet):
    whole, line = (
        tearsheet("cite", "flood", "--as-of", "2126-01-01T00:00:00Z", form) for form in ("--json", "--jsonl")
    )
    assert json.loads(whole) == json.loads(line) and line.count("\n") == 1
