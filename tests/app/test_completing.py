"""Names for the completion of a command line."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

from tearsheet.app.completing import names_like
from tearsheet.app.services import Services
from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tearsheet.settings import Settings
from tearsheet.topics import NewTopic
from tearsheet.topics.store import create_topic


def test_names_that_begin_like_what_was_typed(tmp_path):
    with Services(Settings(tmp_path)) as services:
        feeds = [
            NewFeed(f"http://{host}/feed", collections=("Press",)) for host in ("b.example", "bc.example", "x.example")
        ]
        add_feeds(services.database, feeds, datetime(2026, 1, 1, tzinfo=UTC))
        for name in ("Bridge", "Bridge 2", "Flood%", "evil\x1b]0;owned"):
            create_topic(services.database, NewTopic(name, "water"), 0)
    assert names_like(tmp_path, "topics", "Br") == ["Bridge", "Bridge 2"]
    assert names_like(tmp_path, "topics", "%") == []
    assert names_like(tmp_path, "topics", "e") == [], "what commands a terminal is not offered to one"
    assert names_like(tmp_path, "sources", "b") == ["b.example", "bc.example"]
    assert names_like(tmp_path, "collections", "") == ["Press"]


def test_a_quarantine_is_offered_where_it_may_be_looked_into_though_nothing_was_ever_in_it(tmp_path):
    with closing(sqlite3.connect(tmp_path / "queues.db")) as queues:
        queues.execute("CREATE TABLE queues (name TEXT)")
        queues.executemany("INSERT INTO queues VALUES (?)", [("parser-in",), ("fetcher-in",), ("fetcher-quar",)])
        queues.commit()
    assert names_like(tmp_path, "queues", "parser-") == ["parser-in"]
    assert names_like(tmp_path, "queues and quarantines", "parser-q") == ["parser-quar"]
    assert names_like(tmp_path, "queues and quarantines", "fetcher") == ["fetcher-in", "fetcher-quar"]


def test_nothing_is_offered_made_or_raised_where_there_is_nothing(tmp_path):
    folder = tmp_path / "none"
    assert names_like(folder, "topics", "") == [] and not folder.exists()
    folder.mkdir()
    (folder / "tearsheet.db").write_bytes(b"no database at all" * 100)
    (folder / "queues.db").write_bytes(b"")
    assert names_like(folder, "topics", "") == [] and names_like(folder, "queues", "") == []
    (folder / "config.toml").write_text("nonsense = [")
    assert names_like(folder, "topics", "") == []
    (folder / "config.toml").write_text('[engines]\ndatabase = "postgresql://127.0.0.1:1/x"\n')
    assert names_like(folder, "topics", "") == []
