"""Running a topic on the simulated web, on any engines."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from tearsheet.engines.broker.port import Broker
from tearsheet.engines.database.port import Database
from tearsheet.engines.index.port import Index
from tearsheet.fetch import PoliteClient
from tearsheet.pipeline.fetcher import Fetcher
from tearsheet.settings import FetchSettings, TopicSettings
from tearsheet.topics import store
from tearsheet.topics.model import NewTopic, Seed, Topic
from tearsheet.topics.snapshot.export_files import write_export
from tearsheet.topics.snapshot.frozen import Frozen
from tearsheet.topics.spider.correcting import merge_sources
from tearsheet.topics.spider.stores.seeds import add_seeds
from tearsheet.topics.spider.tools import Tools
from tearsheet.topics.spider.workers import run_topic
from tearsheet.work import ReadingPool
from tearsheet.work.ledger import Ledger
from tests.support.simulated_web import END, QUERY, START, SimulatedWeb
from tests.support.topic_oracle import check_export, plain

SETTINGS = TopicSettings(
    seconds_per_media_fetch=0.0, max_retries=2, retry_seconds=0.05, poll_seconds=0.1, stuck_seconds=60.0,
    facebook_url="http://graph.example/v21.0", facebook_token="t", facebook_wait_seconds=120.0,
)  # fmt: skip


def fetch_settings(port: int) -> FetchSettings:
    return FetchSettings(
        allow_addresses=["127.0.0.0/8"], connect_to={"*": f"127.0.0.1:{port}"}, manners_off={"*": "all"}, concurrency=16
    )


def prepare(database: Database, web: SimulatedWeb, **changes) -> Topic:
    """Create the topic with its seeds."""
    values: dict[str, Any] = {"start": START, "end": END, "max_iterations": web.max_iterations} | changes
    topic = store.create_topic(database, NewTopic("Zanzibar", QUERY, **values), SETTINGS.seconds_per_media_fetch)
    for media, parent in web.duplicate_media.items():
        merge_sources(database, topic, media, parent, "one paper")
    add_seeds(database, topic.id, [Seed(url) for url in web.seeds])
    return topic


async def run(
    database: Database,
    index: Index,
    broker: Broker,
    port: int,
    topic: Topic,
    settings: TopicSettings = SETTINGS,
    **more,
) -> Topic:
    """Run it to its end."""
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(PoliteClient(fetch_settings(port)))
        reader = ReadingPool(2, 60.0)
        stack.push_async_callback(reader.close)
        tools = Tools(
            database,
            index,
            Fetcher(client, everywhere=True),
            client,
            reader,
            settings,
            lambda _: None,
            hold_seconds=2.0,
        )
        return await run_topic(tools, broker, Ledger(database), topic, concurrency=16, **more)


def data_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir(exist_ok=True)
    return folder


def check_snapshot(web: SimulatedWeb, frozen: Frozen, folder: Path, max_stories: int | None = None) -> None:
    """What was frozen, and every count of what is exported from it."""
    truth = web.truth(max_stories)
    url = [plain(story.url) for story in frozen.stories]
    found = {address: (story.iteration, story.media) for address, story in zip(url, frozen.stories, strict=True)}
    assert found == truth.stories
    assert {(url[a], url[b]) for a, b in frozen.links} == truth.links
    write_export(frozen, folder, ["csv"])
    check_export(truth, folder)
