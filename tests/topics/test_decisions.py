"""Decisions about a topic: kept with their reasons, replaced by later ones, undone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tearsheet.app.services import Services
from tearsheet.errors import NotFoundError
from tearsheet.settings import Settings
from tearsheet.topics import NewTopic, store
from tearsheet.topics.decisions import (
    EXCLUDE,
    INCLUDE,
    MERGE,
    Decision,
    MergeCycle,
    check_merge,
    counted_as,
    decision_on_story,
    decisions,
    included_pages,
    merged_sources,
    record,
    undo,
)
from tearsheet.topics.spider.stores.web_stories import save_story
from tests.support.topic_rows import web_story

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.fixture
def database(tmp_path):
    with Services(Settings(tmp_path)) as services:
        yield services.database


@pytest.fixture
def topic(database):
    return store.create_topic(database, NewTopic("flood", "water"), 0)


def decide(database, topic, *made: Decision) -> None:
    with database.begin() as connection:
        for decision in made:
            record(database, connection, topic.id, decision)


def page(kind: str, reason: str, key: str = "k") -> Decision:
    return Decision(kind, "http://a.example/1", reason, NOON, key=key)


def merge(source: str, target: str) -> Decision:
    return Decision(MERGE, source, "one paper", NOON, target, source)


def test_decisions_are_listed_as_they_were_made_and_of_their_topic_only(database, topic):
    other = store.create_topic(database, NewTopic("other", "water"), 0)
    first, second = page(EXCLUDE, "an advertisement"), merge("a.example", "b.example")
    decide(database, topic, first, second)
    decide(database, other, page(INCLUDE, "of the other"))
    assert decisions(database, topic) == [first, second]
    with database.read() as connection:
        assert included_pages(connection, topic.id) == []
        assert merged_sources(connection, topic.id) == {"a.example": "b.example"}
        assert merged_sources(connection, other.id) == {}


def test_a_later_decision_on_the_same_page_or_source_takes_the_place_of_the_earlier(database, topic):
    decide(database, topic, page(EXCLUDE, "first"), merge("a.example", "b.example"))
    decide(database, topic, page(INCLUDE, "second"), merge("a.example", "c.example"))
    assert decisions(database, topic) == [page(INCLUDE, "second"), merge("a.example", "c.example")]
    everything = decisions(database, topic, undone=True)
    assert [decision.undone is None for decision in everything] == [False, False, True, True]
    assert replace(everything[0], undone=None) == page(EXCLUDE, "first"), "what no longer holds is kept"


def test_of_decisions_on_two_addresses_of_a_story_the_last_counts(database, topic):
    story = web_story(1, "Water")
    save_story(database, story, None, None, [("other-address", "http://a.example/other")])
    decide(database, topic, page(INCLUDE, "first", key=story.id), page(EXCLUDE, "second", key="other-address"))
    with database.read() as connection:
        assert decision_on_story(connection, topic.id, story.id) == page(EXCLUDE, "second", key="other-address")
        assert decision_on_story(connection, topic.id, "another") is None


def test_what_is_undone_no_longer_holds_and_cannot_be_undone_twice(database, topic):
    decide(database, topic, page(EXCLUDE, "first"), page(EXCLUDE, "of another", key="l"))
    with database.begin() as connection:
        undo(connection, topic.id, EXCLUDE, "k", "http://a.example/1")
    assert [decision.key for decision in decisions(database, topic)] == ["l"]
    with (
        pytest.raises(NotFoundError, match="no decision to exclude http"),
        database.begin() as connection,
    ):
        undo(connection, topic.id, EXCLUDE, "k", "http://a.example/1")


def test_chains_of_sources_are_followed_and_circles_refused(database, topic):
    assert [counted_as(source, {"a": "b", "b": "c"}) for source in "abcx"] == ["c", "c", "c", "x"]
    decide(database, topic, merge("a", "b"), merge("b", "c"))
    with database.read() as connection:
        check_merge(connection, topic.id, "c", "d")
        with pytest.raises(MergeCycle, match="c → a → b → c"):
            check_merge(connection, topic.id, "c", "a")
        with pytest.raises(MergeCycle, match="x → x"):
            check_merge(connection, topic.id, "x", "x")
