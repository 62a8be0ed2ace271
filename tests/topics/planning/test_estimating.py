import random
from dataclasses import replace

import pytest

from tearsheet.topics.planning.estimating import Found, Sample, Terms, estimate

TERMS = Terms(max_iterations=15, max_stories=100_000, pace=10.0, at_once=16)
WHOLE = Sample(
    seeds=100, read=100, fetched_seeds=0, members=90, links=[2] * 90, addresses=150, once=120, twice=30, followed=150,
    fetched=50, failed=0, found=[Found(4, 4)] * 30, busiest=0.1, seconds=0.5,
)  # fmt: skip
"""All was looked at, and what was found leads nowhere new."""


def test_what_was_counted_whole_is_known_exactly():
    result = estimate(WHOLE, replace(TERMS, max_iterations=1), "Flood")
    assert (result.stories.low, result.stories.estimate, result.stories.high) == (120, 120, 120)
    assert result.pages.low == result.pages.high == 50
    assert result.seconds.estimate == pytest.approx(50 * 0.1 * 10 + 50 * 0.025)


def test_iterations_add_little_where_everything_was_seen_before():
    result = estimate(WHOLE, TERMS, "Flood")
    assert 120 <= result.stories.low <= result.stories.high < 130


def test_without_iterations_the_seeds_are_all():
    result = estimate(WHOLE, replace(TERMS, max_iterations=0), "Flood")
    assert (result.stories.high, result.pages.high) == (90, 0)


def test_a_larger_sample_is_surer_and_the_same_one_says_the_same():
    def of(times: int) -> Sample:
        return replace(
            WHOLE, seeds=10_000, read=20 * times, members=18 * times, links=[2] * 18 * times, addresses=30 * times,
            once=26 * times, twice=4 * times, followed=20 * times, fetched=10 * times, found=[Found(4, 3)] * 5 * times,
        )  # fmt: skip

    small, large = (estimate(of(times), TERMS, "Flood").stories for times in (1, 10))
    assert large.high / large.low < small.high / small.low
    assert large.estimate > 9_000
    assert estimate(of(1), TERMS, "Flood").stories == small != estimate(of(1), TERMS, "Dams").stories


def test_a_budget_is_never_exceeded():
    result = estimate(replace(WHOLE, found=[Found(40, 0)] * 60), replace(TERMS, max_stories=200), "Flood")
    assert result.stories.low == result.stories.high == 200
    assert result.pages.high < 200 * 41


def test_a_source_that_is_asked_for_everything_makes_a_run_long():
    slow = estimate(replace(WHOLE, busiest=1.0), TERMS, "Flood").seconds
    assert slow.estimate > 5 * estimate(WHOLE, TERMS, "Flood").seconds.estimate


@pytest.mark.parametrize(
    "sample",
    [
        replace(WHOLE, members=0, links=[], addresses=0, once=0, twice=0, followed=0, fetched=0, found=[]),
        replace(WHOLE, followed=10, fetched=10, failed=10, found=[]),
        replace(WHOLE, seeds=10**6, read=1, members=1, links=[0], addresses=0, once=0, twice=0, followed=0, found=[]),
        replace(WHOLE, seeds=10**6, read=2, members=2, links=[1, 1], addresses=2, once=2, twice=0, followed=2, found=[Found(0, 0)]),
    ],
)  # fmt: skip
def test_samples_that_say_little_give_an_estimate_too(sample):
    result = estimate(sample, TERMS, "Flood")
    assert 0 <= result.stories.low <= result.stories.estimate <= result.stories.high <= TERMS.max_stories


def test_the_interval_holds_the_number_of_stories_of_drawn_webs():
    """Webs in which each story links to four addresses drawn from all; half of the addresses are stories of the topic."""
    held = 0
    for number in range(60):
        rng = random.Random(number)
        links = [[rng.randrange(2_000) for _ in range(4)] for _ in range(2_000)]  # even numbers are stories
        seeds = rng.sample(range(0, 2_000, 2), 60)
        truth = spidered(links, seeds, 3)
        held += (
            (span := estimate(looked_at(links, seeds, rng), replace(TERMS, max_iterations=3), str(number)).stories).low
            <= truth
            <= span.high
        )
    assert held >= 52  # 57 of 60 on average


def spidered(links: list[list[int]], seeds: list[int], iterations: int) -> int:
    known, wave = set(seeds), list(seeds)
    for _ in range(iterations):
        wave = sorted({target for story in wave for target in links[story] if target % 2 == 0} - known)
        known.update(wave)
    return len(known)


def looked_at(links: list[list[int]], seeds: list[int], rng: random.Random) -> Sample:
    elsewhere = [[target for target in dict.fromkeys(links[seed]) if target not in seeds] for seed in seeds]
    often = [target for of_seed in elsewhere for target in of_seed]
    addresses = sorted(set(often))
    picked = rng.sample(addresses, 60)
    seen = {*seeds, *addresses}
    found = [Found(4, sum(target in seen for target in links[story])) for story in picked if story % 2 == 0]
    times = [often.count(address) for address in addresses]
    return Sample(
        seeds=60, read=60, fetched_seeds=0, members=60, links=[len(of_seed) for of_seed in elsewhere], addresses=len(addresses),
        once=times.count(1), twice=times.count(2), followed=60, fetched=60, failed=0, found=found, busiest=0.1, seconds=0.1,
    )  # fmt: skip
