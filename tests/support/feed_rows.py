"""Rows of the feed tables, written and counted directly."""

from __future__ import annotations

from datetime import date, timedelta

from sqlalchemy import func, select

from tearsheet.feeds.tables import stories
from tests.support.feed_fakes import NOW

DAY = date(2026, 11, 14)


def story(number: int, **more):
    return {
        "feed_id": 1, "sources_id": 7, "url": f"http://a.example/{number}?x=1&y=2", "normalized_url": f"http://a.example/{number}",
        "fetched_at": NOW - timedelta(days=1), "seen_at": NOW, "queued_at": NOW, "domain": "a.example", "published_at": None,
        "title": f"Tom &amp; <Jerry> \x01 {number}", "normalized_title_hash": None,
    } | more  # fmt: skip


def add_stories(database, *rows) -> None:
    with database.begin() as connection:
        connection.execute(stories.insert(), list(rows))


def count(database, table) -> int:
    with database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())
