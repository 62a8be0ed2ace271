"""What a topic does when things do not go on: no progress, our own errors, sources that must not be asked too often."""

import asyncio
from datetime import date
from typing import Any, cast

import pytest

from tearsheet.engines.database.sql import open_database
from tearsheet.fetch import PoliteClient
from tearsheet.settings import TopicSettings
from tearsheet.topics import model, store
from tearsheet.topics.model import NewTopic, Seed
from tearsheet.topics.spider import facebook
from tearsheet.topics.spider import store as spider_store
from tearsheet.topics.spider.addresses import url_key
from tearsheet.topics.spider.generate import WebStory
from tearsheet.topics.spider.merge import merge_topic
from tearsheet.topics.spider.run import TopicRun, start_run
from tearsheet.topics.spider.spider import AddStory, FacebookStats, FetchLink, Tools
from tearsheet.work.outcomes import Retry
from tests.support.loopback_web import response, serve
from tests.support.topic_running import fetch_settings


class NoIndex:
    def get(self, ids):
        return [None] * len(ids)


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class NeverFetches:
    async def process(self, story):
        raise AssertionError("nothing may be fetched")


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def tools(tmp_path, clock):
    database = open_database("sqlite:///t.db", tmp_path)
    database.migrate()
    settings = TopicSettings(stuck_seconds=100.0, facebook_token="t")
    yield Tools(
        database, cast(Any, NoIndex()), NeverFetches(), PoliteClient(fetch_settings(1)), settings, lambda _: None, clock
    )
    database.close()


@pytest.fixture
def topic(tools):
    made = store.create_topic(tools.database, NewTopic("T", "flood"), 10.0)
    urls = ["http://a.example/1", "http://a.example/2", "http://b.example/1"]
    assert store.add_seeds(tools.database, made.id, [Seed(url) for url in urls]) == (3, [])
    return made


def step(handler, job, redelivered=False):
    return list(asyncio.run(handler.handle(job.values, redelivered=redelivered)))


def test_a_topic_without_progress_fails_and_says_what_it_waited_for(tools, topic, clock):
    _, [job] = start_run(tools, topic)
    run = TopicRun(tools)
    *fetches, job = step(run, job)
    assert [fetch.name for fetch in fetches] == [
        "topic_fetch_link"
    ] * 3 * 2  # routed, and once more because the run is fresh
    for _ in range(2):
        clock.now += 40
        [job] = step(run, job)
    clock.now += 40
    assert step(run, job) == []
    failed = store.find_topic(tools.database, "T")
    assert failed.state == model.FAILED
    assert failed.message == (
        "no progress for 120 s, waiting for 3 links to be fetched (the first: http://a.example/1)"
    )


def test_an_older_message_of_a_run_ends(tools, topic):
    _, [old] = start_run(tools, topic)
    _, [new] = start_run(tools, store.find_topic(tools.database, "T"))
    assert step(TopicRun(tools), old) == []
    assert step(TopicRun(tools), new)


def test_too_many_errors_of_our_own_fail_the_topic(tools, topic):
    store.add_seeds(tools.database, topic.id, [Seed(f"http://c.example/{i}") for i in range(20)])
    _, [job] = start_run(tools, topic)
    *jobs, again = step(TopicRun(tools), job)
    for fetch in jobs:
        asyncio.run(FetchLink(tools).give_up(fetch.values, "KeyError: x", defect=True))
    step(TopicRun(tools), again)
    failed = store.find_topic(tools.database, "T")
    assert (failed.state, failed.message) == (model.FAILED, "23 errors of our own are more than the 10 allowed")


def test_a_job_that_must_wait_reserves_its_turn_and_goes_round_once(tools, topic, clock):
    _, [job] = start_run(tools, topic)
    jobs = step(TopicRun(tools), job)[:3]
    spent = [spider_store.take_turn(tools.database, media, clock.now, 10.0) for media in ("a.example", "b.example")]
    assert spent == [0.0, 0.0]
    later = [again for fetch in jobs for again in step(FetchLink(tools), fetch)]
    assert sorted(round(again.delay) for again in later) == [10, 10, 20]
    with pytest.raises(AssertionError, match="nothing may be fetched"):
        clock.now += 20
        step(FetchLink(tools), later[0])


def test_share_counts():
    assert facebook.read_engagement(b'{"engagement": {"share_count": 3, "reaction_count": 2}}') == facebook.Shares(
        3, 0, 2
    )
    assert facebook.read_engagement(b'{"error": {"code": 100, "message": "no"}}').error == "no"
    for body in (b"<html>", b"[]", b'{"error": {"code": 4}}'):
        with pytest.raises(Retry):
            facebook.read_engagement(body)


