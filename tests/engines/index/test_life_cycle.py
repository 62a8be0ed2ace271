"""When an index is followed by another, and when an old one is removed."""

from __future__ import annotations

import pytest

from tearsheet.engines.index.life_cycle import IndexPart, LifeCycle, expired, is_full, kept_until

DAY = 86_400.0
NOW = 100 * DAY


def part(number: int, *, stories: int = 10, size: int = 1_000, age: float = 0.0) -> IndexPart:
    return IndexPart(f"x-{number:06}", stories, size, NOW - age * DAY)


@pytest.mark.parametrize(
    ("life", "newest", "full"),
    [
        (LifeCycle(), part(1), False),
        (LifeCycle(rollover_stories=10), part(1), True),
        (LifeCycle(rollover_stories=11), part(1), False),
        (LifeCycle(rollover_stories=0), part(1, stories=10**12), False),
        (LifeCycle(rollover_bytes=1_000), part(1), True),
        (LifeCycle(rollover_bytes=1_001), part(1), False),
        (LifeCycle(rollover_days=3), part(1, age=3), True),
        (LifeCycle(rollover_days=3), part(1, age=2.9), False),
        (LifeCycle(rollover_days=3), part(1, age=30, stories=0), False),
    ],
)
def test_the_newest_is_followed_by_another_when_any_limit_is_reached(life, newest, full):
    assert is_full(life, newest, NOW) == full


def test_an_index_is_kept_for_so_long_after_its_last_story():
    parts = [part(1, age=50), part(2, age=30), part(3, age=10)]
    life = LifeCycle(keep_days=25)
    assert kept_until(life, parts) == {"x-000001": NOW - 5 * DAY, "x-000002": NOW + 15 * DAY}
    assert expired(life, parts, NOW) == ["x-000001"]
    assert expired(life, parts, NOW + 15 * DAY) == ["x-000001", "x-000002"]


def test_the_newest_is_never_removed_and_without_a_limit_none_is():
    assert expired(LifeCycle(keep_days=1), [part(1, age=1_000)], NOW) == []
    assert expired(LifeCycle(), [part(1, age=900), part(2, age=800)], NOW) == []
