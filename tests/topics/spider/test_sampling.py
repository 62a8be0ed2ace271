"""A look ahead on the simulated web: what it says is near the truth, and a run afterwards is as if it had not been."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.database import open_database
from tearsheet.engines.index.opener import open_index
from tearsheet.fetch import PoliteClient
from tearsheet.pipeline.fetcher import Fetcher
from tearsheet.topics import tables
from tearsheet.topics.planning import Sample, Terms, estimate
from tearsheet.topics.snapshot.store import list_snapshots
from tearsheet.topics.spider.sampling import Sampler
from tearsheet.topics.spider.stores.samples import stored_seeds
from tearsheet.topics.spider.tools import Tools
from tearsheet.work import ThreadReader
from tests.support.loopback_web import serve
from tests.support.simulated_web import SimulatedWeb
from tests.support.topic_runs import SETTINGS, fetch_settings, prepare, run


class Scene:
    """A topic on a simulated web, in a folder of its own."""

    def __init__(self, folder, web: SimulatedWeb) -> None:
        folder.mkdir()
        self.folder, self.web = folder, web
        self.database = open_database("t.db", folder)
        self.database.migrate()
        self.index = open_index("index", folder)
        self.topic = prepare(self.database, web)
        self.said: list[str] = []

    async def sampled(self, port: int, number: int) -> Sample:
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(PoliteClient(fetch_settings(port)))
            tools = Tools(self.database, self.index, Fetcher(client), client, ThreadReader(), SETTINGS, lambda _: None)
            return await Sampler(tools, self.topic, self.said.append).sample(
                stored_seeds(self.database, self.topic.id), number
            )

    def sample(self, number: int) -> tuple[Sample, int]:
        """The sample, and how many requests it took."""

        async def go() -> tuple[Sample, int]:
            async with serve(self.web.answer) as server:
                return await self.sampled(server.port, number), len(server.requests)

        return asyncio.run(go())

    def run(self, number: int = 0) -> str:
        """Run the topic, after a look ahead at so many links; the digest of its snapshot."""

        async def go() -> None:
            broker = SqliteBroker(self.folder / "queues.db")
            async with serve(self.web.answer) as server:
                if number:
                    await self.sampled(server.port, number)
                try:
                    await run(self.database, self.index, broker, server.port, self.topic)
                finally:
                    await broker.close()

        asyncio.run(go())
        [snapshot] = list_snapshots(self.database, self.topic.id)
        return snapshot.digest

    def close(self) -> None:
        self.index.close()
        self.database.close()


@pytest.fixture
def scene(tmp_path):
    made = []

    def make(name: str, **web) -> Scene:
        made.append(Scene(tmp_path / name, SimulatedWeb(**({"sites": 8, "pages": 60, "seed": 2} | web))))
        return made[-1]

    yield make
    for one in made:
        one.close()


def rows(database) -> dict[str, list[str]]:
    """All that is known of topics."""
    with database.read() as connection:
        names = [name for name in vars(tables) if name.startswith(("topic", "web_", "story_")) or name == "media"]
        return {
            name: sorted(map(repr, connection.execute(table.select())))
            for name in names
            if hasattr(table := getattr(tables, name), "select")
        }


def test_a_sample_is_the_same_each_time_and_leaves_nothing_behind(scene):
    one = scene("one")
    before = rows(one.database)
    assert before["topic_seed_urls"] and "web_stories" in before
    first, requests = one.sample(5)
    assert rows(one.database) == before
    assert first.followed == 5 and requests <= 2 * (first.fetched_seeds + first.fetched) + len(one.web.seeds)
    assert one.sample(5)[0].found == first.found
    assert (
        "1 seed found" in one.said and f"{first.read} seeds looked at" in one.said and "5 links looked at" in one.said
    )


def test_a_sample_knows_which_seeds_a_run_takes(scene):
    web = SimulatedWeb(sites=8, pages=150, seed=1)
    sample, _ = scene("one", pages=150, seed=1).sample(200)
    assert (sample.seeds, sample.read) == (len(web.seeds), len(web.seeds))
    of_seeds = [url for url, (iteration, _) in web.truth().stories.items() if iteration == 0]
    assert sample.members == len(of_seeds)
    assert sample.followed == sample.addresses > 0
    assert len(sample.found) <= sum(iteration == 1 for iteration, _ in web.truth().stories.values())


def test_a_run_after_a_look_ahead_equals_one_without(scene):
    assert scene("with").run(30) == scene("without").run()


@pytest.mark.proof
def test_the_intervals_hold_the_truth_of_many_webs(scene):
    held = 0
    for seed in range(1, 21):
        pages = 150 if seed % 2 else 400
        one = scene(str(seed), seed=seed, pages=pages)
        span = estimate(one.sample(60)[0], Terms(one.web.max_iterations, 100_000, 0.0, 16), "Zanzibar").stories
        truth = len(one.web.truth().stories)
        print(f"web {seed}: {span.low:.0f} to {span.high:.0f}, in truth {truth}")
        held += span.low <= truth <= span.high
    assert held >= 18
