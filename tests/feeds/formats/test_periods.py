"""What publishers say about how often they change."""

from __future__ import annotations

import pytest

from tearsheet.feeds import parse_feed
from tearsheet.feeds.formats.periods import advertised_period, fresh_minutes
from tests.support.feed_fakes import NOW, rss


@pytest.mark.parametrize(
    ("period", "frequency", "ttl", "minutes"),
    [
        ("hourly", None, None, 60), ("hourly", "2", None, 30), ("daily", "1", None, 1440), ("dayly", None, None, 1440),
        ("weekly", None, None, 1440), ("weekly", "14", None, 720), ("Hourly", "1", None, 60), ("", None, None, 1440),
        ("always", None, None, 60), ("sometimes", None, None, None), ("hourly", "0", None, None),
        ("hourly", "often", None, None), ("hourly", "-1", "15", 15), (None, None, "10", 10), (None, None, "100000", 1440),
        (None, None, "0", None), (None, None, "soon", None), (None, None, None, None), ("hourly", None, "5", 60),
        ("hourly", "1000", None, 1), (None, None, "nan", None), (None, None, "inf", None),
    ],
)  # fmt: skip
def test_the_feeds_own_word(period, frequency, ttl, minutes) -> None:
    assert advertised_period(period, frequency, ttl) == minutes


def test_the_words_are_found_in_the_feed() -> None:
    sy = b'xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"'
    words = "<sy:updatePeriod> hourly </sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>"
    body = rss(extra=words).replace(b"<rss ", b"<rss " + sy + b" ")
    assert parse_feed(body, "http://a.example/").update_minutes == 30
    skips = (
        "<ttl>25</ttl><skipHours><hour>0</hour><hour>24</hour><hour>x</hour><hour>99</hour><hour>13</hour></skipHours>"
    )
    feed = parse_feed(rss(extra=skips + "<skipDays><day>Sunday</day><day>Noday</day></skipDays>"), "http://a.example/")
    assert (feed.update_minutes, feed.skip_hours, feed.skip_days) == (25, frozenset({0, 13}), frozenset({6}))


@pytest.mark.parametrize(
    ("cache_control", "expires", "minutes"),
    [
        ("max-age=3600", None, 60), ("public, max-age=30", None, None), ("s-maxage=7200, max-age=60", None, 120),
        ("no-cache, max-age=3600", None, None), ("max-age=999999999", None, 1440), ("max-age=x", None, None),
        (None, "Sun, 15 Nov 2026 13:30:00 GMT", 90), (None, "Sun, 15 Nov 2026 11:00:00 GMT", None), (None, "0", None),
        (None, "Fri, 31 Dec 9999 23:59:59 -2359", None), (None, "Mon, 01 Jan 0001 00:00:00 +2359", None),
        (None, "-1", None), ("max-age=600", "Sun, 15 Nov 2026 13:30:00 GMT", 10),
    ],
)  # fmt: skip
def test_what_http_says(cache_control, expires, minutes) -> None:
    assert fresh_minutes(cache_control, expires, None, NOW) == minutes
