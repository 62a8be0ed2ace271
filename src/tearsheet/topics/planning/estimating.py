"""What a topic will come to, judged by a sample: how many stories, pages and seconds, each with an interval.

The run is played through many times with values that the sample allows, and the middle 95 % of the outcomes are the interval. Two
assumptions are made: links of later iterations lead to stories of the topic as often as those of the seeds, and they hit pages
that were seen before as often as those of the stories that were found in the sample.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

T = TypeVar("T")
_PLAYED = 1_000
_OWN_SECONDS = 0.025
"""What a page takes on a busy machine with two cores beside being fetched: 75 s for 3,000 pages."""


@dataclass(slots=True, frozen=True)
class Found:
    """A story that a link of the sample led to: its own links, and how many of them had been seen before."""

    links: int
    seen: int


@dataclass(slots=True, frozen=True)
class Sample:
    """What was seen of a topic's seeds and their links."""

    seeds: int
    """How many there are."""
    read: int
    """How many of them were read: a random sample, or all."""
    fetched_seeds: int
    """How many of those had to be fetched."""
    members: int
    """How many of those read belong to the topic."""
    links: Sequence[int]
    """For each of these, how many links it has that lead to no seed."""
    addresses: int
    """How many different ones these are,"""
    once: int
    """how many only one of the seeds has,"""
    twice: int
    """and how many two."""
    followed: int
    """How many of the addresses were looked at: a random sample, or all."""
    fetched: int
    """How many of those had to be fetched, as no story was known there."""
    failed: int
    """How many of those gave no page."""
    found: Sequence[Found]
    """Those that are stories of the topic."""
    busiest: float
    """The share of the addresses that are of the source with most of them."""
    seconds: float
    """What fetching a page took, on average."""


@dataclass(slots=True, frozen=True)
class Terms:
    """What the topic's definition and the settings allow."""

    max_iterations: int
    max_stories: int
    pace: float
    """Seconds between two fetches from one source."""
    at_once: int
    """How many pages are fetched at the same time."""


@dataclass(slots=True, frozen=True)
class Span:
    """An estimate, and the interval that holds the true value in 95 of 100 cases if the assumptions hold."""

    estimate: float
    low: float
    high: float


@dataclass(slots=True, frozen=True)
class Estimate:
    """What a run will come to."""

    stories: Span
    pages: Span
    """To be fetched."""
    seconds: Span


def estimate(sample: Sample, terms: Terms, lot: str) -> Estimate:
    """What a run will come to; with the same `lot`, the same sample gives the same estimate."""
    rng = random.Random(lot)
    outcomes = [_played(sample, terms, rng) for _ in range(_PLAYED)]
    return Estimate(*(_span(sorted(values)) for values in zip(*outcomes, strict=True)))


def _span(values: Sequence[float]) -> Span:
    last = len(values) - 1
    return Span(values[last // 2], values[math.floor(last * 0.025)], values[math.ceil(last * 0.975)])


def _played(sample: Sample, terms: Terms, rng: random.Random) -> tuple[float, float, float]:
    """One way in which the run may go: stories, pages and seconds."""
    members = sample.members + (sample.seeds - sample.read) * _drawn(rng, sample.members, sample.read)
    hit = _drawn(rng, len(sample.found), sample.followed)
    again = _bootstrapped(rng, sample.found)
    of_each = fmean(one.links for one in again) if again else fmean(sample.links or [0])
    links, seen_before = sum(one.links for one in again), sum(one.seen for one in again)
    # The share of links that lead to what was seen before tells how many addresses there are in all, as with marked fish.
    universe = (sample.seeds + sample.addresses) / max(_drawn(rng, seen_before, links), 1e-9)
    fresh = _all_addresses(sample, members, rng)
    stories, seen = min(members, terms.max_stories), sample.seeds + fresh
    pages = sample.seeds * _share(sample.fetched_seeds, sample.read)
    seconds = _seconds(pages, sample, terms)
    new = len(sample.found) + max(0.0, fresh - sample.followed) * hit
    for _ in range(terms.max_iterations):
        asked = fresh * _share(sample.fetched, sample.followed)
        pages, seconds = pages + asked, seconds + _seconds(asked, sample, terms)
        new = min(new, terms.max_stories - stories)
        stories += new
        fresh = max(0.0, universe - seen) * -math.expm1(-new * of_each / universe)
        seen, new = seen + fresh, fresh * hit
    return stories, pages, seconds


def _all_addresses(sample: Sample, members: float, rng: random.Random) -> float:
    """How many addresses the links of all seeds lead to: those of the seeds that were read, and others that the rest will add.

    How many others follows from how many were met only once or twice (A. Chao's estimator of unseen species; extrapolated by
    R. K. Colwell and others, 2012).
    """
    read, unread = sample.members, members - sample.members
    if sample.read >= sample.seeds or not read or not sample.addresses:
        return float(sample.addresses)
    unseen = (read - 1) / read * sample.once * (sample.once - 1) / (2 * (sample.twice + 1))
    if not unseen:
        return float(sample.addresses)
    more = unseen * -math.expm1(unread * math.log1p(-sample.once / (sample.once + read * unseen)))
    wobble = fmean(_bootstrapped(rng, sample.links)) / fmean(sample.links)
    return sample.addresses + more * wobble


def _drawn(rng: random.Random, count: int, of: int) -> float:
    """A share that the sample allows (Jeffreys)."""
    return rng.betavariate(count + 0.5, of - count + 0.5)


def _bootstrapped(rng: random.Random, values: Sequence[T]) -> list[T]:
    return rng.choices(values, k=len(values)) if values else []


def _share(count: int, of: int) -> float:
    return count / of if of else 0.0


def _seconds(pages: float, sample: Sample, terms: Terms) -> float:
    """An iteration takes as long as its busiest source, or as all pages at once, whichever is longer."""
    return max(pages * sample.busiest * terms.pace, pages * sample.seconds / terms.at_once) + pages * _OWN_SECONDS
