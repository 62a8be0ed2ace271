"""Share counts."""

import asyncio

import pytest

from tearsheet.fetch import PoliteClient
from tearsheet.topics import model, store
from tearsheet.topics.spider import facebook
from tearsheet.topics.spider import store as spider_store
from tearsheet.topics.spider.run import TopicRun, start_run
from tearsheet.topics.spider.spider import AddStory, FacebookStats
from tearsheet.work.outcomes import Retry
from tests.support.loopback_web import response, serve
from tests.support.topic_jobs import step, web_story
from tests.support.topic_runs import fetch_settings


def test_share_counts():
    assert facebook.read_engagement(b'{"engagement": {"share_count": 3, "reaction_count": 2}}') == facebook.Shares(
        3, 0, 2
    )
    assert facebook.read_engagement(b'{"error": {"code": 100, "message": "no"}}').error == "no"
    for body in (b"<html>", b"[]", b'{"error": {"code": 4}}'):
        with pytest.raises(Retry):
            facebook.read_engagement(body)


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
