"""The archiver behind its worker on real queues: messages wait while a file is open, and nothing is written twice or lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tearsheet.archive import StoryArchiveReader
from tearsheet.archive.store import ArchiveStore
from tearsheet.engines.broker.port import Broker, Depth, Output
from tearsheet.engines.broker.rabbitmq import open_rabbitmq_broker
from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.database import open_database
from tearsheet.pipeline.archiver import Archiver
from tearsheet.work.journey import RetryRule
from tearsheet.work.keeping import KeepingWorker
from tearsheet.work.ledger import Ledger
from tearsheet.work.packing import new_message
from tearsheet.work.water_marks import WaterMarks
from tearsheet.work.workers import WorkerConfig
from tests.support.archive_stories import plain_story
from tests.support.brokers import fresh_vhost
from tests.support.cut_off_relay import Relay

QUEUE = "archiver-in"


class Scene:
    """A folder with an archive, and an archiver that works on a queue."""

    def __init__(self, folder, broker: Broker) -> None:
        self.folder, self.broker = folder / "archive", broker
        self.database = open_database("t.db", folder)
        self.database.migrate()
        self.store = ArchiveStore(self.database)
        self.now = 1_700_000_000.0
        archiver = Archiver(self.store, self.folder, max_seconds=900, clock=lambda: self.now)
        config = WorkerConfig("archiver", (), RetryRule(2, 0.01, 0.02), WaterMarks(50, 100))
        self.worker = KeepingWorker(archiver, config, broker, Ledger(self.database), batch=4, seconds=0.05)
        self.stop = asyncio.Event()

    async def send(self, numbers: range) -> None:
        await self.broker.publish([Output(QUEUE, new_message(plain_story(number))) for number in numbers])

    def kept(self) -> int:
        """Messages that wait for their file, those that were delivered again included."""
        return sum(map(len, list(self.worker._kept.values())))  # a copy: the worker adds to it in a thread

    def written(self) -> list[str]:
        found = []
        for path in self.folder.rglob("*.warc.gz"):
            with StoryArchiveReader(path) as reader:
                found += [story.id for story in reader]
        return sorted(found)


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


def ids(numbers: range) -> list[str]:
    return sorted(plain_story(number).id for number in numbers)


def test_a_running_archiver_closes_its_file_by_age_although_no_story_comes(tmp_path):
    async def main() -> None:
        broker = SqliteBroker(tmp_path / "q.db")
        scene = Scene(tmp_path, broker)
        running = asyncio.create_task(scene.worker.run(scene.stop))
        await scene.send(range(6))
        await until(lambda: scene.kept() == 6)
        assert (await broker.depths())[QUEUE] == Depth(leased=6)
        assert scene.written() == []
        scene.now += 900
        await until(lambda: scene.worker.settled == 6)
        assert scene.written() == ids(range(6))
        await scene.send(range(6, 8))
        await until(lambda: scene.kept() == 2)
        scene.stop.set()
        await running
        assert (await broker.depths())[QUEUE] == Depth()
        await broker.close()
        assert scene.written() == ids(range(8)), "the stop finished the open file"
        assert scene.store.totals().files == 2
        scene.database.close()

    asyncio.run(main())


@pytest.mark.engine("rabbitmq")
def test_stories_that_come_again_while_their_file_is_open_are_written_once(tmp_path, request):
    relay = Relay(fresh_vhost(request))

    async def main() -> None:
        broker = open_rabbitmq_broker(relay.url, patience=30)
        scene = Scene(tmp_path, broker)
        await scene.send(range(6))
        running = asyncio.create_task(scene.worker.run(scene.stop))
        await until(lambda: scene.kept() == 6)
        await asyncio.to_thread(relay.cut_for, 0.2)
        await until(lambda: scene.kept() == 12)
        scene.stop.set()
        await running
        assert scene.written() == ids(range(6))
        assert await broker.lease(QUEUE, 10) == []
        await broker.close()
        scene.database.close()

    try:
        asyncio.run(main())
    finally:
        relay.close()
