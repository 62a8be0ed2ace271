"""What is known of hosts, in the database: shared by all processes, and kept across restarts. Times are seconds since 1970."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields
from functools import partial

import zstandard
from sqlalchemy import Column, Connection, Float, Integer, LargeBinary, String, Table, delete, select

from tearsheet.chunks import chunks
from tearsheet.engines import repeated
from tearsheet.engines.database import Database, metadata
from tearsheet.fetch.manners import HostState
from tearsheet.fetch.robots import MAX_BYTES, STALE_SECONDS, RobotsText

hosts = Table(
    "hosts",
    metadata,
    Column("host", String(255), primary_key=True),
    Column("average", Float, nullable=False),
    Column("next_start", Float, nullable=False),
    Column("blocked_until", Float, nullable=False),
    Column("throttle", Float, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("failed_until", Float, nullable=False),
    Column("crawl_delay", Float, nullable=False),
    Column("updated", Float, nullable=False, index=True),
    Column("started", Float, nullable=False, server_default="0"),
)
robots = Table(
    "robots",
    metadata,
    Column("origin", String(300), primary_key=True),
    Column("text", LargeBinary, nullable=False),
    Column("fetched_at", Float, nullable=False, index=True),
)
_STATE_COLUMNS = [field.name for field in fields(HostState)]
_SELECT = select(hosts.c.host, *(hosts.c[name] for name in _STATE_COLUMNS))
_MOST_REMEMBERED = 100_000


def _row(host: str, state: HostState) -> dict[str, object]:
    return {"host": host, **{name: getattr(state, name) for name in _STATE_COLUMNS}}


Change = Callable[[dict[str, HostState]], None]


class HostStore:
    """States of hosts and their robots.txt files. Its methods are called in threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._there: set[str] = set()
        """Hosts that are known to have a row."""

    def change(self, names: Collection[str], change: Change) -> None:
        """Read the states of these hosts, let `change` replace some in the dictionary it is given, and write those.

        No one else can change the rows in between: two processes that ask for turns of one host get them one after the other.
        `change` may be called more than once: a transaction that is broken off begins anew.
        """
        repeated(partial(self._change, names, change))

    def _change(self, names: Collection[str], change: Change) -> None:
        self._add_missing(names)
        with self._database.begin() as connection:
            before = self._locked(connection, sorted(names))
            after = dict(before)
            change(after)
            changed = {host: state for host, state in after.items() if state is not before.get(host)}
            if changed:
                self._write(connection, changed)

    def load(self) -> dict[str, HostState]:
        """Every stored state."""
        with self._database.read() as connection:
            return {host: HostState(*values) for host, *values in connection.execute(_SELECT)}

    def _add_missing(self, names: Collection[str]) -> None:
        """Give new hosts a row, in a separate transaction: only an existing row can be locked."""
        new = sorted(set(names) - self._there)
        if not new:
            return
        with self._database.begin() as connection:
            connection.execute(
                self._database.insert(hosts).on_conflict_do_nothing(), [_row(host, HostState()) for host in new]
            )
        if len(self._there) > _MOST_REMEMBERED:
            self._there.clear()
        self._there.update(new)

    @staticmethod
    def _locked(connection: Connection, names: Sequence[str]) -> dict[str, HostState]:
        states = {host: HostState() for host in names}
        for some in chunks(names):
            # In a fixed order, so that two processes never deadlock.
            query = _SELECT.where(hosts.c.host.in_(some)).order_by(hosts.c.host).with_for_update()
            states |= {host: HostState(*values) for host, *values in connection.execute(query)}
        return states

    def _write(self, connection: Connection, states: Mapping[str, HostState]) -> None:
        insert = self._database.insert(hosts)
        newer = {name: insert.excluded[name] for name in _STATE_COLUMNS}
        rows = [_row(host, state) for host, state in sorted(states.items())]
        connection.execute(insert.on_conflict_do_update(index_elements=["host"], set_=newer), rows)

    def forget(self, before: float) -> None:
        """Delete the states of hosts that had no request since then and need no pause, and robots.txt files too old to use."""
        at_rest = [hosts.c[name] < before for name in ("updated", "blocked_until", "failed_until")]
        with self._database.begin() as connection:
            connection.execute(delete(hosts).where(*at_rest))
            connection.execute(delete(robots).where(robots.c.fetched_at < before - STALE_SECONDS))

    def load_robots(self, origin: str) -> RobotsText | None:
        """The stored robots.txt for `scheme://host:port`."""
        return repeated(partial(self._load_robots, origin))

    def _load_robots(self, origin: str) -> RobotsText | None:
        with self._database.read() as connection:
            row = connection.execute(
                select(robots.c.text, robots.c.fetched_at).where(robots.c.origin == origin)
            ).first()
        if row is None:
            return None
        text = zstandard.decompress(row.text, max_output_size=4 * MAX_BYTES).decode("utf-8", "replace")
        return RobotsText(text, row.fetched_at)

    def save_robots(self, origin: str, text: RobotsText) -> None:
        """Store a robots.txt."""
        values = {"text": zstandard.compress(text.text.encode("utf-8", "replace")), "fetched_at": text.fetched_at}
        insert = self._database.insert(robots).values(origin=origin, **values)

        def write() -> None:
            with self._database.begin() as connection:
                connection.execute(insert.on_conflict_do_update(index_elements=["origin"], set_=values))

        repeated(write)
