"""Workers announce themselves in the database, so that anyone can see which are running, and how fast."""

from __future__ import annotations

import asyncio
import os
import socket
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import BigInteger, Column, Float, Integer, String, Table, delete, select

from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines import repeated
from tearsheet.engines.database import Database, UtcDateTime, metadata
from tearsheet.work.loop_watch import process_watch
from tearsheet.work.stage_times import add_times
from tearsheet.work.workers import Worker

workers = Table(
    "workers",
    metadata,
    Column("id", String(80), primary_key=True),
    Column("stage", String(40), nullable=False),
    Column("host", String(255), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started_at", UtcDateTime, nullable=False),
    Column("seen_at", UtcDateTime, nullable=False),
    Column("settled", BigInteger, nullable=False),
    Column("per_second", Float, nullable=False),
    Column("stalled_seconds", Float, nullable=False, server_default="0"),
)
BEAT_SECONDS = 5.0
GONE_SECONDS = 30.0
"""A worker that has not been seen for this long is gone."""


@dataclass(slots=True, frozen=True)
class WorkerInfo:
    """One worker as it last announced itself."""

    id: str
    stage: str
    host: str
    pid: int
    started_at: datetime
    seen_at: datetime
    settled: int
    per_second: float
    stalled_seconds: float
    """How long its process was blocked or not let run: see `loop_watch`."""


class Announcer:
    """Announces this process's workers every few seconds, and withdraws them at the end."""

    def __init__(self, database: Database, announced: Sequence[Worker], clock: Clock = wall_clock) -> None:
        self._database = database
        self._workers = announced
        self._clock = clock
        self._started = utc_now(clock)
        self._ids = {worker.queue_name: f"{worker.queue_name}-{uuid.uuid4().hex[:12]}" for worker in announced}
        self._settled_before = dict.fromkeys(self._ids, 0)
        self._beat_before = clock()

    async def run(self, stop: asyncio.Event) -> None:
        """Announce until stopped."""
        if not self._workers:
            return
        try:
            while not stop.is_set():
                await asyncio.to_thread(repeated, self._beat)
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), BEAT_SECONDS)
        finally:
            await asyncio.to_thread(repeated, self._withdraw)

    def _beat(self) -> None:
        now = self._clock()
        elapsed = now - self._beat_before
        watch = process_watch()
        stalled = watch.blocked_seconds + watch.late_seconds
        rows = [self._row(worker, elapsed, stalled) for worker in self._workers]
        self._beat_before = now
        self._settled_before = {worker.queue_name: worker.settled for worker in self._workers}
        insert = self._database.insert(workers)
        changed = {name: insert.excluded[name] for name in ("seen_at", "settled", "per_second", "stalled_seconds")}
        with self._database.begin() as db:
            db.execute(insert.on_conflict_do_update(index_elements=["id"], set_=changed), rows)
            db.execute(delete(workers).where(workers.c.seen_at < utc_now(self._clock) - timedelta(days=1)))
        self._add_times()

    def _add_times(self) -> None:
        for worker in self._workers:
            add_times(self._database, worker.name, worker.times.take())

    def _row(self, worker: Worker, elapsed: float, stalled: float) -> dict[str, object]:
        newly_settled = worker.settled - self._settled_before[worker.queue_name]
        return {
            "id": self._ids[worker.queue_name],
            "stage": worker.queue_name,
            "host": socket.gethostname()[:255],
            "pid": os.getpid(),
            "started_at": self._started,
            "seen_at": utc_now(self._clock),
            "settled": worker.settled,
            "per_second": newly_settled / elapsed if elapsed > 0 else 0.0,
            "stalled_seconds": stalled,
        }

    def _withdraw(self) -> None:
        self._add_times()
        with self._database.begin() as db:
            db.execute(delete(workers).where(workers.c.id.in_(self._ids.values())))


def living_workers(database: Database, clock: Clock = wall_clock) -> list[WorkerInfo]:
    """Every worker that announced itself recently, by stage."""
    since = utc_now(clock) - timedelta(seconds=GONE_SECONDS)
    statement = select(workers).where(workers.c.seen_at >= since).order_by(workers.c.stage, workers.c.id)
    with database.read() as db:
        return [WorkerInfo(**row) for row in db.execute(statement).mappings()]
