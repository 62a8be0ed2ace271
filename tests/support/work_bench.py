"""A broker and a ledger of their own, and stories to send through them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from tearsheet.engines.broker.port import Output
from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.database import open_database
from tearsheet.story import RawHTML, RSSEntry, Story, WireStory, decode_story, make_story_id
from tearsheet.work.journey import RetryRule
from tearsheet.work.ledger import Ledger
from tearsheet.work.packing import new_message
from tearsheet.work.pool import CpuPool
from tearsheet.work.supervisor import Supervisor
from tearsheet.work.water_marks import WaterMarks
from tearsheet.work.workers import CpuWorker, Worker, WorkerConfig

OBEDIENT = "tests.support.stages:Obedient"


def story(title: str, number: int = 0) -> Story:
    entry = RSSEntry(link=f"http://a.example/{title.replace(' ', '-')}/{number}", title=title, source_feed_id=7)
    return Story(id=make_story_id(title, number), rss_entry=entry, raw_html=RawHTML(b"<p>page</p>" * 20))


class Bench:
    """A broker, a ledger and helpers around them."""

    def __init__(self, folder: Path) -> None:
        database = open_database("t.db", folder)
        database.migrate()
        self.database = database
        self.ledger = Ledger(database)
        self._queues = folder / "q.db"
        self.reopen_broker()

    def reopen_broker(self) -> None:
        """Open the queues, as the next process does."""
        self.broker = SqliteBroker(self._queues)

    def config(self, stage: str, *outputs: str, prefetch: int = 4, retries: int = 2) -> WorkerConfig:
        return WorkerConfig(stage, outputs, RetryRule(retries, 0.01, 0.02), WaterMarks(50, 100), prefetch)

    def cpu(self, seconds: float = 20.0, size: int = 2) -> CpuWorker:
        pool = CpuPool(OBEDIENT, "parser", size, seconds)
        return CpuWorker(pool, self.config("parser", "next"), self.broker, self.ledger)

    async def put(self, queue: str, stories: Sequence[Story]) -> None:
        await self.broker.publish([Output(queue, new_message(one)) for one in stories])

    async def drain(self, *workers: Worker) -> None:
        await Supervisor(workers, self.broker).run(once=True)

    async def arrived(self, queue: str) -> list[Story]:
        messages = [lease.message for lease in await self.broker.lease(queue, 10_000)]
        return [decode_story(WireStory(message.body, message.page)) for message in messages]

    def outcomes(self) -> set[tuple[str, str, str, int]]:
        return {(count.stage, count.status, count.reason, count.stories) for count in self.ledger.counts()}


def run_on_bench(folder: Path, scenario: Callable[[Bench], Awaitable[None]]) -> None:
    """Run a scenario on a bench in this folder."""

    async def main() -> None:
        bench = Bench(folder)
        try:
            await scenario(bench)
        finally:
            await bench.broker.close()
            bench.database.close()

    asyncio.run(main())
