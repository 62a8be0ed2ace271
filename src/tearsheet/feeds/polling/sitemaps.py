"""Which sitemaps of an index are read in one poll, so that all are read over several. Pure functions of plain values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tearsheet.feeds.formats import Entry

MAX_CHILDREN = 2_000
"""Sitemaps of one index that are told apart; of more, the newest."""
CHILDREN_AT_ONCE = 5
"""Sitemaps read in one poll."""
AGAIN_AFTER = timedelta(days=7)
"""A sitemap that says that it has not changed is read again after this, because some always say so."""
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True, frozen=True)
class Child:
    """A sitemap that an index names, and when it last changed according to that."""

    url: str
    changed: datetime | None = None


@dataclass(slots=True, frozen=True)
class Read:
    """When a sitemap was last asked for, and when it had changed then."""

    at: datetime
    changed: datetime | None


def children_of(entries: Sequence[Entry]) -> list[Child]:
    """The sitemaps that an index names, each once, as many as are told apart, the newest first."""
    named = {entry.link: entry.updated for entry in entries if entry.link}
    found = [Child(url, changed) for url, changed in named.items()]
    return sorted(found, key=lambda child: child.changed or _LONG_AGO, reverse=True)[:MAX_CHILDREN]


def due_children(children: Sequence[Child], read: Mapping[str, Read], now: datetime) -> list[str]:
    """The sitemaps that may have something new, in the order in which to read them.

    Those that name news come first, the one that was not read for longest before the others. Then those that were never
    read or have changed since, the newest first. Last those that do not say when they change, by turns.
    """

    def rank(child: Child) -> tuple[int, float, float]:
        before = read.get(key_of(child.url))
        asked = (before.at if before else _LONG_AGO).timestamp()
        newest = -(child.changed or _LONG_AGO).timestamp()
        if names_news(child.url):
            return 0, asked, newest
        return (1, newest, asked) if before is None or child.changed else (2, asked, newest)

    return [child.url for child in sorted(children, key=rank) if _may_have_news(child, read, now)]


def _may_have_news(child: Child, read: Mapping[str, Read], now: datetime) -> bool:
    before = read.get(key_of(child.url))
    if before is None or child.changed is None or before.changed is None:
        return True
    return child.changed > before.changed or now - before.at >= AGAIN_AFTER


def names_news(url: str) -> bool:
    """Whether the path of an address mentions news; the host often does, which means nothing."""
    return "news" in url.lower().partition("://")[2].partition("/")[2]


def key_of(url: str) -> str:
    """A short name of a sitemap, under which it is remembered."""
    return hashlib.md5(url.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:12]


def read_text(children: Sequence[Child], read: Mapping[str, Read]) -> str:
    """What was read, for the database: only of sitemaps that the index still names."""
    named = {key_of(child.url) for child in children}
    rows = {
        key: [int(one.at.timestamp()), int(one.changed.timestamp()) if one.changed else None]
        for key, one in read.items()
        if key in named
    }
    return json.dumps(rows, separators=(",", ":"))


def what_was_read(text: str | None) -> dict[str, Read]:
    """The reverse of `read_text`; nothing for anything else."""
    try:
        rows = json.loads(text or "{}")
        return {
            key: Read(_moment(at), _moment(changed) if changed is not None else None)
            for key, (at, changed) in rows.items()
        }
    except (ValueError, TypeError, AttributeError, OverflowError):
        return {}


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
