"""`tearsheet feeds import`, `export` and `sync`, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.tearsheet_command import in_process

CSV = (
    "id;url;sources_id;name\n101;http://a.example/rss;7;A\n102;http://b.example/rss;8;B\n103;http://a.example/rss;9;C\n"
)
OPML = """<opml version="2.0"><body>
<outline text="Europe"><outline text="Radio"><outline text="One" xmlUrl="http://a.example/1" htmlUrl="http://a.example/x"/></outline>
<outline text="Two" xmlUrl="feed://a.example/2" htmlUrl="http://a.example/y"/></outline>
<outline text="Three" xmlUrl="http://me:hidden-word@a.example/3"/></body></opml>"""


@pytest.fixture
def tearsheet(tmp_path: Path):
    def run(*words: str, code: int = 0, data: str = "data") -> str:
        done = in_process(*words, data=tmp_path / data)
        assert done.exit_code == code, (done.output, done.exception)
        return done.output

    return run


def test_folders_belong_to_feeds_and_come_out_as_they_went_in(tearsheet, tmp_path: Path) -> None:
    (tmp_path / "in.opml").write_text(OPML)
    tearsheet("feeds", "import", str(tmp_path / "in.opml"))
    tearsheet("feeds", "export", str(tmp_path / "out.opml"))
    written = (tmp_path / "out.opml").read_text()
    assert written.splitlines()[4:] == [
        '<outline text="Europe" title="Europe">',
        '<outline text="Radio" title="Radio">',
        '<outline type="rss" text="One" title="One" xmlUrl="http://a.example/1" htmlUrl="http://a.example/x"/>',
        "</outline>",
        '<outline type="rss" text="Two" title="Two" xmlUrl="http://a.example/2" htmlUrl="http://a.example/y"/>',
        "</outline>",
        '<outline type="rss" text="Three" title="Three" xmlUrl="http://a.example/3"/>',
        "</body>",
        "</opml>",
    ]
    for form in ("opml", "csv", "json"):
        tearsheet("feeds", "export", str(tmp_path / f"all.{form}"))
        words = ("sync", str(tmp_path / "all.json")) if form == "json" else ("import", str(tmp_path / f"all.{form}"))
        tearsheet("feeds", *words, data=form)
        tearsheet("feeds", "export", str(tmp_path / f"again.{form}"), data=form)
        first, again = (tmp_path / f"all.{form}").read_bytes(), (tmp_path / f"again.{form}").read_bytes()
        assert first == again and b"hidden-word" not in first


def test_import_says_what_it_did_with_each_row(tearsheet, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(CSV)
    assert "3 feeds added" in tearsheet("feeds", "import", str(tmp_path / "list.csv"))
    (tmp_path / "list.csv").write_text(CSV.replace("a.example/rss;7", "new.example/rss;7").replace(";B\n", ";Bee\n"))
    assert "feed 101 has another address here" in tearsheet("feeds", "import", str(tmp_path / "list.csv"), code=3)
    told = json.loads(
        tearsheet("feeds", "import", str(tmp_path / "list.csv"), "--update", "--json").rpartition("]")[0] + "]"
    )
    assert [(row["what"], row["id"]) for row in told] == [("changed", 101), ("changed", 102), ("known", 103)]
    rows = json.loads(tearsheet("feeds", "list", "--json"))
    assert [(row["id"], row["url"], row["name"]) for row in rows] == [
        (101, "http://new.example/rss", "A"), (102, "http://b.example/rss", "Bee"), (103, "http://a.example/rss", "C"),
    ]  # fmt: skip


def test_sync_tells_first_and_then_does_it(tearsheet, tmp_path: Path) -> None:
    (tmp_path / "list.csv").write_text(CSV)
    file = str(tmp_path / "list.csv")
    told = tearsheet("feeds", "sync", file, "--dry-run")
    assert "3 feeds would be added" in told and "http://b.example/rss" in told
    assert "No feeds" in tearsheet("feeds", "list")
    assert "3 feeds added, 0 changed, 0 removed" in tearsheet("feeds", "sync", file)
    (tmp_path / "list.csv").write_text("".join(CSV.splitlines(True)[:2]))
    assert "0 removed, 1 as before" in tearsheet("feeds", "sync", file)
    assert "2 removed, 1 as before" in tearsheet("feeds", "sync", file, "--full")
    tearsheet("feeds", "sync", file, "--since", "yesterday-ish", code=2)
    tearsheet("feeds", "sync", str(tmp_path / "none.csv"), code=2)
