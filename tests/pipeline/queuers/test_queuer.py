from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from tearsheet.archive import StoryArchiveWriter
from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.database import open_database
from tearsheet.pipeline.queuers.inputs import InputStores, expand
from tearsheet.pipeline.queuers.kinds import FILE_KINDS
from tearsheet.pipeline.queuers.queuer import Queuer
from tearsheet.pipeline.queuers.tracker import Tracker
from tearsheet.story import WireStory, decode_story
from tearsheet.work import Ledger
from tearsheet.work.water_marks import WaterMarks
from tests.support.archive_stories import plain_story


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


DAY = "<rss><channel><item><link>{}</link></item></channel></rss>"


def warc(folder: Path, url: str) -> bytes:
    story = plain_story(1)
    story.http_metadata.final_url = story.content_metadata.url = url
    with StoryArchiveWriter(folder) as writer:
        writer.write(story)
        return writer.close().path.read_bytes()


@pytest.mark.parametrize("name", FILE_KINDS)
def test_no_queuer_queues_what_is_no_news(tmp_path, name):
    url = "https://mobile.twitter.com/someone/status/1"
    texts = {"csv": f"url\n{url}\n", "hist": f"downloads_id,url\n1,{url}\n", "batch": DAY.format(url)}
    path = tmp_path / "input"
    path.write_bytes(texts[name].encode() if name in texts else warc(tmp_path, url))
    stores = InputStores("blobs", lambda url, setting: pytest.fail("no blobs here"))
    database = open_database("database.db", tmp_path)
    database.migrate()
    tracker, ledger = Tracker(tmp_path / "tracker.db"), Ledger(database)
    kind, broker = FILE_KINDS[name], SqliteBroker(tmp_path / "queues.db")
    queuer = Queuer(kind, lambda: expand([str(path)], stores), tracker, ["next"], WaterMarks(1, 10), broker, ledger)
    asyncio.run(queuer.run(asyncio.Event()))
    assert queuer.tally.stories == 0 and queuer.tally.problems == {"non-news": 1}
    (row,) = ledger.find({"reason": "non-news"})
    assert (row.stage, row.status) == ("queuer", "dropped") and url in row.detail
    tracker.close()
    database.close()
