"""A small version of the simulation: stories are found sooner, with no more polls, and fewer are missed."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import pytest
from bench.feed_lives import Feed, held_out_feeds, tuned_feeds
from bench.rhythm import HISTORY_DAYS, simulate_all, total

DAYS, SETTLED = 12, 6


def test_the_rhythm_halves_the_delay_without_more_polls() -> None:
    _is_twice_as_quick(tuned_feeds(320, HISTORY_DAYS + DAYS)[::7])


@pytest.mark.proof
def test_it_does_so_for_feeds_that_it_was_not_tuned_on() -> None:
    _is_twice_as_quick(held_out_feeds(320, HISTORY_DAYS + DAYS)[::3])


def _is_twice_as_quick(feeds: Sequence[Feed]) -> None:
    before, after = (total(simulate_all(feeds, DAYS, eagerness, SETTLED)) for eagerness in (None, 1.0))
    assert after.polls <= before.polls
    assert median(after.delays) <= median(before.delays) / 2
    assert after.lost < before.lost
