"""Share counts of the Graph API."""

import asyncio

import pytest

from tearsheet.fetch import PoliteClient
from tearsheet.topics import model, store
from tearsheet.topics.spider import facebook
from tearsheet.topics.spider.facebook_fetch_story_stats import FetchStoryStats
from tearsheet.topics.spider.stores import shares, web_stories
from tearsheet.topics.spider.stores.jobs import Taken
from tearsheet.topics.spider.topic_run import TopicRun, start_run
from tearsheet.work.outcomes import Drop, Retry
from tests.support.growth import assert_linear
from tests.support.loopback_web import response, serve
from tests.support.topic_rows import add_members, web_story
from tests.support.topic_runs import fetch_settings


def test_share_counts():
    assert facebook.read_engagement(b'{"engagement": {"share_count": 3, "reaction_count": 2}}') == facebook.Shares(
        3, 0, 2
    )
    assert facebook.read_engagement(b'{"error": {"code": 100, "message": "no"}}').error == "no"
    for body in (b"<html>", b"[]", b'{"error": {"code": 4}}'):
        with pytest.raises(Retry):
            facebook.read_engagement(body)


@pytest.mark.parametrize("part", [b"[", b'{"a":', b'{"engagement":{}},', b'"\\u0000'])
def test_an_answer_that_is_no_answer_is_tried_again_and_read_in_a_moment(part):
    def read(body: bytes) -> None:
        with pytest.raises(Retry):
            facebook.read_engagement(body)

    assert_linear(read, lambda count: part * count, facebook.MAX_ANSWER // 8 // len(part))


def test_share_counts_are_asked_for_once_and_kept(tools, topic):
    story = web_stories.save_story(tools.database, web_story(1, "A"), None, None, [])
    taken = Taken(topic.id, "facebook_fetch_story_stats", story.id)

    async def go():
        async with serve(
            response(b'{"engagement": {"share_count": 7}}', headers=("Content-Type: application/json",))
        ) as web:
            tools.client = PoliteClient(fetch_settings(web.port))
            tools.settings.facebook_url = "http://graph.example/v21.0"
            await FetchStoryStats(tools).handle(topic, taken)
            await FetchStoryStats(tools).handle(topic, taken)
            await tools.client.close()
            return web.paths

    [path] = asyncio.run(go())
    assert path == "/v21.0/?id=http%3A%2F%2Fa.example%2F1&fields=engagement&access_token=t"
    with tools.database.read() as connection:
        assert connection.exec_driver_sql("SELECT facebook_share_count FROM story_statistics").scalar() == 7


def test_a_token_that_is_no_good_is_no_answer():
    with pytest.raises(Drop, match="odd"):
        facebook.read_engagement(b'{"error": {"code": [190], "message": "odd"}}')
    with pytest.raises(Drop, match="expired"):
        facebook.read_engagement(b'{"error": {"code": 190, "message": "the token has expired"}}')


def test_counts_that_were_asked_for_in_vain_are_missing_and_asked_for_again_by_the_next_run(tools, topic):
    add_members(tools.database, topic, web_story(1, "A"), web_story(2, "B"))
    assert shares.count_without_shares(tools.database, topic.id) == 2
    for number in (1, 2):
        taken = Taken(topic.id, "facebook_fetch_story_stats", web_story(number, "A").id)
        FetchStoryStats(tools).give_up(taken, "facebook: timeout", defect=False)
    assert shares.count_without_shares(tools.database, topic.id) == 0
    store.set_state(tools.database, topic.id, model.DEDUPED)
    job = start_run(tools, store.find_topic(tools.database, "T"))  # it goes on, and asks no more
    asyncio.run(TopicRun(tools).handle(job.values, redelivered=False))
    said = store.find_topic(tools.database, "T").message
    assert said.endswith("share counts missing for 2 stories (facebook: timeout)")
    store.set_state(tools.database, topic.id, model.COMPLETED)
    start_run(tools, store.find_topic(tools.database, "T"))
    assert shares.count_without_shares(tools.database, topic.id) == 2
