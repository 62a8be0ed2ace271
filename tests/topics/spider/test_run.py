"""What a topic does when things do not go on: no progress, our own errors, old messages."""

import asyncio

from tearsheet.topics import model, store
from tearsheet.topics.model import Seed
from tearsheet.topics.spider.run import TopicRun, start_run
from tearsheet.topics.spider.spider import FetchLink
from tests.support.topic_jobs import step


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