def web_story(number: int, title: str, media: str = "a.example", text: str = "Text.") -> WebStory:
    return WebStory(
        f"{number:064}", f"http://{media}/{number}", media, title, "page", date(2024, 1, 1), "meta", text=text
    )


def test_share_counts_are_asked_for_and_kept(tools, topic):
    story = spider_store.save_story(tools.database, web_story(1, "A"), None, None, [])

    async def go():
        async with serve(
            response(b'{"engagement": {"share_count": 7}}', headers=("Content-Type: application/json",))
        ) as web:
            tools.client = PoliteClient(fetch_settings(web.port))
            tools.settings.facebook_url = "http://graph.example/v21.0"
            await FacebookStats(tools).handle({"topic": topic.id, "story": story.id}, redelivered=False)
            await FacebookStats(tools).handle({"topic": topic.id, "story": story.id}, redelivered=True)
            await tools.client.close()
            return web.paths

    [path] = asyncio.run(go())
    assert path == "/v21.0/?id=http%3A%2F%2Fa.example%2F1&fields=engagement&access_token=t"
    with tools.database.read() as connection:
        assert connection.exec_driver_sql("SELECT facebook_share_count FROM story_statistics").scalar() == 7


def test_merges_keep_an_audit_and_can_be_done_again(tools, topic):
    stories = [
        web_story(1, "Washington Post: Nunes Releases FISA Memo"),
        web_story(2, "Nunes Releases FISA Memo", text="A longer text."),
        web_story(3, "Nunes Releases FISA Memo", media="dup.example"),
    ]
    store.set_duplicate_media(tools.database, "a.example", "c.example")
    for story in stories:
        spider_store.save_story(tools.database, story, None, None, [])
    store.set_duplicate_media(tools.database, "dup.example", "a.example")
    spider_store.route_seeds(tools.database, topic.id, [(story.id, False) for story in stories], [], [])
    for story in stories:
        spider_store.decide(tools.database, topic.id, story.id, relevant=True, why="", mined=True)
    merges = merge_topic(tools.database, topic.id)
    assert (merges.moved, merges.merged) == (1, 2)
    again = merge_topic(tools.database, topic.id)
    assert (again.moved, again.merged) == (0, 0)
    with tools.database.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT source_stories_id, target_stories_id, reason FROM topic_merged_stories_map ORDER BY 1"
        ).all()
    assert [(int(a), int(b)) for a, b, _ in rows] == [(1, 2), (3, 2)]
    assert rows[0][2] == "same title: Washington Post: Nunes Releases FISA Memo"


def test_the_simplest_address_stands_for_a_page_whichever_came_first(tools, topic):
    page = b"<html><title>Flood</title><article><p>A flood came over the town.</p></article></html>"

    class Redirected:
        async def process(self, story):
            story.raw_html.html = page
            story.http_metadata.final_url = "http://a.example/story"
            return story

    key = url_key("http://a.example/story")
    known = WebStory(
        key, "http://www.a.example/story", "a.example", "Flood", "page", None, "undateable", text="A flood."
    )
    spider_store.save_story(tools.database, known, None, None, [])
    store.add_seeds(tools.database, topic.id, [Seed("http://short.example/1")])
    _, [job] = start_run(tools, topic)
    step(TopicRun(tools), job)
    tools.fetcher = Redirected()
    values = {"topic": topic.id, "key": url_key("http://short.example/1")}
    assert asyncio.run(FetchLink(tools).handle(values, redelivered=False)) == ()
    kept = spider_store.get_story(tools.database, key)
    assert kept is not None
    assert kept.url == "http://a.example/story"


def test_share_counts_that_are_missing_are_asked_for_again_after_an_interruption(tools, topic):
    _, [job] = start_run(tools, topic)
    story = spider_store.save_story(tools.database, web_story(1, "A"), None, None, [])
    spider_store.route_seeds(tools.database, topic.id, [(story.id, False)], [], [])
    spider_store.decide(tools.database, topic.id, story.id, relevant=True, why="x", mined=True)
    asked = {"topic": topic.id, "story": story.id}
    again = asyncio.run(AddStory(tools).handle(asked, redelivered=True))
    assert ("facebook_fetch_story_stats", asked) in [(one.name, one.values) for one in again]
    store.set_state(tools.database, topic.id, model.DEDUPED)
    shares, look = step(TopicRun(tools), job)
    assert (shares.name, shares.values) == ("facebook_fetch_story_stats", asked)
    [look] = step(TopicRun(tools), look)  # once is enough
    facebook.save_shares(tools.database, story.id, facebook.Shares(1, 2, 3))
    [snapshot] = step(TopicRun(tools), look)
    assert snapshot.name == "topic_snapshot"
