from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.pipeline.queuers.inputs import InputStores, expand
from tearsheet.pipeline.queuers.kinds import FILE_KINDS
from tearsheet.pipeline.queuers.queuer import Queuer
from tearsheet.pipeline.queuers.tracker import Tracker
from tearsheet.story import WireStory, decode_story
from tearsheet.work.water_marks import WaterMarks


def queued(folder: Path, path: Path, *, until: int | None = None) -> Counter[str]:
    """Queue the addresses of a file, all of them or until that many are queued: what came into the queue, which is left empty."""

    async def work() -> Counter[str]:
        tracker, broker, stop = Tracker(folder / "tracker.db"), SqliteBroker(folder / "queues.db"), asyncio.Event()
        kind = FILE_KINDS["csv"]
        stores = InputStores("blobs", lambda url, setting: pytest.fail("no blobs here"))
        find = lambda: expand([str(path)], stores, kind.suffixes)  # noqa: E731
        queuer = Queuer(kind, find, tracker, ["fetcher"], WaterMarks(1, until or 10_000), broker)
        running = asyncio.create_task(queuer.run(stop))
        while until and not queuer.tally.waiting:
            await asyncio.sleep(0.01)
        if until:
            stop.set()
        await running
        leases = await broker.lease("fetcher-in", 10_000)
        links = [decode_story(WireStory(lease.message.body)).rss_entry.link or "" for lease in leases]
        await broker.close()
        await SqliteBroker(folder / "queues.db").delete("fetcher-in")
        tracker.close()
        return Counter(links)

    return asyncio.run(work())


def addresses(path: Path, numbers: range, site: str = "a.example") -> set[str]:
    urls = [f"http://{site}/{number}" for number in numbers]
    path.write_text("\n".join(["url", *urls]))
    return set(urls)


def test_an_interrupted_queuer_goes_on_at_its_row(tmp_path):
    path = tmp_path / "list.csv"
    everything = addresses(path, range(1200))
    first, second = queued(tmp_path, path, until=300), queued(tmp_path, path, until=300)
    assert 300 <= first.total() < 900 and 300 <= second.total() < 900
    assert first + second + queued(tmp_path, path) == dict.fromkeys(everything, 1)
    assert queued(tmp_path, path) == {}, "it is finished"


def test_another_file_of_the_same_name_is_queued_from_its_start(tmp_path):
    path = tmp_path / "list.csv"
    addresses(path, range(1200))
    queued(tmp_path, path, until=300)
    others = addresses(path, range(1200), site="b.example")
    assert queued(tmp_path, path) == dict.fromkeys(others, 1)
