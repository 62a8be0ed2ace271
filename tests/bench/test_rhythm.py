"""A small version of the simulation: stories are found sooner, with no more polls, and fewer are missed."""

from __future__ import annotations

from statistics import median

from bench.feed_shapes import read_shapes
from bench.rhythm import make_feeds, simulate_all

DAYS, SETTLED = 12, 6


def test_the_rhythm_halves_the_delay_without_more_polls() -> None:
    feeds = make_feeds(read_shapes()[::5], 47, DAYS)
    before, after = simulate_all(feeds, DAYS, None, SETTLED), simulate_all(feeds, DAYS, 1.0, SETTLED)
    assert after.polls <= before.polls
    assert median(after.delays) <= median(before.delays) / 2
    assert after.lost < before.lost
