"""Links that are dead, slow or refused delay a topic by no more than one try: nothing waits for their retries."""

import asyncio
import time
from contextlib import AsyncExitStack

import pytest

from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.database import open_database
from tearsheet.engines.index.opener import open_index
from tearsheet.fetch import PoliteClient
from tearsheet.pipeline.fetcher import Fetcher
from tearsheet.settings import TopicSettings
from tearsheet.topics import model, store
from tearsheet.topics.model import NewTopic, Seed
from tearsheet.topics.spider.stores.seeds import add_seeds
from tearsheet.topics.spider.tools import Tools
from tearsheet.topics.spider.workers import run_topic
from tearsheet.work import ThreadReader
from tearsheet.work.ledger import Ledger
from tests.support.loopback_web import response, serve
from tests.support.topic_runs import fetch_settings

ENDS_WITHIN = 30.0
SLOWER_AT_MOST = 3.0
"""On a machine that is busy, the same topic without trouble takes long as well, and this many times as long is allowed."""
SETTINGS = TopicSettings(seconds_per_media_fetch=0.0)
"""As they are by default, but for the pace: a link is retried after half a minute, and then after a whole one."""


class Web:
    """So many pages, each with links to two others; with trouble, every fourth has links that lead to nothing as well."""

    def __init__(self, pages: int, troubled: bool) -> None:
        self.pages, self.troubled = pages, troubled
        self.over = asyncio.Event()

    def url(self, number: int) -> str:
        return f"http://site{number % 12}.example/{number}"

    def trouble_of(self, number: int) -> list[str]:
        if not self.troubled or number % 4:
            return []
        return [f"http://{kind}{number % 8}.example/{number}" for kind in ("dead", "busy", "slow", "refusing")]

    async def answer(self, request, writer) -> None:
        kind, name = request.host.partition(".")[0].rstrip("0123456789"), request.path.strip("/")
        if kind == "site" and name.isdigit():
            writer.write(response(self._page(int(name))))
        elif kind == "busy":
            writer.write(response(b"later", "503 Busy"))
        elif kind == "slow":
            await self.over.wait()  # the client gives up
        elif kind == "refusing":
            writer.transport.abort()
        else:
            writer.write(response(b"none", "404 Not Found"))

    def _page(self, number: int) -> bytes:
        others = [self.url(other) for other in (2 * number + 1, 2 * number + 2) if other < self.pages]
        links = "".join(
            f'<p>The flood was also seen elsewhere, as <a href="{url}">another paper wrote</a> that day.</p>'
            for url in [*self.trouble_of(number), *others]
        )
        words = " ".join(f"w{number}x{i}" for i in range(30))
        return f"<html><title>Flood number {number}</title><article><p>A flood came, {words}.</p>{links}</article>".encode()


def spidered(folder, web: Web):
    """Run a topic over the web: the topic, its progress, what waits, and how long it took."""
    folder.mkdir()
    database = open_database("t.db", folder)
    database.migrate()
    index = open_index("index", folder)
    topic = store.create_topic(database, NewTopic("Floods", "flood"), 0.0)
    add_seeds(database, topic.id, [Seed(web.url(0))])

    async def go():
        async with AsyncExitStack() as stack:
            server = await stack.enter_async_context(serve(web.answer))
            broker = SqliteBroker(folder / "queues.db")
            stack.push_async_callback(broker.close)
            fetching = fetch_settings(server.port)
            fetching.timeout_seconds = 2.0
            client = await stack.enter_async_context(PoliteClient(fetching))
            tools = Tools(database, index, Fetcher(client), client, ThreadReader(), SETTINGS, lambda _: None)
            started = time.monotonic()
            done = await run_topic(tools, broker, Ledger(database), topic, concurrency=16)
            seconds = time.monotonic() - started
            web.over.set()
            return done, seconds

    done, seconds = asyncio.run(go())
    progress, waits = store.progress_of(database, done), store.list_put_off(database, done)
    index.close()
    database.close()
    return done, progress, [url for url, _ in waits], seconds


@pytest.mark.timeout(900)
@pytest.mark.parametrize("pages", [9, pytest.param(120, marks=pytest.mark.proof)])
def test_a_topic_ends_in_time_and_says_what_waits(tmp_path, pages):
    _, calm, _, usual = spidered(tmp_path / "calm", Web(pages, troubled=False))
    web = Web(pages, troubled=True)
    done, progress, waits, seconds = spidered(tmp_path / "troubled", web)
    assert done.state == model.COMPLETED, done.message
    assert calm.stories == progress.stories == pages
    troubled = [url for number in range(pages) for url in web.trouble_of(number)]
    again = sorted(url for url in troubled if not url.startswith("http://dead"))
    assert sorted(waits) == again
    assert f"{len(again)} addresses wait for another try, the first at " in done.message
    assert progress.failed_requests == len(troubled) - len(again)
    print(f"{pages} pages: {usual:.1f} s without trouble, {seconds:.1f} s with {len(troubled)} links to nothing")
    assert seconds <= max(ENDS_WITHIN, SLOWER_AT_MOST * usual)
