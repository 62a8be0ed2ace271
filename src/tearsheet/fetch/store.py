"""What is known of hosts, kept in the database: manners survive a restart. Times are seconds since 1970."""

from __future__ import annotations

from dataclasses import asdict, fields

import zstandard
from sqlalchemy import Column, Float, Integer, LargeBinary, String, Table, delete, select

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
)
robots = Table(
    "robots",
    metadata,
    Column("origin", String(300), primary_key=True),
    Column("text", LargeBinary, nullable=False),
    Column("fetched_at", Float, nullable=False, index=True),
)
_STATE_COLUMNS = [field.name for field in fields(HostState)]


class HostStore:
    """States of hosts and their robots.txt files. For `Manners` and `Robots`; its calls are made in threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self) -> dict[str, HostState]:
        """Every state that is kept."""
        columns = [hosts.c[name] for name in _STATE_COLUMNS]
        with self._database.read() as connection:
            rows = connection.execute(select(hosts.c.host, *columns)).all()
        return {host: HostState(*values) for host, *values in rows}

    def save(self, states: dict[str, HostState]) -> None:
        """Keep these states, in place of older ones."""
        if not states:
            return
        insert = self._database.insert(hosts)
        newer = {name: insert.excluded[name] for name in _STATE_COLUMNS}
        with self._database.begin() as connection:
            connection.execute(
                insert.on_conflict_do_update(index_elements=["host"], set_=newer),
                [{"host": host, **asdict(state)} for host, state in states.items()],
            )

    def forget(self, before: float) -> None:
        """Drop the states of hosts that nobody asked since then and that owe us no pause, and robots files too old to use."""
        at_rest = [hosts.c[name] < before for name in ("updated", "blocked_until", "failed_until")]
        with self._database.begin() as connection:
            connection.execute(delete(hosts).where(*at_rest))
            connection.execute(delete(robots).where(robots.c.fetched_at < before - STALE_SECONDS))

    def load_robots(self, origin: str) -> RobotsText | None:
        """The robots.txt that is kept for `scheme://host:port`."""
        with self._database.read() as connection:
            row = connection.execute(
                select(robots.c.text, robots.c.fetched_at).where(robots.c.origin == origin)
            ).first()
        if row is None:
            return None
        text = zstandard.decompress(row.text, max_output_size=4 * MAX_BYTES).decode("utf-8", "replace")
        return RobotsText(text, row.fetched_at)

    def save_robots(self, origin: str, text: RobotsText) -> None:
        """Keep a robots.txt."""
        values = {"text": zstandard.compress(text.text.encode("utf-8", "replace")), "fetched_at": text.fetched_at}
        insert = self._database.insert(robots).values(origin=origin, **values)
        with self._database.begin() as connection:
            connection.execute(insert.on_conflict_do_update(index_elements=["origin"], set_=values))
