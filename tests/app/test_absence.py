"""Why a story is not there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tearsheet.app.absence import Known, absence_of
from tearsheet.engines.index import IndexedStory
from tearsheet.feeds.catalogue import NewFeed, add_feeds
from tearsheet.urls import BadURL, url_hash
from tearsheet.work import DONE, DROPPED
from tearsheet.work.ledger_entry import LedgerEntry
from tests.support.web_seed import NOW, open_services

ADDRESS = "https://paper.example/2026/a-story"


@pytest.fixture
def services(tmp_path):
    with open_services(tmp_path) as services:
        yield services


def outcome(stage: str, status: str, reason: str = "", link: str = "") -> LedgerEntry:
    return replace(LedgerEntry("1" * 36, stage, status, reason, "", 1, 1, "paper.example", ADDRESS), link=link)


def indexed(url: str) -> IndexedStory:
    return IndexedStory(url_hash(url), "1" * 36, url, "paper.example", 1, "Title", "text")


def test_an_address_that_nobody_brought(services):
    assert absence_of(services, ADDRESS).known is Known.NO_SOURCE
    add_feeds(services.database, [NewFeed("https://paper.example/feed")], NOW)
    assert absence_of(services, ADDRESS).known is Known.UNSEEN


def test_a_story_that_was_dropped_or_is_on_its_way(services):
    services.ledger.record([outcome("fetcher", DONE)])
    assert absence_of(services, ADDRESS).known is Known.UNDER_WAY
    services.ledger.record([outcome("parser", DROPPED, "too-short")])
    found = absence_of(services, ADDRESS)
    assert found.known is Known.LEFT_OUT and found.steps[-1].reason == "too-short"


def test_a_story_that_is_there_by_its_address_or_its_link(services):
    services.index.add([indexed(ADDRESS)])
    services.index.refresh()
    services.ledger.record([outcome("fetcher", DONE, link="https://short.example/x")])
    for address in (ADDRESS, "https://short.example/x"):
        found = absence_of(services, address)
        assert (found.known, found.index_id) == (Known.PRESENT, url_hash(ADDRESS))


def test_a_story_that_was_erased(services):
    services.erased.start("asked", {url_hash(ADDRESS): ADDRESS})
    assert absence_of(services, ADDRESS).known is Known.ERASED


def test_what_is_no_address(services):
    with pytest.raises(BadURL):
        absence_of(services, "no address")
