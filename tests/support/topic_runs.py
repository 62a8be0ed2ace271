"""Running a topic on the simulated web, on any engines."""

from __future__ import annotations

from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from sqlalchemy import select

from tearsheet.archive import ArchiveStore, Captures, StoryArchiveReader, verify_file
from tearsheet.engines.broker.port import Broker
from tearsheet.engines.database.port import Database
from tearsheet.engines.index.port import Index
from tearsheet.fetch import PoliteClient
from tearsheet.pipeline.archiver import Archiver
from tearsheet.pipeline.fetcher import Fetcher
from tearsheet.settings import FetchSettings, TopicSettings
from tearsheet.topics import store, tables
from tearsheet.topics.model import IN, MERGED, NewTopic, Seed, Topic
from tearsheet.topics.snapshot.export_files import write_export
from tearsheet.topics.snapshot.frozen import Frozen
from tearsheet.topics.spider.correcting import merge_sources
from tearsheet.topics.spider.keeping import spidered_id
from tearsheet.topics.spider.stores.seeds import add_seeds
from tearsheet.topics.spider.tools import Tools
from tearsheet.topics.spider.workers import run_topic
from tearsheet.work import ReadingPool
from tearsheet.work.ledger import Ledger
from tests.support.simulated_web import END, QUERY, START, SimulatedWeb
from tests.support.topic_oracle import check_export, plain

_IN_FILE = 20
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
    archive: Path | None = None,
    **more,
) -> Topic:
    """Run it to its end, and keep its pages in an archive, if there is a folder for one."""
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
        if archive is not None:
            keep_in(archive, tools)
        return await run_topic(tools, broker, Ledger(database), topic, concurrency=16, **more)


def keep_in(archive: Path, tools: Tools) -> None:
    """Have the pages that topics take archived, in small files."""
    store = ArchiveStore(tools.database)
    captures = Captures(store, archive)

    def archived(stories_id: str) -> tuple[bytes, str | None] | None:
        [capture] = captures.of_stories([(spidered_id(stories_id), stories_id)])
        story = captures.read(capture).story if capture else None
        return (story.raw_html.html or b"", story.http_metadata.encoding) if story else None

    tools.archiver = Archiver(store, archive, prefix="topics", max_stories=_IN_FILE, only_news=False)
    tools.pages_in_file, tools.archived = _IN_FILE, archived


def check_kept(database: Database, archive: Path, topic: Topic) -> int:
    """Each page that the topic took is in exactly one file, whole, and nothing is left over; returns how many there are."""
    archived, stories = ArchiveStore(database), tables.topic_stories.c
    with database.read() as connection:
        taken = select(stories.stories_id).where(stories.topics_id == topic.id, stories.state.in_((IN, MERGED)))
        expected = {spidered_id(one) for one in connection.execute(taken).scalars()}
        assert (
            connection.execute(
                select(tables.unarchived_pages).where(tables.unarchived_pages.c.stories_id.in_(taken))
            ).first()
            is None
        )
    times: Counter[str] = Counter()
    for file in archived.files():
        path = file.local_path(archive)
        assert verify_file(path, file, archived.captures_of_file(file.id)).problems == []
        with StoryArchiveReader(path) as reader:
            times.update(one.story.id for one in reader.archived())
    assert times == dict.fromkeys(expected, 1)
    assert not list(archive.rglob("*.tmp"))
    return len(expected)


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
