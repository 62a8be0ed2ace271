"""What a run does at each look: what is due goes out once, what is lost goes out again, what does not move fails."""

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import select

from tearsheet.topics import model, store, tables
from tearsheet.topics.model import Seed
from tearsheet.topics.spider.facebook import Shares
from tearsheet.topics.spider.job import Job
from tearsheet.topics.spider.stores.jobs import Taken, put_back, take
from tearsheet.topics.spider.stores.seeds import add_seeds
from tearsheet.topics.spider.stores.shares import save_shares
from tearsheet.topics.spider.topic_fetch_link import FetchLink
from tearsheet.topics.spider.topic_run import TopicRun, pause_until_check, start_run
from tests.support.topic_rows import add_members, web_story


def look(tools, job: Job, redelivered: bool = False) -> list[Job]:
    return list(asyncio.run(TopicRun(tools).handle(job.values, redelivered=redelivered)))


def items(jobs: list[Job]) -> list[tuple[str, str]]:
    return sorted((job.name, job.values["item"]) for job in jobs)


def test_what_is_due_goes_out_once(tools, topic):
    *fetches, job = look(tools, start_run(tools, topic))
    assert [fetch.name for fetch in fetches] == ["topic_fetch_link"] * 3
    assert [again.name for again in look(tools, job)] == ["topic_run"]


def test_a_topic_without_progress_fails_and_says_what_it_waited_for(tools, topic, clock):
    *_, job = look(tools, start_run(tools, topic))
    for _ in range(5):
        clock.now += 40
        *_, job = look(tools, job)
    clock.now += 40
    assert look(tools, job) == []
    failed = store.find_topic(tools.database, "T")
    assert failed.state == model.FAILED
    assert failed.message == (
        "no progress for 240 s, waiting for 3 links to be fetched (the first: http://a.example/1)"
    )


def test_what_was_lost_on_the_way_goes_out_again(tools, topic, clock):
    *lost, job = look(tools, start_run(tools, topic))
    clock.now += 30
    [job] = look(tools, job)
    clock.now += 31
    *again, job = look(tools, job)
    assert items(again) == items(lost)
    assert {fetch.values["run"] for fetch in again}.isdisjoint(fetch.values["run"] for fetch in lost)
    [_] = look(tools, job)


def test_a_look_that_was_cut_off_sends_out_again_what_it_offered(tools, topic):
    first = start_run(tools, topic)
    *lost, _ = look(tools, first)
    *again, job = look(tools, first, redelivered=True)
    assert items(again) == items(lost)
    assert look(tools, first, redelivered=True) == []
    assert look(tools, job)


def test_a_run_that_begins_again_leaves_what_a_worker_has_in_hand(tools, topic, clock):
    first, *others, _ = look(tools, start_run(tools, topic))
    values = first.values
    until = clock.now + tools.hold_seconds
    assert take(
        tools.database, topic.id, first.name, values["item"], run=values["run"], holder="other", until=until
    ) == Taken(topic.id, first.name, values["item"])
    *again, job = look(tools, start_run(tools, store.find_topic(tools.database, "T")))
    assert items(again) == items(others)
    clock.now = until
    *late, _ = look(tools, job)
    assert items(late) == items([first])


def test_turns_that_passed_before_a_run_began_again_are_void(tools, topic, clock):
    *offered, _ = look(tools, start_run(tools, topic))
    turns = {}
    for job, turn in zip(offered, (clock.now + 10, clock.now + 50), strict=False):
        item, run = job.values["item"], job.values["run"]
        taken = take(tools.database, topic.id, job.name, item, run=run, holder="me", until=clock.now)
        assert taken is not None
        put_back(tools.database, taken, "me", until=turn, tries=0, turn=turn)
        turns[item] = turn
    clock.now += 30
    start_run(tools, store.find_topic(tools.database, "T"))
    with tools.database.read() as connection:
        kept = dict(connection.execute(select(tables.topic_jobs.c.item, tables.topic_jobs.c.turn)).all())
    passed, to_come = turns
    assert (kept[passed], kept[to_come]) == (0.0, turns[to_come])


