"""`tearsheet search`, `count` and `index`, as a user calls them."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from tearsheet.app.services import Services
from tearsheet.cli import app
from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tearsheet.settings import Settings
from tests.support.index_stories import long_stories, near_phrases, story
from tests.support.tearsheet_command import in_process

STORIES = [
    story("1", "Harbour wall", "The climate council", canonical_domain="a.example"),
    story("2", "Old cinema", "The climate of the cinema", canonical_domain="b.example", publication_date="2024-02-01"),
    story("3", "Gare du Nord", "Le climat", canonical_domain="c.example", language="fr"),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with Services(Settings(tmp_path / "data")) as services:
        services.index.add(STORIES)
        feed = NewFeed("http://b.example/feed", collections=("Press",))
        add_feeds(services.database, [feed], datetime(2026, 1, 1, tzinfo=UTC))
    return tmp_path / "data"


@pytest.fixture
def tearsheet(data):
    def run(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(app, ["--data", str(data), "--quiet", *words])
        assert result.exit_code == code, result.output
        return result.output

    return run


def test_stories_come_out_as_lines_with_their_text(tearsheet):
    found = [json.loads(line) for line in tearsheet("search", "climate", "--jsonl", "--limit", "0").splitlines()]
    assert {(one["url"], one["text_content"]) for one in found} == {(s.url, s.text_content) for s in STORIES[:2]}
    rows = list(csv.DictReader(io.StringIO(tearsheet("search", "language:fr", "--csv"), newline="")))
    assert [row["article_title"] for row in rows] == ["Gare du Nord"]


def test_filters_of_the_command_line(tearsheet):
    def counted(*words: str) -> int:
        return int(json.loads(tearsheet("count", *words, "--json"))[0]["stories"])

    assert counted("*") == 3
    assert counted("climate", "--source", "a.example") == 1
    assert counted("*", "--from", "2024-02-01") == 1
    assert counted("*", "--collection", "Press") == 1
    assert counted("*", "--collection", "1") == 1
    assert "b.example" in tearsheet("search", "*", "--collection", "Press", "--jsonl")
    assert "no collection" in tearsheet("count", "*", "--collection", "Presse", code=5)


def test_what_cannot_be_asked_is_refused_in_one_line(tearsheet):
    for command in (["search", "*"], ["count", "*"], ["cite", "*"], ["topic", "create", "New", "climate"]):
        said = tearsheet(*command, "--from", "2024-02-02", "--to", "2024-02-01", code=2)
        assert "the period would end (2024-02-01) before it starts (2024-02-02)" in said.replace("\n", " ")
    assert "--from: 'soon' is not a day" in tearsheet("topic", "create", "New", "climate", "--from", "soon", code=2)
    assert "order: 'best' is not one of" in tearsheet("search", "*", "--order", "best", code=2)
    assert "'--limit': Input should be greater than or equal to 0" in tearsheet("search", "*", "--limit", "-1", code=2)
    assert "--source: an empty value" in tearsheet("count", "*", "--source", "", code=2)


def test_a_month_or_a_year_is_all_its_days(tearsheet):
    def titles(*words: str) -> list[str]:
        return [json.loads(line)["article_title"] for line in tearsheet("search", "*", "--jsonl", *words).splitlines()]

    assert titles("--from", "2024-02", "--to", "2024-02") == ["Old cinema"]
    assert len(titles("--from", "2024", "--to", "2024")) == 3


def test_a_parquet_file_is_whole_or_not_there(tearsheet, tmp_path):
    tearsheet("search", "*", "--parquet", str(tmp_path / "x.parquet"))
    assert pyarrow.parquet.read_table(tmp_path / "x.parquet").num_rows == 3
    assert "cannot write" in tearsheet("search", "*", "--parquet", str(tmp_path / "no" / "x.parquet"), code=16)


def test_counts_by_what_people_ask_for(tearsheet):
    assert json.loads(tearsheet("count", "climate", "--by", "month", "--json")) == [
        {"date": "2024-01-01", "stories": 1, "of": 2, "share": 0.5},
        {"date": "2024-02-01", "stories": 1, "of": 1, "share": 1.0},
    ]
    words = json.loads(tearsheet("count", "climate", "--by", "word", "--json"))
    assert {row["word"] for row in words} == {"climate", "council", "harbour", "wall", "old", "cinema"}


def test_a_damaged_index_is_made_anew_from_its_own_stories(tearsheet, data):
    for file in (data / "index" / "words").iterdir():
        file.write_bytes(b"not an index")
    assert "index rebuild --words" in tearsheet("count", "*", code=7)
    assert "3 stories" in tearsheet("index", "rebuild", "--words")
    assert json.loads(tearsheet("count", "climate", "--json"))[0]["stories"] == 2


EXPENSIVE = near_phrases(35, 1000)


@pytest.fixture(scope="module")
def long_data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    with Services(Settings(folder)) as services:
        services.index.add(long_stories(40, 10_000))
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ("count", EXPENSIVE),
        ("count", EXPENSIVE, "--by", "week"),
        ("search", EXPENSIVE),
        ("search", EXPENSIVE, "--jsonl", "--limit", "0"),
        ("cite", EXPENSIVE),
    ],
    ids=["count", "by week", "search", "export", "cite"],
)
def test_a_query_that_takes_too_long_is_one_line_and_an_exit_code(long_data, monkeypatch, words):
    monkeypatch.setenv("TEARSHEET_ENGINES_QUERY_SECONDS", "0.01")
    result = CliRunner().invoke(app, ["--data", str(long_data), "--quiet", *words])
    assert result.exit_code == 8, result.output
    told = " ".join(result.output.split())
    assert "longer than 0.01 s (engines.query_seconds)" in told
    assert "35 phrases with a distance (up to 1,000); use fewer of them" in told
    assert "Traceback" not in told


def test_an_absurd_query_is_refused_before_it_runs(tearsheet):
    told = tearsheet("count", near_phrases(50, 1000), code=2)
    assert "it has 50 phrases with a distance (up to 1,000)" in " ".join(told.split())


@pytest.mark.parametrize("form", [["--csv"], ["--jsonl"], ["--json"], ["--parquet"]])
def test_an_export_that_leaves_stories_out_says_so(data, tmp_path, form):
    words = [*form, str(tmp_path / "stories.parquet")] if form == ["--parquet"] else form
    short = in_process("search", "*", "--limit", "2", *words, data=data)
    assert short.exit_code == 0 and "2 of 3 stories; --limit 0 takes all" in short.stderr
    assert "--limit 0" not in in_process("search", "*", "--limit", "0", *words, data=data).stderr
    assert "--limit 0" not in in_process("search", "*", *words, data=data).stderr
