"""A topic that was corrected equals one that was defined so from the beginning: in stories, links, iterations and digest."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
import pytest

from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.database import Database, open_database
from tearsheet.engines.index.opener import open_index
from tearsheet.fetch import PoliteClient
from tearsheet.pipeline.fetcher import Fetcher
from tearsheet.topics import model, store
from tearsheet.topics.decisions import EXCLUDE, INCLUDE
from tearsheet.topics.model import NewTopic, Seed, Topic
from tearsheet.topics.snapshot.frozen import Frozen
from tearsheet.topics.snapshot.store import freeze, list_snapshots, load_snapshot
from tearsheet.topics.spider import correcting
from tearsheet.topics.spider.stores.anew import begin_anew
from tearsheet.topics.spider.stores.seeds import add_seeds
from tearsheet.topics.spider.tools import Tools
from tearsheet.topics.spider.workers import run_topic
from tearsheet.work import ThreadReader
from tearsheet.work.ledger import Ledger
from tests.support.loopback_web import serve
from tests.support.simulated_web import END, QUERY, START, Page, SimulatedWeb
from tests.support.simulated_web_server import served_web
from tests.support.topic_kills import finish, start
from tests.support.topic_runs import SETTINGS, fetch_settings

QUICK = replace(SETTINGS, poll_seconds=0.02, facebook_token="", max_retries=0)
Step = Callable[[Database, Topic, SimulatedWeb], object]


def make_web(*, down: bool = True) -> SimulatedWeb:
    """A web on which some relevant pages cannot be had while they are `down`."""
    web = SimulatedWeb(sites=5, pages=40, seed=3, max_iterations=4)
    for page in web.pages:
        page.failures = page.failures if page.kind == "broken" else ()
    for page in down_pages(web) if down else ():
        page.failures = ("503 Busy",) * 99
    return web


def down_pages(web: SimulatedWeb) -> list[Page]:
    return [web.pages[number] for number in linked(web) if web.pages[number].kind == "on"][-4:]


def linked(web: SimulatedWeb) -> list[int]:
    """The pages that links lead to."""
    return sorted(
        {target for page in web.pages for target, _, form in page.links if form != "aside" and target is not None}
    )


def define(database: Database, web: SimulatedWeb, seeds: Sequence[str], **changes: Any) -> Topic:
    values: dict[str, Any] = {"start": START, "end": END, "max_iterations": web.max_iterations} | changes
    topic = store.create_topic(database, NewTopic("Zanzibar", values.pop("query", QUERY), **values), 0.0)
    add_seeds(database, topic.id, [Seed(url) for url in seeds])
    return topic


def opened(folder: Path) -> Database:
    database = open_database("t.db", folder)
    database.migrate()
    return database


def spider(folder: Path, database: Database, web: SimulatedWeb) -> Topic:
    """Run the topic to its end."""
    index = open_index("index", folder)

    async def go() -> Topic:
        async with AsyncExitStack() as stack:
            broker = SqliteBroker(folder / "queues.db")
            stack.push_async_callback(broker.close)
            server = await stack.enter_async_context(serve(web.answer))
            client = await stack.enter_async_context(PoliteClient(fetch_settings(server.port)))
            tools = Tools(
                database, index, Fetcher(client), client, ThreadReader(), QUICK, lambda _: None, hold_seconds=2.0
            )
            topic = store.find_topic(database, "Zanzibar")
            return await run_topic(tools, broker, Ledger(database), topic, concurrency=16)

    done = asyncio.run(go())
    index.close()
    assert done.state == model.COMPLETED, done.message
    assert not done.corrected
    return done


def frozen(database: Database) -> Frozen:
    return load_snapshot(database, store.find_topic(database, "Zanzibar"))


def digest(frozen: Frozen) -> str:
    return hashlib.sha256(msgspec.json.encode(frozen)).hexdigest()


def tables_of(frozen: Frozen) -> tuple[set[tuple[Any, ...]], set[tuple[str, str]]]:
    """The stories with their iterations and sources, and the links, by address."""
    url = [story.url for story in frozen.stories]
    stories = {(one.url, one.iteration, one.media, one.why) for one in frozen.stories}
    return stories, {(url[a], url[b]) for a, b in frozen.links}


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a topic that was run to its end, with only some of its seeds, while some pages could not be had."""
    folder = tmp_path_factory.mktemp("before")
    database, web = opened(folder), make_web()
    define(database, web, seeds=web.seeds[4:], max_iterations=2)
    spider(folder, database, web)
    assert len(frozen(database).stories) >= 10
    assert frozen(database).links
    database.close()
    return folder


