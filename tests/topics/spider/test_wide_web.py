"""A topic on a web with platforms, wrapped addresses, copies and traps finds what is there, and says what it left out."""

import asyncio
from dataclasses import replace

import pytest

from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.database import open_database
from tearsheet.engines.index.opener import open_index
from tearsheet.topics import model
from tearsheet.topics.listing import list_stories
from tearsheet.topics.snapshot.store import load_snapshot
from tearsheet.topics.store import progress_of
from tests.support.loopback_web import serve
from tests.support.topic_runs import SETTINGS, check_snapshot, prepare, run
from tests.support.wide_web import CACHE, WRAPPING, WideWeb


def check(tmp_path, web: WideWeb):
    """Run a topic, compare it with the oracle, and return its database, itself and its left-out addresses."""
    database = open_database("t.db", tmp_path)
    database.migrate()
    index = open_index("index", tmp_path)
    topic = prepare(database, web, platforms=web.platforms)

    async def go():
        broker = SqliteBroker(tmp_path / "queues.db")
        async with serve(web.answer) as server:
            try:
                settings = replace(SETTINGS, max_self_linked=web.cap, stuck_seconds=600.0)
                return await run(database, index, broker, server.port, topic, settings)
            finally:
                await broker.close()

    done = asyncio.run(go())
    index.close()
    assert done.state == model.COMPLETED, done.message
    check_snapshot(web, load_snapshot(database, done), tmp_path / "export")
    check_what_is_left_out(web, database, done)
    check_hosts(web)
    database.close()


def check_what_is_left_out(web, database, topic):
    truth = web.truth()
    progress = progress_of(database, topic)
    assert progress.over_cap == len(web.over_cap) > 0
    assert progress.errors == 0
    with database.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT url, state FROM topic_stories JOIN web_stories USING (stories_id)"
        ).all()
    assert {plain(url) for url, state in rows if state == model.OUT} == truth.not_relevant
    found = {}
    for one in list_stories(database, topic):
        if one.state not in model.NOT_HAD:
            continue
        reason = "a platform" if "is a platform or a site without news" in one.why else one.why.partition(":")[0]
        found[name_of(web, one.url)] = reason
    assert found == web.left_out()
    assert ("a platform" in found.values()) is not web.platforms


def name_of(web, url):
    """The page that an address leads to, by its own address; or the address, if it leads nowhere."""
    nowhere = any(part in url for part in ("/gone/", "/endless/"))
    return plain(url) if nowhere else web.pages[web.number_of(url)].url


def plain(url):
    return url.replace("://www.", "://")


def check_hosts(web):
    assert not (WRAPPING - {CACHE}) & set(web.hosts_asked), (
        "the page that is meant was asked, not the one that wraps it"
    )
    endless = [page for page in web.pages if page.site in web.traps and page.number not in web.over_cap]
    for trap in web.traps:
        assert sum(page.site == trap and web.asked[page.url] > 0 for page in endless) <= 2 * web.cap + 1


@pytest.mark.parametrize("platforms", [True, pytest.param(False, marks=pytest.mark.proof)])
def test_stories_links_iterations_and_reasons_are_equal(tmp_path, platforms):
    web = WideWeb(sites=40, pages=160, seed=3, platforms=platforms)
    sources = {source for _, source in web.truth().stories.values()}
    assert any("/" in source for source in sources)
    assert any(not source.endswith(".example") and "/" not in source for source in sources)
    check(tmp_path, web)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_three_hundred_hosts_and_ten_thousand_pages(tmp_path):
    web = WideWeb(sites=420, pages=9_000, seed=1, cap=12, iterations=12)
    assert len({page.host for page in web.pages}) > 300
    assert len(web.pages) > 10_000
    check(tmp_path, web)
