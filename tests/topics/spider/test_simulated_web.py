"""A topic on the simulated web finds exactly what is there to be found."""

import asyncio
from dataclasses import replace

import pytest

from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.database import open_database
from tearsheet.engines.index.opener import open_index
from tearsheet.topics import model
from tearsheet.topics.snapshot.store import load_snapshot
from tearsheet.topics.store import progress_of
from tests.support.loopback_web import serve
from tests.support.simulated_web import SimulatedWeb
from tests.support.topic_runs import SETTINGS, check_snapshot, prepare, run


def spider(tmp_path, web: SimulatedWeb, settings=SETTINGS, **changes):
    database = open_database("t.db", tmp_path)
    database.migrate()
    index = open_index("index", tmp_path)
    topic = prepare(database, web, **changes)

    async def go():
        broker = SqliteBroker(tmp_path / "queues.db")
        async with serve(web.answer) as server:
            try:
                return await run(database, index, broker, server.port, topic, settings)
            finally:
                await broker.close()

    done = asyncio.run(go())
    index.close()
    return database, done


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.proof)])
def test_stories_links_and_iterations_are_equal(tmp_path, seed):
    web = SimulatedWeb(sites=8, pages=150, seed=seed)
    database, topic = spider(tmp_path, web)
    assert topic.state == model.COMPLETED, topic.message
    check_snapshot(web, load_snapshot(database, topic), tmp_path / "export")
    progress = progress_of(database, topic)
    assert progress.done
    assert progress.errors == 0
    assert "share counts complete" in topic.message
    database.close()


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_thirty_sites_and_three_thousand_pages(tmp_path):
    web = SimulatedWeb(sites=30, pages=3_000, seed=1, max_iterations=12)
    assert len(web.truth().stories) > 900
    database, topic = spider(tmp_path, web)
    assert topic.state == model.COMPLETED, topic.message
    check_snapshot(web, load_snapshot(database, topic), tmp_path / "export")
    database.close()


def test_what_is_left_out_says_why(tmp_path):
    web = SimulatedWeb(sites=4, pages=60, seed=5)
    database, topic = spider(tmp_path, web, replace(SETTINGS, facebook_token=""))
    assert "share counts" not in topic.message
    with database.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT url, state, why FROM topic_stories JOIN web_stories USING (stories_id)"
        ).all()
    left_out = {url.replace("://www.", "://"): why for url, state, why in rows if state == model.OUT}
    kinds = {page.url: page.kind for page in web.pages}
    assert {kinds[url] for url in left_out} == {"boilerplate", "old"}
    for url, why in left_out.items():
        if kinds[url] == "old":
            assert why.startswith("dated 20"), why
        else:
            assert "repeated sentences left out" in why
    assert all(why for _, _, why in rows)
    database.close()


def test_a_size_budget_takes_the_first_stories_with_every_link_between_them(tmp_path):
    web, max_stories = SimulatedWeb(sites=8, pages=60, seed=2), 20
    everything = web.truth()
    first = web.truth(max_stories)
    assert len(everything.stories) > len(first.stories)
    assert len(first.links) > max_stories // 5
    database, topic = spider(tmp_path, web, max_stories=max_stories)
    assert topic.state == model.COMPLETED
    check_snapshot(web, load_snapshot(database, topic), tmp_path / "export", max_stories)
    progress = progress_of(database, topic)
    assert progress.over_budget
    assert topic.message.startswith(
        f"the size budget of {max_stories} stories is used up, {progress.over_budget} more over budget; "
    )
    database.close()