def edit(**changes: Any) -> Step:
    return lambda database, topic, web: correcting.edit_topic(database, topic, changes, "why", lambda new: [])


def more_seeds(database: Database, topic: Topic, web: SimulatedWeb) -> None:
    add_seeds(database, topic.id, [Seed(url) for url in web.seeds[:4]])


def pages(kind: str, web: SimulatedWeb, count: int = 2) -> list[str]:
    """Some pages that links lead to: relevant ones to be left out, others to be taken in."""
    return [web.pages[number].url for number in linked(web) if web.pages[number].kind == kind][:count]


def exclude(database: Database, topic: Topic, web: SimulatedWeb) -> None:
    correcting.decide_pages(database, topic, EXCLUDE, [*pages("on", web, 4), web.seeds[-1]], "an advertisement")


def include(database: Database, topic: Topic, web: SimulatedWeb) -> None:
    urls = [*pages("off", web, 3), *pages("old", web), *pages("on", web, 1)]
    correcting.decide_pages(database, topic, INCLUDE, urls, "it is about the harvest")


def merge(database: Database, topic: Topic, web: SimulatedWeb) -> None:
    for source, target in web.duplicate_media.items():
        correcting.merge_sources(database, topic, source, target, "one paper")


def nothing(database: Database, topic: Topic, web: SimulatedWeb) -> None:
    """The definition is as it was."""


def both(first: Step, second: Step) -> Step:
    def step(database: Database, topic: Topic, web: SimulatedWeb) -> None:
        first(database, topic, web)
        second(database, topic, web)

    return step


def several(database: Database, topic: Topic, web: SimulatedWeb) -> None:
    for step in (exclude, more_seeds, merge):
        step(database, topic, web)


def undo_exclude(database: Database, topic: Topic, web: SimulatedWeb) -> None:
    correcting.undo_pages(database, topic, EXCLUDE, [*pages("on", web, 4), web.seeds[-1]])


def undo_include(database: Database, topic: Topic, web: SimulatedWeb) -> None:
    correcting.undo_pages(database, topic, INCLUDE, pages("off", web, 3) + pages("old", web) + pages("on", web, 1))


def split(database: Database, topic: Topic, web: SimulatedWeb) -> None:
    for source in web.duplicate_media:
        correcting.split_source(database, topic, source)


def retry(database: Database, topic: Topic, web: SimulatedWeb) -> None:
    retried = correcting.retry(database, topic)
    assert retried.addresses >= len(down_pages(web))


def cut_off(database: Database, topic: Topic, web: SimulatedWeb) -> None:
    """A run that was killed as soon as it had begun anew."""
    store.set_state(database, topic.id, model.RUNNING)
    begin_anew(database, topic.id)


class Case(NamedTuple):
    """How a topic is corrected, and how one is made that was meant so from the beginning."""

    steps: tuple[Step, ...]
    """Each is followed by a run."""
    finish: Step = nothing
    definition: Mapping[str, Any] = MappingProxyType({})
    asks: bool = True
    """Whether there is anything new to be asked of the web."""