def test_an_older_message_of_a_run_ends(tools, topic):
    old = start_run(tools, topic)
    new = start_run(tools, store.find_topic(tools.database, "T"))
    assert look(tools, old) == []
    assert look(tools, new)


def test_a_message_of_a_topic_that_is_gone_ends(tools):
    assert look(tools, Job("topic_run", {"topic": 77, "run": "x"})) == []


def test_too_many_errors_of_our_own_fail_the_topic(tools, topic):
    add_seeds(tools.database, topic.id, [Seed(f"http://c.example/{i}") for i in range(20)])
    *jobs, again = look(tools, start_run(tools, topic))
    for fetch in jobs:
        FetchLink(tools).give_up(Taken(topic.id, fetch.name, fetch.values["item"]), "KeyError: x", defect=True)
    look(tools, again)
    failed = store.find_topic(tools.database, "T")
    assert (failed.state, failed.message) == (model.FAILED, "23 errors of our own are more than the 10 allowed")


def test_share_counts_are_asked_for_while_the_spider_runs(tools, topic):
    story = web_story(1, "A")
    add_members(tools.database, topic, story)
    *jobs, job = look(tools, start_run(tools, topic))
    assert ("facebook_fetch_story_stats", story.id) in items(jobs)
    [_] = look(tools, job)


def test_share_counts_that_are_missing_are_asked_for_again_after_an_interruption(tools, topic):
    story = web_story(1, "A")
    add_members(tools.database, topic, story)
    store.set_state(tools.database, topic.id, model.DEDUPED)
    deduped = store.find_topic(tools.database, "T")
    *jobs, job = look(tools, start_run(tools, deduped))
    assert ("facebook_fetch_story_stats", story.id) in items(jobs)
    [job] = look(tools, job)  # once is enough
    save_shares(tools.database, story.id, Shares(1, 2, 3))
    [snapshot] = look(tools, job)
    assert snapshot.name == "topic_snapshot"


def test_what_did_not_happen_is_not_told(tools, topic):
    tools = replace(tools, settings=replace(tools.settings, facebook_token=""))
    add_members(tools.database, topic, web_story(1, "A"))
    store.set_state(tools.database, topic.id, model.DEDUPED, "")
    look(tools, start_run(tools, store.find_topic(tools.database, "T")))
    assert store.find_topic(tools.database, "T").message == ""


def test_share_counts_are_not_waited_for_for_ever(tools, topic, clock):
    add_members(tools.database, topic, web_story(1, "A"))
    store.set_state(tools.database, topic.id, model.DEDUPED)
    *_, job = look(tools, start_run(tools, store.find_topic(tools.database, "T")))
    clock.now += tools.settings.facebook_wait_seconds
    *_, job = look(tools, job)
    assert job.name == "topic_run"
    clock.now += 1
    [snapshot] = look(tools, job)
    assert snapshot.name == "topic_snapshot"
    assert store.find_topic(tools.database, "T").message.endswith("share counts missing for 1 story")


@pytest.mark.parametrize(
    ("poll", "check_seconds", "moved", "pause"),
    [(1.0, 0.0, False, 1.0), (1.0, 0.0, True, 0.25), (1.0, 0.05, True, 0.45), (1.0, 0.5, False, 4.5)],
)
def test_a_run_looks_sooner_while_things_move_and_rests_longer_than_it_looks(poll, check_seconds, moved, pause):
    assert pause_until_check(poll, check_seconds, moved=moved) == pytest.approx(pause)


def test_a_check_that_was_slow_for_once_delays_nothing(tools, topic, monkeypatch):
    ticks = iter([0.0, 20.0, 30.0, 30.1, 40.0, 40.1])
    monkeypatch.setattr("tearsheet.topics.spider.topic_run.time.perf_counter", lambda: next(ticks))
    run, job = TopicRun(tools), start_run(tools, topic)
    for _ in range(3):
        *_, job = asyncio.run(run.handle(job.values, redelivered=False))
        assert job.delay <= tools.settings.poll_seconds
