import random

import pytest

from tearsheet.topics.wilson import wilson


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    # From the tables of R. G. Newcombe, Statistics in Medicine 17 (1998).
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_the_interval_is_that_of_the_tables(count, of, low, high):
    assert wilson(count, of) == pytest.approx((low, high), abs=5e-5)
    assert wilson(of - count, of) == pytest.approx((1 - high, 1 - low), abs=5e-5)


def test_nothing_counted_says_nothing():
    assert wilson(0, 0) == (0.0, 1.0)


def test_it_holds_the_share_in_nineteen_of_twenty_samples():
    rng = random.Random(1)
    for share in (0.05, 0.5, 0.9):
        held = 0
        for _ in range(1_000):
            low, high = wilson(sum(rng.random() < share for _ in range(20)), 20)
            held += low <= share <= high
        assert held > 900
