"""Topics that are stopped and deleted."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from tearsheet.app.services import Services
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.settings import Settings
from tearsheet.topics import NewTopic, Seed, model, store, tables
from tearsheet.topics.snapshot import save_snapshot
from tearsheet.topics.snapshot.store import load_snapshot
from tearsheet.topics.spider import add_seeds
from tearsheet.topics.spider.correcting import merge_sources
from tests.support.topic_rows import add_members, web_story


@pytest.fixture
def database(tmp_path):
    with Services(Settings(tmp_path)) as services:
        yield services.database


def rows(database) -> dict[str, int]:
    with database.read() as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in tables.topics.metadata.sorted_tables
            if "topics_id" in table.c or table.name in ("topics", "web_stories")
        }


def test_a_deleted_topic_leaves_no_row_and_takes_none_of_others(database):
    kept = store.create_topic(database, NewTopic("kept", "water"), 0)
    add_members(database, kept, web_story(1, "Water"))
    before = rows(database)
    gone = store.create_topic(database, NewTopic("gone", "water"), 0)
    add_seeds(database, gone.id, [Seed("http://a.example/1")])
    add_members(database, gone, web_story(1, "Water"))
    save_snapshot(database, gone)
    merge_sources(database, gone, "a.example", "b.example", "one paper")
    assert (rows(database)["topic_snapshots"], rows(database)["topic_decisions"]) == (1, 1)
    store.delete_topic(database, gone)
    assert rows(database) == before, "the pages stay: another topic has them"
    with pytest.raises(NotFoundError):
        store.find_topic(database, "gone")


def test_a_topic_at_work_is_stopped_before_it_is_deleted(database):
    topic = store.create_topic(database, NewTopic("bridge", "water"), 0)
    with pytest.raises(UsageError, match="not at work: its state is created"):
        store.stop_topic(database, topic)
    store.set_state(database, topic.id, model.RUNNING)
    with pytest.raises(UsageError, match="topic stop"):
        store.delete_topic(database, topic)
    store.stop_topic(database, topic)
    assert store.find_topic(database, "bridge").state == model.STOPPED
    assert not store.set_state(database, topic.id, model.DEDUPED, only_from=model.AT_WORK), (
        "a run does not bring it back"
    )
    store.delete_topic(database, topic)
    assert store.list_topics(database) == []


def test_a_snapshot_that_is_not_there_is_told_apart_from_none_at_all(database):
    topic = store.create_topic(database, NewTopic("flood", "water"), 0)
    with pytest.raises(NotFoundError, match="'flood' has no snapshot yet; `tearsheet topic run` makes one"):
        load_snapshot(database, topic)
    with pytest.raises(NotFoundError, match="'flood' has no snapshot 7; `tearsheet topic status` lists"):
        load_snapshot(database, topic, 7)
