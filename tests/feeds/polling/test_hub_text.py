"""What is said of a feed's hub."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tearsheet.feeds.polling.hub_text import hub_text
from tearsheet.feeds.polling.websub import ACTIVE, ASKED, ENDING, REFUSED, WANTED
from tearsheet.feeds.polling.websub_store import Subscription

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
POLLED = "polled as if it had no hub"


ASKED_TOMORROW = Subscription(
    1, "http://hub.example/", "http://a.example/", "t", "s", WANTED, NOW + DAY, 0, None, None, None, None
)


def said(state: str, **columns: Any) -> str:
    return hub_text(replace(ASKED_TOMORROW, state=state, **columns), NOW)


def test_a_hub_that_tells_of_news_is_relied_on() -> None:
    text = said(ACTIVE, active_since=NOW - 40 * DAY, lease_until=NOW + 5 * DAY, pushed_at=NOW - DAY)
    assert "since 2026-10-07 12:00 until 2026-11-21 12:00" in text and "on 2026-11-15 12:00" in text
    assert POLLED not in text
    assert said(ASKED, lease_until=NOW + DAY, pushed_at=NOW, asked=1) == said(
        ACTIVE, lease_until=NOW + DAY, pushed_at=NOW
    )


@pytest.mark.parametrize(
    ("state", "columns", "why"),
    [
        (ACTIVE, {"lease_until": NOW + DAY, "active_since": NOW}, "has not told of any news so far"),
        (ACTIVE, {"lease_until": NOW + DAY, "pushed_at": NOW - 15 * DAY}, "no news for 14 days (2026-11-01 12:00)"),
        (ACTIVE, {"lease_until": NOW - DAY, "pushed_at": NOW - DAY, "asked": 2}, "ended on 2026-11-15 12:00"),
        (WANTED, {}, "is to be asked"),
        (
            ASKED,
            {"asked": 1, "note": "HTTP 500"},
            "asked 1 time and has not agreed (HTTP 500); it is asked again on 2026-11-17",
        ),
        (REFUSED, {"note": "denied: not you"}, "does not tell of news (denied: not you); it is asked again"),
        (REFUSED, {}, "it never called back"),
        (ENDING, {"lease_until": NOW + DAY, "pushed_at": NOW}, "being ended"),
    ],
)
def test_why_a_feed_with_a_hub_is_polled_all_the_same(state: str, columns, why: str) -> None:
    text = said(state, **columns)
    assert why in text and POLLED in text
