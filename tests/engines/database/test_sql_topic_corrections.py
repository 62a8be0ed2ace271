"""Topics of a version that said of sources in all topics that they are duplicates, and moved their stories."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from tests.support.databases import SqliteHarness, migrate_to

WHEN = datetime(2026, 3, 1, tzinfo=UTC)
_TOPIC: dict[str, Any] = {
    "query": "q", "domains": "[]", "max_iterations": 1, "max_stories": 1, "seconds_per_media_fetch": 0.0, "foci": "{}",
    "timespans": "[]", "state": "completed", "message": "", "run": "", "seeded": False, "created_at": WHEN,
}  # fmt: skip
_STORY: dict[str, Any] = {
    "title": "t", "title_method": "page", "date_method": "meta", "description": "", "language": "en", "text": b"",
}  # fmt: skip
ROWS: dict[str, list[dict[str, Any]]] = {
    "topics": [_TOPIC | {"id": 1, "name": "one"}, _TOPIC | {"id": 2, "name": "two"}],
    "media": [
        {"media_id": "m.paper.example", "name": "m", "dup_media_id": "daily.example"},
        {"media_id": "daily.example", "name": "d", "dup_media_id": "group.example"},
        {"media_id": "group.example", "name": "g", "dup_media_id": None},
    ],
    "web_stories": [
        _STORY | {"stories_id": "moved", "url": "http://old.example/1", "media_id": "group.example"},
        _STORY | {"stories_id": "came-so", "url": "http://www.m.paper.example/1", "media_id": "group.example"},
        _STORY | {"stories_id": "own", "url": "http://group.example/1", "media_id": "group.example"},
    ],
    "topic_merged_stories_map": [
        {"topics_id": 1, "source_stories_id": "moved", "target_stories_id": "moved",
         "reason": "moved from old.example to group.example"},
        {"topics_id": 1, "source_stories_id": "twin", "target_stories_id": "own", "reason": "same title: t"},
    ],
}  # fmt: skip


def test_what_was_said_of_sources_in_all_topics_is_decided_in_each(harness: SqliteHarness):
    database = harness.open()
    migrate_to(database, "0023")
    before = sa.MetaData()
    with database.begin() as connection:
        before.reflect(connection)
        for name, rows in ROWS.items():
            connection.execute(before.tables[name].insert(), rows)
    database.migrate()
    with database.read() as connection:

        def found(statement: str) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in connection.execute(sa.text(statement))]

        assert found("SELECT stories_id, media_id FROM web_stories ORDER BY stories_id") == [
            ("came-so", "m.paper.example"),
            ("moved", "old.example"),
            ("own", "group.example"),
        ], "each story has its own source again"
        decided = found("SELECT topics_id, kind, key, target FROM topic_decisions ORDER BY topics_id, key")
        assert decided == [
            (1, "merge", "daily.example", "group.example"),
            (1, "merge", "m.paper.example", "daily.example"),
            (1, "merge", "old.example", "group.example"),
            (2, "merge", "daily.example", "group.example"),
            (2, "merge", "m.paper.example", "daily.example"),
        ]
        assert found("SELECT source_stories_id, target_stories_id FROM topic_merged_stories_map") == [("twin", "own")]
    database.close()
