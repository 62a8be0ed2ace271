"""The SQL of the stories seen in feeds: which are new, which are queued, which are no longer kept. All engines run the same SQL."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Select, Table, delete, func, select, text, update

from tearsheet.archive import Erasure, erased_among, is_anything_erased, keep_away
from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.feeds.polling.details import BEGINNING, ShownDetails, read_details, shown_details
from tearsheet.feeds.polling.identity import Sighting, marks_of
from tearsheet.feeds.tables import feeds, fetch_events, stories
from tearsheet.urls import BadURL, normalize_url

_DAY_PAGE = 5_000
_DROP_BATCH = 5_000
_MOST_SIGHTINGS = 50_000
"""A feed that uses one guid for everything has as many stories under it as it likes."""


class SeenStories:
    """The stories seen so far, within the transaction that records polls."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database = database
        self._connection = connection

    def known_urls(self, normalized: Iterable[str]) -> dict[str, tuple[int, datetime]]:
        """The stories with these normalised addresses: id and when they were last seen, by address."""
        found: dict[str, tuple[int, datetime]] = {}
        for some in chunks(normalized):
            query = select(stories.c.normalized_url, stories.c.id, stories.c.seen_at).where(
                stories.c.normalized_url.in_(some)
            )
            found.update({row.normalized_url: (row.id, row.seen_at) for row in self._connection.execute(query)})
        return found

    def titles(
        self, hashes: Iterable[str], first: datetime, last: datetime
    ) -> Iterator[tuple[str, int | None, int | None, datetime]]:
        """Title hash, source, feed and time of stories that were published (or, undated, fetched) from `first` to `last`."""
        time = func.coalesce(stories.c.published_at, stories.c.fetched_at, type_=stories.c.fetched_at.type)
        columns = (stories.c.normalized_title_hash, stories.c.sources_id, stories.c.feed_id, time)
        for some in chunks(hashes):
            query = select(*columns).where(stories.c.normalized_title_hash.in_(some), time >= first, time <= last)
            for row in self._connection.execute(query):
                yield row[0], row[1], row[2], row[3]

    def by_guid(self, keys: Iterable[str], feeds_of: Iterable[int]) -> defaultdict[int, list[Sighting]]:
        """The stories of these feeds with these guids, oldest first, by feed."""
        found: defaultdict[int, list[Sighting]] = defaultdict(list)
        s = stories.c
        beginning = func.substr(s.details, 1, BEGINNING)
        feeds_wanted = sorted(feeds_of)
        for some in chunks(sorted(keys)):
            for few in chunks(feeds_wanted):
                query = (
                    select(s.feed_id, s.guid_key, s.normalized_url, s.normalized_title, s.published_at, s.id, beginning)
                    .where(s.guid_key.in_(some), s.feed_id.in_(few))
                    .order_by(s.id)
                    .limit(_MOST_SIGHTINGS)
                )
                for feed_id, *sighting in self._connection.execute(query):
                    found[feed_id].append(Sighting(*sighting))
        return found

    def is_anything_erased(self) -> bool:
        """Whether there is any story that must not come back."""
        return is_anything_erased(self._connection)

    def erased(self, keys: Iterable[str]) -> set[str]:
        """Those of these keys by which erased stories are known."""
        return erased_among(self._connection, keys)

    def add(self, rows: list[dict[str, Any]]) -> set[str]:
        """Add stories; returns the normalised addresses of those that were new, in a race perhaps fewer."""
        if not rows:
            return set()
        insert = self._database.insert(stories).on_conflict_do_nothing().returning(stories.c.normalized_url)
        return set(self._connection.execute(insert, rows).scalars())

    def touch(self, ids: Iterable[int], now: datetime) -> None:
        """Record that these stories are still in a feed."""
        for some in chunks(sorted(ids)):
            self._connection.execute(update(stories).where(stories.c.id.in_(some)).values(seen_at=now))


@dataclass(slots=True, frozen=True)
class UnqueuedStory:
    """A story on its way to the fetch queue."""

    id: int
    url: str
    title: str | None
    domain: str | None
    published_at: datetime | None
    fetched_at: datetime
    feed_id: int | None
    sources_id: int | None
    feed_url: str | None


def unqueued_stories(database: Database, limit: int) -> list[UnqueuedStory]:
    """Stories that were found and not yet put on the fetch queue, oldest first."""
    s = stories.c
    query = (
        select(
            s.id,
            s.url,
            s.title,
            s.domain,
            s.published_at,
            s.fetched_at,
            s.feed_id,
            s.sources_id,
            feeds.c.url.label("feed_url"),
        )
        .select_from(stories.outerjoin(feeds, feeds.c.id == s.feed_id))
        .where(text("stories.queued_at IS NULL"))
        .order_by(s.id)
        .limit(limit)
    )
    with database.read() as connection:
        return [UnqueuedStory(*row) for row in connection.execute(query)]


