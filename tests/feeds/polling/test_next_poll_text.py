"""The sentence that says when a feed is polled next, and why."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tearsheet.feeds.catalogue import read_feed
from tearsheet.feeds.polling.next_poll_text import next_poll
from tests.support.feed_fakes import NOW

LATER = NOW + timedelta(hours=5)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"active": False}, "switched it off"),
        ({"system_enabled": False, "next_fetch_reason": "disabled after 30 failures"}, "disabled after 30"),
        ({"queued": True}, "Being fetched"), ({}, "at the next occasion (new)"),
        ({"next_fetch_attempt": LATER, "next_fetch_reason": "back-off"}, "2026-11-15 17:00 UTC, in 5 hours (back-off)"),
        ({"next_fetch_attempt": NOW + timedelta(minutes=50)}, "in 50 minutes"),
        ({"next_fetch_attempt": NOW + timedelta(days=3)}, "in 3 days"),
    ],
)  # fmt: skip
def test_why_a_feed_is_where_it_is(database, columns, words) -> None:
    assert words in next_poll(read_feed(database, 1) | columns, NOW)
