"""The bucket: never more than allowed in any minute beyond one burst, and the wait that is told is long enough."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tearsheet.web.limits import RateLimit


@given(st.integers(1, 20), st.lists(st.floats(0, 30), max_size=60))
def test_whoever_waits_as_told_is_let_through(per_minute, pauses):
    now = 1000.0
    limit = RateLimit(per_minute, lambda: now)
    begun = now
    for let_through, pause in enumerate(pauses, 1):
        now += pause
        wait = limit.wait_for("me")
        if wait:
            now += wait + 1e-6
            assert limit.wait_for("me") == 0
        assert let_through <= per_minute + (now - begun) * per_minute / 60 + 1e-6


def test_each_asker_has_a_bucket_and_none_is_kept_for_ever():
    limit = RateLimit(1, lambda: 0.0)
    assert [limit.wait_for(name) for name in ("a", "b", "a")] == [0, 0, 60]
    for number in range(10_001):
        limit.wait_for(str(number))
    assert limit.wait_for("a") == 0


def test_no_limit():
    assert RateLimit(0).wait_for("a") == 0
