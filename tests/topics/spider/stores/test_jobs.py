"""Who has what in hand."""

from __future__ import annotations

import pytest

from tearsheet.topics.spider.addresses import url_key
from tearsheet.topics.spider.seeds import route_new_seeds
from tearsheet.topics.spider.stores import jobs
from tearsheet.topics.spider.stores.fetches import finish_fetch, pending_addresses
from tearsheet.topics.spider.stores.jobs import Taken

JOB = "topic_fetch_link"
KEYS = sorted(url_key(url) for url in ("http://a.example/1", "http://a.example/2", "http://b.example/1"))


class Hands:
    """The jobs of one topic, at a time that the test sets."""

    def __init__(self, database, topic_id: int) -> None:
        self.database, self.topic_id, self.now = database, topic_id, 100.0

    def offer(self, run: str, limit: int = 100) -> list[str]:
        return jobs.offer(self.database, self.topic_id, JOB, pending_addresses, run=run, now=self.now, limit=limit)

    def take(self, item: str, run: str, holder: str = "me") -> Taken | None:
        return jobs.take(self.database, self.topic_id, JOB, item, run=run, holder=holder, until=self.now + 10)


@pytest.fixture
def hands(tools, topic):
    route_new_seeds(tools, topic)
    return Hands(tools.database, topic.id)


def test_a_run_offers_each_item_once(hands):
    assert hands.offer("r1", limit=2) == KEYS[:2]
    assert hands.offer("r1") == KEYS[2:]
    assert hands.offer("r1") == []
    assert hands.offer("r2") == KEYS


def test_an_item_is_taken_once_whatever_messages_come(hands):
    hands.offer("r1")
    assert hands.take(KEYS[0], "r1") == Taken(hands.topic_id, JOB, KEYS[0])
    assert hands.take(KEYS[0], "r1", "other") is None
    assert hands.take("unknown", "r1") is None


def test_an_offer_of_an_older_run_is_void(hands):
    hands.offer("r1")
    hands.offer("r2")
    assert hands.take(KEYS[0], "r1") is None
    assert hands.take(KEYS[0], "r2") is not None


def test_what_is_in_hand_is_not_offered_until_its_time_is_over(hands):
    hands.offer("r1")
    hands.take(KEYS[0], "r1")
    assert hands.offer("r2") == KEYS[1:]
    hands.now += 9.9
    jobs.renew(hands.database, "me", hands.now + 10)
    hands.now += 9.9
    assert hands.offer("r2") == []
    hands.now += 0.1
    assert hands.offer("r2") == KEYS[:1]


def test_what_was_let_go_is_offered_at_once(hands):
    hands.offer("r1")
    hands.take(KEYS[0], "r1")
    hands.take(KEYS[1], "r1", "other")
    jobs.release_all(hands.database, "me")
    assert hands.offer("r1") == KEYS[:1]


def test_what_is_put_back_waits_and_remembers(hands):
    hands.offer("r1")
    taken = hands.take(KEYS[0], "r1")
    jobs.put_back(hands.database, taken, "other", until=0.0, tries=9, turn=9.0)  # not in its hands: nothing happens
    jobs.put_back(hands.database, taken, "me", until=105.0, tries=2, turn=105.0)
    assert hands.offer("r1") == []
    hands.now = 105.0
    assert hands.offer("r1") == KEYS[:1]
    assert hands.take(KEYS[0], "r1") == Taken(hands.topic_id, JOB, KEYS[0], 2, 105.0)


def test_what_is_done_is_not_offered_and_begins_from_nothing_if_it_is_wanted_again(hands):
    hands.offer("r1")
    taken = hands.take(KEYS[0], "r1")
    jobs.finish(hands.database, taken, "me")
    assert hands.offer("r1") == KEYS[:1]  # the tables still want it
    finish_fetch(hands.database, hands.topic_id, KEYS[0], "story added")
    assert hands.offer("r2") == KEYS[1:]
    jobs.forget(hands.database, hands.topic_id)
    assert hands.offer("r2") == KEYS[1:]
