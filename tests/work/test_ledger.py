from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tearsheet.engines.database import open_database
from tearsheet.work.ledger import Count, Ledger
from tearsheet.work.ledger_entry import LedgerEntry

DAY = 86_400


@pytest.fixture
def ledger(tmp_path):
    database = open_database("t.db", tmp_path)
    database.migrate()
    now = [datetime(2026, 3, 1, 12, tzinfo=UTC).timestamp()]
    ledger = Ledger(database, clock=lambda: now[0])
    ledger.now = now  # type: ignore[attr-defined]  # for the tests to turn
    yield ledger
    database.close()


def entry(story: str, status: str = "dropped", reason: str = "too-short", **more) -> LedgerEntry:
    return LedgerEntry(story, "parser", status, reason, url=f"http://a.example/{story}", domain="a.example", **more)


def test_a_story_that_is_seen_twice_is_counted_once(ledger):
    ledger.record([entry("1"), entry("2")])
    ledger.record([entry("1"), entry("1")])
    assert ledger.counts() == [Count("parser", "dropped", "too-short", 2)]


def test_the_last_outcome_of_a_story_at_a_stage_counts(ledger):
    ledger.record([entry("1", "retrying", "noconn")])
    ledger.record([entry("1", "recovered", "try 2")])
    assert ledger.counts() == [Count("parser", "recovered", "try 2", 1)]


def test_a_story_can_be_explained_by_its_address(ledger):
    ledger.record([entry("1", detail="12 characters")])
    (explanation,) = ledger.explain("http://a.example/1")
    assert (explanation.reason, explanation.detail) == ("too-short", "12 characters")
    assert ledger.explain("http://a.example/2") == []


def test_folding_keeps_the_counts_and_drops_the_rows(ledger):
    ledger.record([entry(str(n)) for n in range(5)] + [entry("s", source_id=3)])
    ledger.now[0] += 10 * DAY
    ledger.record([entry("new")])
    before = ledger.counts()
    assert ledger.fold(keep_days=7) == 6
    assert ledger.counts() == before == [Count("parser", "dropped", "too-short", 7)]
    assert [row.url for row in ledger.find({})] == ["http://a.example/new"]
    assert ledger.fold(keep_days=7) == 0


def test_folding_twice_adds_up(ledger):
    for n in range(3):
        ledger.record([entry(str(n))])
        ledger.now[0] += 1
    ledger.now[0] += 10 * DAY
    ledger.fold(keep_days=7)
    ledger.now[0] -= 10 * DAY
    ledger.record([entry("late")])
    ledger.now[0] += 10 * DAY
    ledger.fold(keep_days=7)
    assert ledger.counts() == [Count("parser", "dropped", "too-short", 4)]


def test_counts_can_be_limited_to_the_last_days(ledger):
    ledger.record([entry("old")])
    ledger.now[0] += 10 * DAY
    ledger.record([entry("new")])
    since = datetime.fromtimestamp(ledger.now[0], UTC) - timedelta(days=2)
    assert ledger.counts(since) == [Count("parser", "dropped", "too-short", 1)]
