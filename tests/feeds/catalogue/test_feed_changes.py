from datetime import UTC, datetime

import pytest

from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue.feed_changes import changed_columns
from tearsheet.feeds.polling.result_store import RESULT_COLUMNS

NOW = datetime(2026, 11, 16, tzinfo=UTC)


def test_only_what_is_given_changes():
    assert changed_columns({}, NOW) == {}
    assert changed_columns({"name": None, "active": None, "url": None, "admin_minutes": None}, NOW) == {}
    assert changed_columns({"name": "", "active": False}, NOW) == {"name": "", "active": False}


def test_an_interval_of_one_s_own_counts_from_now_and_0_gives_it_back():
    soon = {"due_at": NOW, "next_fetch_attempt": None}
    assert changed_columns({"admin_minutes": 30}, NOW) == soon | {"admin_minutes": 30}
    assert changed_columns({"admin_minutes": 0}, NOW) == soon | {"admin_minutes": None}


def test_at_a_new_address_nothing_of_the_old_one_is_believed():
    changed = changed_columns({"url": "https://New.example/rss"}, NOW)
    assert (changed["url"], changed["host"], changed["due_at"]) == ("https://New.example/rss", "new.example", NOW)
    learned = {
        "http_etag",
        "http_last_modified",
        "last_fetch_hash",
        "entries_hash",
        "redirect_url",
        "skip_times",
        "poll_minutes",
    }
    assert learned <= set(RESULT_COLUMNS)
    assert {changed[name] for name in learned} == {None}
    assert (changed["lease"], changed["queued"], changed["last_fetch_failures"]) == (None, False, 0.0)


def test_an_address_that_is_none_is_told():
    with pytest.raises(UsageError, match=r"ftp://a\.example/: not http"):
        changed_columns({"url": "ftp://a.example/"}, NOW)
