"""Everyone who asks the web, each with real work to do at one host of a loopback server: the host that a test watches.

Run as a program, it lets all of them ask at once, as one of several processes on a data folder does.
"""

from __future__ import annotations

import asyncio
import sys
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tearsheet.clock import utc_now
from tearsheet.engines.database import Database, open_database
from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tearsheet.feeds.catalogue.discovery import NoSite, discover
from tearsheet.feeds.polling import Poller
from tearsheet.fetch import HostStore, PoliteClient
from tearsheet.ingest import Ingester, IngestLimits, request_for
from tearsheet.ingest.fetching import Visitor
from tearsheet.pipeline.fetcher import Fetcher
from tearsheet.settings import FeedSettings, FetchSettings, TopicSettings
from tearsheet.story import RSSEntry, Story
from tearsheet.topics.model import NewTopic, Seed, Topic
from tearsheet.topics.spider.addresses import url_key
from tearsheet.topics.spider.seeds import route_new_seeds
from tearsheet.topics.spider.stores.jobs import Taken
from tearsheet.topics.spider.stores.seeds import add_seeds
from tearsheet.topics.spider.tools import Tools
from tearsheet.topics.spider.topic_fetch_link import FetchLink
from tearsheet.topics.store import create_topic
from tearsheet.work import ThreadReader
from tearsheet.work.outcomes import Outcome
from tests.support.patience import PATIENCE

HOST = "http://paper.example"


class NoIndex:
    """No story was collected."""

    def get(self, ids: list[str]) -> list[None]:
        return [None] * len(ids)


@dataclass(slots=True)
class Askers:
    """Everyone with one polite client; `name`, a letter, tells the addresses and sources of two processes apart."""

    database: Database
    client: PoliteClient
    name: str

    def all(self) -> dict[str, Callable[[], Awaitable[str]]]:
        """Each of them; what it returns is empty, or says why there is no document."""
        return {
            "fetcher": self.fetch_story,
            "poller": self.poll,
            "discovery": self.discover,
            "spider": self.spider,
            "ingest": self.ingest_page,
            "sub-resource": self.ingest_picture,
        }

    def url(self, path: str) -> str:
        return f"{HOST}/{self.name}/{path}"

    async def fetch_story(self) -> str:
        try:
            await Fetcher(self.client).process(Story(rss_entry=RSSEntry(link=self.url("fetcher"))))
        except Outcome as outcome:
            return f"{type(outcome).__name__} {outcome}"
        return ""

    async def poll(self) -> str:
        feed = NewFeed(self.url("poller"), sources_id=ord(self.name))
        added = (await asyncio.to_thread(add_feeds, self.database, [feed], utc_now())).added
        poller = Poller(self.database, self.client, ThreadReader(), FeedSettings(interval_seconds=0.0), only=added)
        await poller.run(asyncio.Event(), once=True)
        return "" if poller.counters["feeds.fetch_succeeded"] else str(+poller.counters)

    async def discover(self) -> str:
        try:
            found = await discover(self.client, ThreadReader(), self.url("discovery"), limit=1)
        except NoSite as error:
            return str(error)
        return "" if found else "no feed"

    async def spider(self) -> str:
        tools = Tools(
            self.database,
            cast(Any, NoIndex()),
            Fetcher(self.client),
            self.client,
            ThreadReader(),
            TopicSettings(),
            lambda _: None,
        )
        topic = await asyncio.to_thread(self._start_topic, tools)
        # Long past: the topic's own pace for a source is not what is watched here.
        taken = Taken(topic.id, "topic_fetch_link", url_key(self.url("spider")), turn=1.0)
        try:
            await FetchLink(tools).handle(topic, taken)
        except Outcome as outcome:
            return f"{type(outcome).__name__} {outcome}"
        return ""

    def _start_topic(self, tools: Tools) -> Topic:
        name = f"{self.name} {uuid.uuid4().hex}"
        topic = create_topic(self.database, NewTopic(name, "flood"), 0.0)
        add_seeds(self.database, topic.id, [Seed(self.url("spider"))])
        route_new_seeds(tools, topic)
        return topic

    async def ingest_page(self) -> str:
        return await self._ingest("ingest")

    async def ingest_picture(self) -> str:
        return await self._ingest("pictures")

    async def _ingest(self, path: str) -> str:
        ingester = Ingester(Visitor(self.client), ThreadReader(), IngestLimits(seconds=PATIENCE))
        result = await ingester.ingest(request_for(self.url(path)))
        missing = [resource.status for resource in result.html_resources or () if resource.status != "success"]
        return ", ".join(missing) if result.hit else result.status

    async def ask_all_at_once(self) -> list[str]:
        """All at once; whoever is told to come back later does."""

        async def until_done(ask: Callable[[], Awaitable[str]]) -> str:
            async with asyncio.timeout(PATIENCE):
                while "Requeue" in (said := await ask()) or "Retry" in said:
                    await asyncio.sleep(0.2)
            return said

        return [said for said in await asyncio.gather(*map(until_done, self.all().values())) if said]


def polite_settings(port: int, interval: float) -> FetchSettings:
    return FetchSettings(
        allow_addresses=["127.0.0.0/8"], connect_to={"*": f"127.0.0.1:{port}"}, interval_seconds=interval
    )


async def main(folder: str, port: str, interval: str, name: str) -> int:
    database = open_database("t.db", Path(folder))
    async with PoliteClient(polite_settings(int(port), float(interval)), HostStore(database)) as client:
        askers = Askers(database, client, name)
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        print(await askers.ask_all_at_once(), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main(*sys.argv[1:])))
