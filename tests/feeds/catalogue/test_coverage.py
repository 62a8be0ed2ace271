"""Gaps of sources, with what the events of their feeds and the ledger say about them."""

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest

from tearsheet.engines.index.opener import open_index
from tearsheet.feeds.catalogue.coverage import CoverageGap, coverage_gaps
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.store import add_feeds
from tearsheet.feeds.tables import FETCH_FAILED, FETCH_SUCCEEDED, fetch_events
from tearsheet.work.ledger import Ledger
from tearsheet.work.ledger_entry import DROPPED, LedgerEntry
from tests.support.feed_fakes import new_database
from tests.support.index_stories import story

FIRST, LAST = date(2026, 10, 1), date(2026, 10, 30)
SILENT = date(2026, 10, 20)


def at(day: date) -> datetime:
    return datetime.combine(day, time(12), UTC)


@pytest.fixture
def collection(tmp_path: Path):
    database = new_database(tmp_path)
    index = open_index("index", tmp_path)
    names = ["failing.example", "quiet.example", "blocked.example", "unpolled.example", "fine.example"]
    add_feeds(database, [NewFeed(f"http://{name}/rss") for name in names], at(date(2026, 8, 1)))
    days = [LAST - timedelta(days=n) for n in range(60)]
    index.add(
        [
            story(f"{name}-{day}-{n}", canonical_domain=name, publication_date=day.isoformat())
            for name in names
            for day in days
            if name == "fine.example" or not SILENT <= day <= SILENT + timedelta(days=2)
            for n in range(4)
        ]
    )
    index.refresh()
    ledger = Ledger(database, clock=lambda: at(SILENT).timestamp())
    with database.begin() as connection:
        connection.execute(
            fetch_events.insert(),
            [
                {"feed_id": feed, "event": event, "note": note, "created_at": at(SILENT + timedelta(days=day))}
                for feed, event, note, days in (
                    (1, FETCH_FAILED, "HTTP 503 Service Unavailable", (0, 1, 2)),
                    (2, FETCH_SUCCEEDED, "no new stories", (0, 1)),
                    (3, FETCH_SUCCEEDED, "4 added", (0, 1, 2)),
                    (4, FETCH_SUCCEEDED, "4 added", (-5, 5)),
                )
                for day in days
            ],
        )
    ledger.record(
        [
            LedgerEntry(
                f"story-{n}",
                "fetcher",
                DROPPED,
                "http-403",
                domain="blocked.example",
                url=f"http://blocked.example/{n}",
            )
            for n in range(7)
        ]
    )
    yield index, ledger, database
    index.close()
    database.close()


def gaps(collection, first: date = FIRST, domains: set[str] | None = None) -> list[CoverageGap]:
    index, ledger, database = collection
    return coverage_gaps(index, ledger, database, first, LAST, domains)


def test_each_gap_has_its_days_and_its_reason(collection):
    found = {gap.source: gap for gap in gaps(collection)}
    last = SILENT + timedelta(days=2)
    assert found == {
        name: CoverageGap(name, SILENT, last, 0, 12, why)
        for name, why in {
            "failing.example": "every poll failed, mostly: HTTP 503 Service Unavailable; no story dropped",
            "quiet.example": "polled 2 times without failure; no story dropped",
            "blocked.example": "polled 3 times without failure; 7 stories dropped, mostly fetcher/http-403",
            "unpolled.example": "its feeds were not polled; no story dropped",
        }.items()
    }


def test_only_the_sources_asked_for(collection):
    assert [gap.source for gap in gaps(collection, domains={"quiet.example", "fine.example"})] == ["quiet.example"]


def test_days_before_those_asked_for_are_only_learned_from(collection):
    assert gaps(collection, first=SILENT + timedelta(days=3)) == []


def test_what_is_not_kept_any_more_is_said(collection):
    index, ledger, database = collection
    with database.begin() as connection:
        connection.execute(fetch_events.delete().where(fetch_events.c.feed_id == 1))
    [gap] = coverage_gaps(index, ledger, database, FIRST, LAST, {"failing.example"})
    assert gap.why == "no events of its feeds are kept from then; no story dropped"


def test_a_source_with_few_stories_is_looked_at_by_the_week_up_to_the_last_day(collection):
    index, *_ = collection
    index.add(
        [
            story(f"few-{day}", canonical_domain="few.example", publication_date=day.isoformat())
            for day in (LAST - timedelta(days=n) for n in range(7, 60))
        ]
    )
    index.refresh()
    [gap] = gaps(collection, domains={"few.example"})
    assert (gap.first, gap.last, gap.stories, gap.usual) == (LAST - timedelta(days=6), LAST, 0, 7)
