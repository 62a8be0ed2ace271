"""The contract of the events port. Every adapter runs this suite, unchanged."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tearsheet.engines.events.port import Event, Events, Unerasable
from tearsheet.errors import UsageError
from tests.support.blob_stores import EVENTS, EventsHarness
from tests.support.patience import PATIENCE


@pytest.fixture(params=EVENTS)
def harness(request, tmp_path: Path) -> Iterator[EventsHarness]:
    ready: EventsHarness = request.param()
    ready.prepare(tmp_path)
    yield ready
    ready.remove()


@pytest.fixture
def events(harness: EventsHarness) -> Iterator[Events]:
    log = harness.open()
    yield log
    log.close()


@pytest.fixture
def topic(harness: EventsHarness) -> str:
    return harness.topic()


@pytest.fixture
def group() -> str:
    return f"group-{uuid.uuid4().hex[:12]}"


def drain(log: Events, topic: str, group: str, *, commit: bool = True, wait: float = 0.0) -> list[Event]:
    """Everything the group has not seen, committed batch by batch."""
    seen: list[Event] = []
    while batch := log.poll(topic, group, 100, wait):
        seen += batch
        if commit:
            log.commit(group, batch)
    return seen


def test_events_come_with_key_and_value(events, topic, group):
    value = {"url": "https://example.org/ä", "status": 200, "hops": [1, 2.5, None], "nested": {"ok": True}}
    events.publish(topic, [("k", value)])
    (event,) = events.poll(topic, group, 10)
    assert (event.topic, event.key, dict(event.value)) == (topic, "k", value)


def test_events_of_one_key_keep_their_order(events, topic, group):
    for start in range(0, 60, 20):
        events.publish(topic, [(f"k{n % 3}", {"n": n}) for n in range(start, start + 20)])
    seen = drain(events, topic, group)
    for key in ("k0", "k1", "k2"):
        numbers = [event.value["n"] for event in seen if event.key == key]
        assert numbers == sorted(numbers)
    assert sorted(event.value["n"] for event in seen) == list(range(60))


def test_a_poll_gives_at_most_what_was_asked_for(events, topic, group):
    events.publish(topic, [("k", {"n": n}) for n in range(10)])
    first = events.poll(topic, group, 4)
    assert 1 <= len(first) <= 4
    assert events.poll(topic, group, 0) == []


def test_uncommitted_events_are_given_again_and_committed_ones_are_not(events, topic, group):
    events.publish(topic, [("k", {"n": n}) for n in range(5)])
    first = events.poll(topic, group, 3)
    again = events.poll(topic, group, 3)
    assert again[0] == first[0]
    events.commit(group, first[:1])
    rest = events.poll(topic, group, 10)
    assert rest[0].value["n"] == 1
    events.commit(group, rest)
    assert [event.value["n"] for event in drain(events, topic, group)] == list(range(1 + len(rest), 5))


def test_a_place_never_moves_back(events, topic, group):
    events.publish(topic, [("k", {"n": n}) for n in range(3)])
    seen = events.poll(topic, group, 3)
    while len(seen) < 3:
        seen = events.poll(topic, group, 3)
    events.commit(group, seen)
    events.commit(group, seen[:1])
    assert events.poll(topic, group, 10) == []


def test_groups_keep_their_own_offsets(events, topic, group):
    events.publish(topic, [("k", {"n": 1})])
    assert len(drain(events, topic, group + "-1")) == 1
    assert len(drain(events, topic, group + "-2")) == 1
    assert drain(events, topic, group + "-1") == []


def test_a_place_is_kept_when_the_program_is_started_again(harness, events, topic, group):
    events.publish(topic, [("k", {"n": 1}), ("k", {"n": 2})])
    batch = events.poll(topic, group, 1)
    events.commit(group, batch)
    events.close()
    again = harness.open()
    assert [event.value["n"] for event in again.poll(topic, group, 5, 10)] == [2]
    again.close()


def test_a_poll_of_nothing_returns_and_waits_no_longer_than_asked(events, topic, group):
    assert events.poll(topic, group, 5) == []
    start = time.monotonic()
    assert events.poll(topic, group, 5, 0.3) == []
    assert 0.25 < time.monotonic() - start < PATIENCE


def test_a_waiting_reader_gets_what_arrives(events, topic, group):
    events.poll(topic, group, 1)
    writer = threading.Timer(0.2, events.publish, (topic, [("k", {"n": 1})]))
    writer.start()
    start = time.monotonic()
    assert len(events.poll(topic, group, 1, 30)) == 1
    assert time.monotonic() - start < 15
    writer.join()


def test_two_readers_of_one_group_share_the_events(harness, events, topic, group):
    events.publish(topic, [(f"k{n}", {"n": n}) for n in range(40)])
    seen: list[int] = []
    deadline = time.monotonic() + 60

    def read(log: Events) -> None:
        while len(set(seen)) < 40 and time.monotonic() < deadline:
            batch = log.poll(topic, group, 7, 0.1)
            log.commit(group, batch)
            seen.extend(event.value["n"] for event in batch)

    other = harness.open()
    readers = [threading.Thread(target=read, args=(log,)) for log in (events, other)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    other.close()
    assert set(seen) == set(range(40))


def test_another_reader_of_the_group_takes_over(harness, events, topic, group):
    events.publish(topic, [("k", {"n": n}) for n in range(4)])
    batch = events.poll(topic, group, 2)
    events.commit(group, batch)
    left = 4 - len(batch)
    events.close()
    other = harness.open()
    seen: list[Event] = []
    for _ in range(20):
        seen += drain(other, topic, group, wait=0.2)
        if len(seen) >= left:
            break
    other.close()
    assert [event.value["n"] for event in seen] == list(range(4 - left, 4))


def test_latest_is_the_newest_value_of_each_key(events, topic):
    assert events.latest(topic) == {}
    events.publish(topic, [("a", {"n": 1}), ("b", {"n": 2}), ("a", {"n": 3}), ("", {"n": 4})])
    assert events.latest(topic) == {"a": {"n": 3}, "b": {"n": 2}, "": {"n": 4}}


def test_publishing_nothing_is_fine_and_topics_are_apart(harness, events, topic):
    events.publish(topic, [])
    events.publish(harness.topic(), [("k", {"n": 1})])
    assert events.latest(topic) == {}


def test_large_events_survive(events, topic):
    text = "Übergröße " * 40_000
    events.publish(topic, [("k", {"tei": text})])
    assert events.latest(topic)["k"]["tei"] == text


@pytest.mark.parametrize("name", ["", "..", "a/b", "a b", "ä", "x" * 300, "a\n"])
def test_names_that_no_log_can_hold_are_refused(events, topic, name, group):
    with pytest.raises(UsageError):
        events.publish(name, [("k", {})])
    with pytest.raises(UsageError):
        events.poll(name, group, 1)
    with pytest.raises(UsageError):
        events.poll(topic, name, 1)
    with pytest.raises(UsageError):
        events.latest(name)


def test_erased_events_are_read_no_more_and_groups_keep_their_places(events, topic, group):
    events.publish(topic, [(str(n), {"n": n}) for n in range(6)])
    seen = events.poll(topic, group, 2)
    events.commit(group, seen)
    try:
        erased = events.erase(topic, lambda event: event.value["n"] in (0, 3))
    except Unerasable:
        assert events.erase(topic, lambda event: event.value["n"] == 99) == 0
        return
    assert erased == 2
    events.publish(topic, [("6", {"n": 6})])
    rest = [event.value["n"] for event in [*seen, *drain(events, topic, group)]]
    assert sorted(rest) == [0, 1, 2, 4, 5, 6]
    assert sorted(value["n"] for value in events.latest(topic).values()) == [1, 2, 4, 5, 6]
    assert events.erase(topic, lambda event: event.value["n"] in (0, 3)) == 0
    assert events.erase("no-such-topic", lambda event: True) == 0
