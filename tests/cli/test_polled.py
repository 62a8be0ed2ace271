"""Counts of polls are told in words."""

from __future__ import annotations

from tearsheet.cli.polled import WORDS, in_words
from tearsheet.feeds import tables
from tearsheet.feeds.formats import SITEMAP
from tearsheet.feeds.polling import dedupe


def test_what_is_counted_is_told_in_words():
    told = in_words({"stories.dup_url": 3, "feeds.fetch_succeeded": 1, "feeds.queued": 1, "feeds.new_sort": 2})
    assert told == [
        ("feeds read", 1),
        ("new stories", 0),
        ("entries known already, by their address", 3),
        ("feeds.new_sort", 2),
    ]


def test_every_event_and_every_reason_has_words():
    reasons = [value for name, value in vars(dedupe).items() if name.isupper() and isinstance(value, str)]
    events = [value for name, value in vars(tables).items() if name.startswith("FETCH_")]
    assert "tossed" in reasons and len(reasons) > 12 and len(events) == 3
    names = {f"stories.{reason}" for reason in reasons if reason != SITEMAP}
    assert (names | {f"feeds.{event}" for event in events}) - WORDS.keys() == set()
