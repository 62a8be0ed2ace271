"""Decisions about a topic: kept with their reasons, replaced by later ones, undone."""

from __future__ import annotations

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
    SPLIT,
    Decision,
    decided_pages,
    decided_sources,
    decisions,
    record,
    undo,
)

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


def test_decisions_are_listed_as_they_were_made_and_of_their_topic_only(database, topic):
    other = store.create_topic(database, NewTopic("other", "water"), 0)
    first = page(EXCLUDE, "an advertisement")
    second = Decision(MERGE, "a.example", "one paper", NOON, "b.example", "a.example")
    decide(database, topic, first, second)
    decide(database, other, page(INCLUDE, "of the other"))
    assert decisions(database, topic) == [first, second]
    with database.read() as connection:
        assert decided_pages(connection, topic.id) == {"k": first}
        assert decided_pages(connection, topic.id, ["none"]) == {}
        assert decided_sources(connection, topic.id) == {"a.example": second}


def test_a_later_decision_on_the_same_page_or_source_takes_the_place_of_the_earlier(database, topic):
    merge = Decision(MERGE, "a.example", "one paper", NOON, "b.example", "a.example")
    split = Decision(SPLIT, "a.example", "two papers", NOON, "", "a.example")
    decide(database, topic, page(EXCLUDE, "first"), merge, page(INCLUDE, "second"), split)
    assert decisions(database, topic) == [page(INCLUDE, "second"), split]


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
