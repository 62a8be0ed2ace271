"""Jobs of a topic, one at a time."""

import pytest

from tearsheet.topics.spider import store as spider_store
from tearsheet.topics.spider.run import TopicRun, start_run
from tearsheet.topics.spider.spider import FetchLink
from tests.support.topic_jobs import step


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