def mark_queued(database: Database, ids: Iterable[int], when: datetime) -> None:
    """Record that the broker has these stories safely, so that they are never queued again."""
    with database.begin() as connection:
        for some in chunks(ids):
            connection.execute(update(stories).where(stories.c.id.in_(some)).values(queued_at=when))


def count_entries(database: Database) -> int:
    """How many stories that were found in feeds are kept."""
    with database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(stories)).scalar_one())


def stories_of_day(database: Database, day: date) -> Iterator[Any]:
    """The stories that were found on a day (UTC), in order of id, each with its feed's address."""
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    s = stories.c
    query = (
        select(s.id, s.url, s.published_at, s.domain, s.title, s.feed_id, s.sources_id, feeds.c.url.label("feed_url"))
        .select_from(stories.outerjoin(feeds, feeds.c.id == s.feed_id))
        .where(s.fetched_at >= start, s.fetched_at < start + timedelta(days=1))
        .order_by(s.id)
        .limit(_DAY_PAGE)
    )
    last = 0
    while True:
        with database.read() as connection:
            page = connection.execute(query.where(s.id > last)).all()
        yield from page
        if len(page) < _DAY_PAGE:
            return
        last = page[-1].id


# ------------------------------------------------------------------------------------------------------ letting go


def drop_events(database: Database, kept: int, *, dry_run: bool) -> int:
    """Delete all but the newest events of each feed; returns how many, or with `dry_run` how many it would be."""
    ranked = select(
        fetch_events.c.id,
        func.row_number().over(partition_by=fetch_events.c.feed_id, order_by=fetch_events.c.id.desc()).label("rank"),
    ).subquery()
    return _drop(database, fetch_events, select(ranked.c.id).where(ranked.c.rank > kept), dry_run)


def drop_stories(database: Database, unseen_since: datetime, *, dry_run: bool) -> int:
    """Delete queued stories that no feed has listed since then; returns how many, or with `dry_run` how many it would be."""
    gone = (stories.c.seen_at < unseen_since) & stories.c.queued_at.is_not(None)
    return _drop(database, stories, select(stories.c.id).where(gone), dry_run)


def _drop(database: Database, table: Table, ids: Select[Any], dry_run: bool) -> int:
    if dry_run:
        with database.read() as connection:
            return int(connection.execute(select(func.count()).select_from(ids.subquery())).scalar_one())
    total = 0
    while True:
        with database.begin() as connection:
            some = list(connection.execute(ids.limit(_DROP_BATCH)).scalars())
            for part in chunks(some):
                connection.execute(delete(table).where(table.c.id.in_(part)))
        total += len(some)
        if len(some) < _DROP_BATCH:
            return total


def entry_ids(database: Database, urls: Iterable[str]) -> list[int]:
    """The numbers of the entries with these addresses."""
    found: list[int] = []
    with database.read() as connection:
        for some in chunks(sorted(_normalized(urls))):
            found += connection.execute(select(stories.c.id).where(stories.c.normalized_url.in_(some))).scalars()
    return found


def entry_details(database: Database, urls: Iterable[str]) -> ShownDetails | None:
    """What the first entry with one of these few addresses says beside title, link and date; None if it says nothing."""
    entries = select(stories.c.details).where(stories.c.normalized_url.in_(_normalized(urls))).order_by(stories.c.id)
    with database.read() as connection:
        return shown_details(read_details(connection.execute(entries.limit(1)).scalar()))


def addresses_from_domain(database: Database, domain: str) -> list[str]:
    """The addresses of all entries of a source."""
    with database.read() as connection:
        return list(connection.execute(select(stories.c.url).where(stories.c.domain == domain)).scalars())


def erase_entries(database: Database, urls: Iterable[str], erasure: Erasure | None) -> int:
    """Delete the entries with these addresses, queued or not; returns how many there are. Without an erasure, only count.

    Where their feeds give them new links, they stay away as well.
    """
    ids = entry_ids(database, urls)
    if erasure is not None:
        with database.begin() as connection:
            for some in chunks(ids):
                keep_away(database, connection, erasure, _marks(connection, some))
                connection.execute(delete(stories).where(stories.c.id.in_(some)))
    return len(ids)


def _marks(connection: Connection, ids: Sequence[int]) -> set[str]:
    s = stories.c
    query = select(s.feed_id, s.guid_key, s.normalized_url, s.normalized_title, s.published_at).where(
        s.id.in_(ids), s.feed_id.is_not(None), s.guid_key.is_not(None)
    )
    return {key for feed, *sighting in connection.execute(query) for key in marks_of(feed, Sighting(*sighting))}


def _normalized(urls: Iterable[str]) -> set[str]:
    found = set()
    for url in urls:
        with suppress(BadURL):
            found.add(normalize_url(url))
    return found
