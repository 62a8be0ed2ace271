"""The SQL of what polls found out about feeds: their columns, the names of their sources, one event each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, func, select, update

from tearsheet.chunks import chunks
from tearsheet.feeds.tables import feeds, fetch_events, sources

RESULT_COLUMNS = (
    "url", "host", "last_fetch_attempt", "last_fetch_success", "last_fetch_hash", "last_fetch_failures", "http_etag",
    "http_last_modified", "next_fetch_attempt", "system_enabled", "update_minutes", "http_304", "system_status",
    "last_new_stories", "rss_title", "poll_minutes", "due_at", "next_fetch_reason", "entries_hash", "last_full_fetch",
    "http_lies", "redirect_url", "redirect_seen", "gone_seen", "former_url", "skip_times", "rhythm", "sitemaps",
    "redirect_since", "moved_at", "former_checked",
)  # fmt: skip
"""What a poll may change. An administrator changes the other columns, and the address, which ends the lease."""


def update_feeds(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the results of polls: every column of each result, by feed id, and the end of the lease."""
    values: dict[str, Any] = {name: bindparam(f"b_{name}") for name in RESULT_COLUMNS}
    statement = update(feeds).where(feeds.c.id == bindparam("b_id")).values(**values, lease=None, queued=False)
    if rows:
        connection.execute(statement, [{f"b_{name}": row[name] for name in ("id", *RESULT_COLUMNS)} for row in rows])


def polled_at(connection: Connection, urls: Iterable[str]) -> dict[str, int]:
    """Of these addresses, those that a feed is polled at, and the first such feed."""
    found: dict[str, int] = {}
    for some in chunks(sorted(urls)):
        query = (
            select(feeds.c.url, feeds.c.id)
            .where(feeds.c.active, feeds.c.system_enabled, feeds.c.url.in_(some))
            .order_by(feeds.c.id)
        )
        for row in connection.execute(query):
            found.setdefault(row.url, row.id)
    return found


def name_sources(connection: Connection, titles: Iterable[tuple[int, str]]) -> None:
    """Call sources by the titles of their feeds, the shortest of each, unless somebody has given them another name."""
    if rows := [{"b_source": source, "b_title": title, "b_length": len(title)} for source, title in titles]:
        connection.execute(_NAME_SOURCE, rows)


_NAME_SOURCE = (
    update(sources)
    .where(
        sources.c.id == bindparam("b_source"),
        (sources.c.name == sources.c.domain)
        | (
            sources.c.name.in_(select(feeds.c.rss_title).where(feeds.c.sources_id == bindparam("b_source")))
            & (func.length(sources.c.name) > bindparam("b_length"))
        ),
    )
    .values(name=bindparam("b_title"))
)
"""Made once, since making it takes longer than running it."""


def add_events(connection: Connection, rows: list[dict[str, Any]]) -> None:
    """Add fetch events."""
    if rows:
        connection.execute(fetch_events.insert(), rows)