CASES = {
    "exclude": Case((exclude,), exclude, asks=False),
    "include": Case((include,), include),
    "merge": Case((merge,), merge, asks=False),
    "more seeds": Case((more_seeds,), more_seeds),
    "fewer iterations": Case((edit(max_iterations=1),), definition={"max_iterations": 1}, asks=False),
    "more iterations": Case((edit(max_iterations=4),), definition={"max_iterations": 4}),
    "another query": Case((edit(query="zanzibar"),), definition={"query": "zanzibar"}),
    "other dates": Case((edit(start=None, end=None),), definition={"start": None, "end": None}),
    "a budget": Case((edit(max_stories=6),), definition={"max_stories": 6}, asks=False),
    "retry": Case((retry,)),
    "include undone": Case((include, undo_include)),
    "exclude undone": Case((exclude, undo_exclude)),
    "split": Case((merge, split), asks=False),
    "several": Case((exclude, more_seeds, merge, edit(max_iterations=3)), several, {"max_iterations": 3}),
    "cut off": Case((both(exclude, cut_off),), exclude, asks=False),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "exclude" else [pytest.mark.proof]) for name in CASES]
)
def test_a_corrected_topic_equals_a_fresh_one(name, before, tmp_path):
    steps, finish, definition, asks = CASES[name]
    shutil.copytree(before, tmp_path / "corrected")
    database, web = opened(tmp_path / "corrected"), make_web(down=name != "retry")
    topic = store.find_topic(database, "Zanzibar")
    was = tables_of(frozen(database))
    for step in steps:
        step(database, store.find_topic(database, "Zanzibar"), web)
        spider(tmp_path / "corrected", database, web)
    (tmp_path / "fresh").mkdir()
    fresh, other_web = opened(tmp_path / "fresh"), make_web(down=name != "retry")
    made = define(fresh, other_web, seeds=web.seeds[4:], **{"max_iterations": 2, **definition})
    finish(fresh, made, other_web)
    spider(tmp_path / "fresh", fresh, other_web)
    assert tables_of(frozen(database)) == tables_of(frozen(fresh))
    assert digest(frozen(database)) == digest(frozen(fresh))
    assert list_snapshots(database, topic.id)[-1].digest == digest(
        freeze(database, store.find_topic(database, "Zanzibar"))
    )
    came_back = name in ("include undone", "exclude undone", "split")
    assert (tables_of(frozen(database)) == was) is came_back, "the correction changes something"
    assert asks or not web.asked, "what is known is not asked for again"
    for one in (database, fresh):
        one.close()


def stories_of(database: Database) -> int:
    return store.progress_of(database, store.find_topic(database, "Zanzibar")).stories


def in_processes(folder: Path, moments: Sequence[Callable[[Database], bool]]) -> str:
    """Correct the topic, run it in processes that are killed at these moments, and then to its end: the snapshot's digest."""
    database, web = opened(folder), make_web()
    for step in (exclude, merge, more_seeds):
        step(database, store.find_topic(database, "Zanzibar"), web)
    with served_web(web) as server:
        for has_come in moments:
            child = start(folder, server.port)
            while child.poll() is None and not has_come(database):
                pass
            assert child.poll() is None, "it ended before it could be killed"
            child.kill()
            child.communicate()
        assert "completed" in finish(start(folder, server.port))
    digest = list_snapshots(database, store.find_topic(database, "Zanzibar").id)[-1].digest
    database.close()
    return digest


@pytest.mark.proof
@pytest.mark.timeout(300)
def test_kills_between_a_correction_and_its_result_lose_nothing(before, tmp_path):
    for name in ("calm", "killed"):
        shutil.copytree(before, tmp_path / name)
    moments = [
        lambda database: True,  # before it has begun
        lambda database: not store.find_topic(database, "Zanzibar").corrected,
        lambda database: stories_of(database) > 3,
    ]
    assert in_processes(tmp_path / "killed", moments) == in_processes(tmp_path / "calm", [])
