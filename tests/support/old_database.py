"""A database as version 0016 of the schema left it, with rows of everything that later migrations touch, and what is in one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from tearsheet.engines.database.port import Database
from tests.support.databases import migrate_to

OLD = "0016"
WHEN = datetime(2026, 3, 1, 12, 30, 15, 250_000, tzinfo=UTC)
LONG_GUID = "g" * 256

_FEED = {"active": True, "created_at": WHEN, "due_at": WHEN, "host": "paper.example", "last_fetch_failures": 1.5}
_STORY = {"fetched_at": WHEN, "seen_at": WHEN, "domain": "paper.example"}
_FILE = {"size": 900, "sha256": "f" * 64, "stories": 2, "created_at": WHEN, "local": True}
_CAPTURE = {"file_id": 1, "length": 300, "sha256": "c" * 64, "captured_at": WHEN}
_OUTCOME = {"reason": "", "detail": "", "domain": "paper.example", "happened_at": WHEN, "link": "", "tries": 1}

ROWS: dict[str, list[dict[str, Any]]] = {
    "sources": [
        {"id": 1, "name": "Paper", "domain": "paper.example", "homepage": "https://paper.example/", "created_at": WHEN},
        {"id": 2, "name": "Ärger", "domain": "aerger.example", "homepage": None, "created_at": WHEN},
    ],
    "collections": [
        {"id": number, "name": name, "created_at": WHEN}
        for number, name in enumerate(("World / Europe", "a;b", "Zoo", "élan", "b/c\\d"), 1)
    ],
    "collection_sources": [{"collection_id": number, "source_id": 1} for number in range(1, 6)],
    "feeds": [
        _FEED | {"id": 1, "sources_id": 1, "url": "https://anna:p%40ss@paper.example:8443/rss?a=1", "name": "News"},
        _FEED | {"id": 2, "sources_id": 2, "url": "http://[2001:db8::1]/@all", "name": None},
        _FEED | {"id": 3, "sources_id": 2, "url": "https://only@aerger.example:443/x", "system_enabled": False},
        _FEED | {"id": 4, "sources_id": None, "url": "https://@bare.example/", "http_etag": '"1"'},
        _FEED | {"id": 5, "sources_id": 9, "url": "http://[broken@x/", "next_fetch_attempt": WHEN},
    ],
    "stories": [
        _STORY | {"id": 1, "feed_id": 1, "sources_id": 1, "url": "u1", "normalized_url": "n1", "guid": "tag:1"},
        _STORY | {"id": 2, "feed_id": 1, "sources_id": 7, "url": "u2", "normalized_url": "n2", "guid": LONG_GUID},
        _STORY | {"id": 3, "feed_id": 8, "sources_id": 12, "url": "u3", "normalized_url": "n3", "queued_at": WHEN},
        _STORY | {"id": 4, "feed_id": 2, "url": "u4", "normalized_url": "n4", "guid": "ü" * 255, "title": "Über"},
    ],
    "fetch_events": [{"id": 1, "feed_id": 1, "event": "fetched", "note": "2 new", "created_at": WHEN, "counts": "{}"}],
    "archive_files": [
        _FILE | {"id": 1, "name": "one.warc.gz", "key": "2026/one.warc.gz", "path": "archive/one.warc.gz"},
        _FILE | {"id": 2, "name": "two.warc.gz", "key": "2026/two.warc.gz", "path": None, "local": False},
    ],
    "archive_uploads": [
        {"file_id": 2, "store": "copies", "done": True, "attempts": 1, "next_at": WHEN, "proved_at": WHEN, "error": ""}
    ],
    "stale_copies": [{"file_id": 1, "store": "copies"}],
    "captures": [
        _CAPTURE | {"story_id": "s1", "index_id": "i1", "url": "https://paper.example/1", "offset": 0},
        _CAPTURE | {"story_id": "s2", "index_id": "i2", "url": "https://paper.example/ü", "offset": 2**40},
    ],
    "erasures": [{"id": 1, "reason": "asked for", "started_at": WHEN, "finished_at": WHEN}],
    "erased_addresses": [{"url_key": "k3", "erasure_id": 1, "url": None}, {"url_key": "k4", "erasure_id": 1, "url": "u"}],
    "tombstones": [
        {"file": "one.warc.gz", "story_id": "s3", "erasure_id": 1, "url_key": "k3", "sha256": "e" * 64, "captured_at": WHEN}
    ],
    "outcomes": [
        _OUTCOME | {"story_id": "s1", "stage": "parser", "status": "done", "url": "https://paper.example/1"},
        _OUTCOME | {"story_id": "s3", "stage": "archiver", "status": "erased", "url": "", "source_id": 1, "feed_id": 1},
    ],
    "outcome_totals": [{"stage": "parser", "status": "done", "reason": "", "stories": 2**33, "recorded": 2**33}],
}  # fmt: skip


def fill_as_before(database: Database) -> None:
    """Give an empty database the schema 0016, and rows."""
    migrate_to(database, OLD)
    tables = sa.MetaData()
    with database.begin() as connection:
        tables.reflect(connection)
        for name, rows in ROWS.items():
            for row in rows:
                connection.execute(tables.tables[name].insert(), row)


def contents(database: Database) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table, whatever the schema, in an order that no engine decides."""
    tables = sa.MetaData()
    with database.read() as connection:
        tables.reflect(connection)
        return {
            name: sorted((_plain(row) for row in connection.execute(sa.select(table)).mappings()), key=repr)
            for name, table in tables.tables.items()
        }


def _plain(row: Mapping[Any, Any]) -> dict[str, Any]:
    """A row with times as UTC: SQLite has no type that would say so."""
    return {
        str(name): value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value
        for name, value in row.items()
    }
