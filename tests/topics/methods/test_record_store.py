"""What is kept of a run on the simulated web: its numbers are those of the topic's status, and they stay."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import delete

from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.database import open_database
from tearsheet.engines.index.opener import open_index
from tearsheet.topics import tables
from tearsheet.topics.decisions import EDIT, EXCLUDE, INCLUDE, MERGE, Decision, record
from tearsheet.topics.methods.record import Decided
from tearsheet.topics.methods.record_store import load_record, record_now
from tearsheet.topics.model import NewTopic, Seed
from tearsheet.topics.snapshot.store import list_snapshots, save_snapshot
from tearsheet.topics.spider.stores.seeds import add_seeds
from tearsheet.topics.store import create_topic, delete_topic, find_topic, progress_of, set_state
from tests.support.loopback_web import serve
from tests.support.simulated_web import SimulatedWeb
from tests.support.topic_runs import SETTINGS, prepare, run

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture
def database(tmp_path):
    made = open_database("t.db", tmp_path)
    made.migrate()
    yield made
    made.close()


def spidered(database, tmp_path, web, **changes):
    topic = prepare(database, web, **changes)
    index = open_index("index", tmp_path)

    async def go():
        broker = SqliteBroker(tmp_path / "queues.db")
        async with serve(web.answer) as server:
            try:
                return await run(database, index, broker, server.port, topic, replace(SETTINGS, max_self_linked=9))
            finally:
                await broker.close()

    done = asyncio.run(go())
    index.close()
    return done


def test_the_record_of_a_run_has_the_numbers_of_its_status(database, tmp_path):
    web = SimulatedWeb(sites=4, pages=60, seed=5)
    topic = spidered(database, tmp_path, web, max_stories=12)
    [snapshot] = list_snapshots(database, topic.id)
    kept, progress = load_record(database, snapshot.id), progress_of(database, topic)
    assert kept is not None
    assert kept.stories["in"] == progress.stories == sum(kept.iterations.values())
    assert max(kept.iterations) == progress.iteration
    assert kept.stories.get("out", 0) == progress.not_relevant == sum(kept.left_out.values())
    assert kept.stories.get("over-budget", 0) == progress.over_budget
    assert kept.asked.get("request failed", 0) == progress.failed_requests
    assert kept.seeds == {"url": len(web.seeds)}
    assert {"no match", "outside dates"} >= kept.left_out.keys()
    assert (kept.max_stories, kept.max_self_linked, len(kept.runs)) == (12, 9, 1)
    assert replace_time(record_now(database, topic, 9)) == replace_time(kept)


def replace_time(kept):
    values = kept.plain()
    return {name: value for name, value in values.items() if name not in ("taken_at", "runs")}


def test_a_record_stays_while_its_topic_changes(database):
    topic = create_topic(database, NewTopic("Rivers", "flood"), 1.0)
    first = save_snapshot(database, topic, max_self_linked=200)
    before = load_record(database, first)
    add_seeds(database, topic.id, [Seed("http://a.example/1"), Seed("http://a.example/2", None, "csv", True)])
    set_state(database, topic.id, query="flood OR dam")
    changed = find_topic(database, "Rivers")
    second = load_record(database, save_snapshot(database, changed, run="r"))
    assert before == load_record(database, first)
    assert before is not None and second is not None
    assert (before.query, before.seeds, before.max_self_linked, before.runs) == ("flood", {}, 200, ())
    assert (second.query, second.seeds, second.assumed) == ("flood OR dam", {"url": 1, "csv": 1}, 1)
    assert (second.max_self_linked, second.runs) == (None, (second.taken_at,))


def test_decisions_are_counted_by_kind_and_reason_and_name_no_page(database):
    topic = create_topic(database, NewTopic("Rivers", "flood"), 1.0)
    with database.begin() as connection:
        for decision in (
            Decision(EXCLUDE, "http://a.example/1", "spam", NOON, key="1"),
            Decision(EXCLUDE, "http://a.example/2", "spam", NOON, key="2"),
            Decision(INCLUDE, "http://a.example/3", "", NOON, key="3"),
            Decision(MERGE, "a.example", "one paper", NOON, "b.example", "a.example"),
            Decision(EDIT, "query", "too narrow", NOON, "from flood to flood*"),
        ):
            record(database, connection, topic.id, decision)
    kept = record_now(database, topic, None)
    assert kept.decided == (
        Decided("edit", "too narrow", 1, "query (from flood to flood*)"),
        Decided("exclude", "spam", 2),
        Decided("include", "", 1),
        Decided("merge", "one paper", 1, "a.example into b.example"),
    )


def test_a_snapshot_of_an_earlier_version_has_no_record_and_records_go_with_their_topic(database):
    topic = create_topic(database, NewTopic("Rivers", "flood"), 1.0)
    number = save_snapshot(database, topic)
    assert load_record(database, number) is not None
    delete_topic(database, topic)
    assert load_record(database, number) is None
    other = create_topic(database, NewTopic("Dams", "dam"), 1.0)
    older = save_snapshot(database, other)
    with database.begin() as connection:
        connection.execute(delete(tables.topic_snapshot_records))
    assert load_record(database, older) is None
