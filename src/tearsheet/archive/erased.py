"""The addresses that were erased and must not come back.

An address is kept as its hash alone, once its erasure is finished: enough to recognise it when a feed, a file or a link brings it
again, and not enough to read it. Whoever takes stories in asks `Erased` first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Column, Connection, ForeignKey, Integer, String, Table, Text, select

from tearsheet.archive.addresses import index_id_of, story_keys
from tearsheet.chunks import chunks
from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines.database import Database, UtcDateTime, metadata
from tearsheet.story import Story

REASON = "erased"
"""The reason under which the ledger counts what is kept away."""
MAX_REASON = 500

erasures = Table(
    "erasures",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("reason", String(MAX_REASON), nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("finished_at", UtcDateTime),
)

erased_addresses = Table(
    "erased_addresses",
    metadata,
    Column("url_key", String(64), primary_key=True),
    Column("erasure_id", Integer, ForeignKey("erasures.id"), nullable=False, index=True),
    Column("url", Text),
)
"""`url_key` is the hash of the normalised address, or of what else a story is known by (see `keep_away`). `url` is needed until
everything is erased, and empty from then on."""


@dataclass(slots=True, frozen=True)
class Erasure:
    """One erasure. `addresses` are those still to be erased, by key; none when only cleaning up is left."""

    id: int
    reason: str
    started: datetime
    addresses: Mapping[str, str]

    def covers(self, story: Story) -> bool:
        """Whether an address of the story is one of these."""
        return any(key in self.addresses for key in story_keys(story))


def erased_among(connection: Connection, keys: Iterable[str]) -> set[str]:
    """Which of these keys are those of erased addresses."""
    found: set[str] = set()
    for chunk in chunks(sorted(set(keys))):
        query = select(erased_addresses.c.url_key).where(erased_addresses.c.url_key.in_(chunk))
        found.update(connection.execute(query).scalars())
    return found


def keep_away(database: Database, connection: Connection, erasure: Erasure, keys: Iterable[str]) -> None:
    """Put keys that are no address's on the list, by which erased stories are known as well."""
    _put(database, connection, erasure.id, dict.fromkeys(keys))


def _put(database: Database, connection: Connection, number: int, addresses: Mapping[str, str | None]) -> None:
    insert = database.insert(erased_addresses)
    again = {"erasure_id": insert.excluded.erasure_id, "url": insert.excluded.url}
    statement = insert.on_conflict_do_update(index_elements=["url_key"], set_=again)
    rows = [{"url_key": key, "erasure_id": number, "url": url} for key, url in addresses.items()]
    for chunk in chunks(rows):
        connection.execute(statement, chunk)


def is_anything_erased(connection: Connection) -> bool:
    """Whether there is any address on the list."""
    return connection.execute(select(erased_addresses.c.url_key).limit(1)).first() is not None


class Erased:
    """The list of what was erased, in a database."""

    def __init__(self, database: Database, clock: Clock = wall_clock) -> None:
        self._database = database
        self._clock = clock

    # ---------------------------------------------------------------------------------------------------------- asking

    def among(self, keys: Iterable[str]) -> set[str]:
        """Which of these keys are those of erased addresses."""
        with self._database.read() as connection:
            return erased_among(connection, keys)

    def of_stories(self, stories: Sequence[Story]) -> list[bool]:
        """For each story, whether one of its addresses was erased."""
        keys = [story_keys(story) for story in stories]
        erased = self.among(key for some in keys for key in some)
        return [not erased.isdisjoint(some) for some in keys]

    def covers(self, url: str) -> bool:
        """Whether an address was erased."""
        key = index_id_of(url)
        return bool(key) and bool(self.among([key]))

    # --------------------------------------------------------------------------------------------------------- erasing

    def start(self, reason: str, addresses: Mapping[str, str]) -> Erasure:
        """Put addresses on the list, by key. From here on, they are kept away, and the erasure is finished sooner or later."""
        now = utc_now(self._clock)
        with self._database.begin() as connection:
            new = connection.execute(erasures.insert().values(reason=reason[:MAX_REASON], started_at=now))
            assert new.inserted_primary_key is not None
            number = int(new.inserted_primary_key[0])
            _put(self._database, connection, number, addresses)
        return Erasure(number, reason[:MAX_REASON], now, dict(addresses))

    def extend(self, erasure: Erasure, addresses: Mapping[str, str]) -> Erasure:
        """Put more addresses of the same stories on the list."""
        with self._database.begin() as connection:
            _put(self._database, connection, erasure.id, addresses)
        return Erasure(erasure.id, erasure.reason, erasure.started, {**erasure.addresses, **addresses})

    def unfinished(self) -> list[Erasure]:
        """The erasures that were interrupted, or could not reach everything; oldest first."""
        columns = erased_addresses.c
        with self._database.read() as connection:
            rows = connection.execute(
                select(erasures).where(erasures.c.finished_at.is_(None)).order_by(erasures.c.id)
            ).all()
            return [
                Erasure(row.id, row.reason, row.started_at, dict(connection.execute(
                    select(columns.url_key, columns.url).where(columns.erasure_id == row.id, columns.url.is_not(None))
                ).all()))
                for row in rows
            ]  # fmt: skip

    def unfinished_with(self, keys: Iterable[str]) -> Erasure | None:
        """The first unfinished erasure that has one of these addresses on the list."""
        columns = erased_addresses.c
        of: set[int] = set()
        with self._database.read() as connection:
            for chunk in chunks(sorted(set(keys))):
                query = select(columns.erasure_id).where(columns.url_key.in_(chunk)).distinct()
                of.update(connection.execute(query).scalars())
        return next((erasure for erasure in self.unfinished() if erasure.id in of), None)

    def forget_addresses(self, erasure: Erasure) -> None:
        """Everything is erased: only the keys of the addresses stay."""
        statement = sa.update(erased_addresses).where(erased_addresses.c.erasure_id == erasure.id)
        with self._database.begin() as connection:
            connection.execute(statement.values(url=None))

    def finish(self, erasure: Erasure) -> None:
        """Nothing is left to be done."""
        statement = sa.update(erasures).where(erasures.c.id == erasure.id)
        with self._database.begin() as connection:
            connection.execute(statement.values(finished_at=utc_now(self._clock)))
