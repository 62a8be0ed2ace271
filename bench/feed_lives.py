"""Feeds for the simulation of polling: those that the rule was tuned on, and others that it has never met.

The others have the shapes of the real feeds that were held out, other chances, and lives that the first do not know: in every
time zone, once a week, a day's stories at one moment, silent for days, with a rhythm that changes, without dates, and on sites
that are built a few times a day.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from bench.feed_shapes import Shape, publications, read_shapes

TUNED_SEED, HELD_OUT_SEED = 18, 20_261
HOUR, DAY, WEEK = 60.0, 1440.0, 10_080.0


@dataclass(slots=True)
class Feed:
    """A simulated feed: when its stories appear, in minutes from the beginning, and how many its document holds."""

    minutes: list[float]
    entries: int
    dates: list[float] | None = None
    """The times that its stories state; those at which they appear, if None; empty if they state none."""
    life: str = "as real feeds live"

    def document(self, minute: float) -> tuple[int, int]:
        """The first and the last story (exclusive) of the document at this minute."""
        end = bisect_right(self.minutes, minute)
        return max(0, end - self.entries), end

    def stated(self, first: int, last: int) -> list[float]:
        """The times that these stories state."""
        return (self.minutes if self.dates is None else self.dates)[first:last]


def tuned_feeds(count: int, days: int) -> list[Feed]:
    """Feeds such as the rule was tuned on."""
    return _of_shapes(read_shapes(held_out=False), count, days, Random(TUNED_SEED))


def held_out_feeds(count: int, days: int, seed: int = HELD_OUT_SEED) -> list[Feed]:
    """Feeds of other shapes, with other chances and other lives, as many of each."""
    random = Random(seed)
    feeds = _of_shapes(read_shapes(held_out=True), count, days, random)
    return [_LIVES[number % len(_LIVES)](feed, days * DAY, random) for number, feed in enumerate(feeds)]


def _of_shapes(shapes: Sequence[Shape], count: int, days: int, random: Random) -> list[Feed]:
    """Feeds of these shapes in turn, each with chances of its own."""
    return [
        Feed(publications(shape, shapes, random, days), max(1, shape.entries))
        for shape in (shapes[number % len(shapes)] for number in range(count))
    ]


# ------------------------------------------------------------------------------------------------------------ lives


def _usual(feed: Feed, end: float, random: Random) -> Feed:
    return feed


def _in_another_zone(feed: Feed, end: float, random: Random) -> Feed:
    shift = random.randrange(1, 24) * HOUR
    return replace(feed, minutes=sorted((minute + shift) % end for minute in feed.minutes), life="in another zone")


def _weekly(feed: Feed, end: float, random: Random) -> Feed:
    """All stories of a week within some hours of one day."""
    day, hours = random.randrange(7) * DAY + 6 * HOUR, 8 * HOUR
    moved = (minute // WEEK * WEEK + day + random.random() * hours for minute in feed.minutes)
    return replace(feed, minutes=sorted(minute for minute in moved if minute < end), life="once a week")


def _daily_edition(feed: Feed, end: float, random: Random) -> Feed:
    """All stories of a day within ten minutes, at about the same time every day."""
    hour = random.random() * 23 * HOUR
    editions: dict[float, float] = {}
    moved = []
    for minute in feed.minutes:
        day = minute // DAY * DAY
        moved.append(editions.setdefault(day, day + hour + random.random() * 45) + random.random() * 10)
    return replace(feed, minutes=sorted(minute for minute in moved if minute < end), life="one edition a day")


def _silent_for_days(feed: Feed, end: float, random: Random) -> Feed:
    """Now and then nothing appears for two to six days."""
    kept, minute = list[float](), 0.0
    while minute < end:
        until = minute + (3 + random.random() * 7) * DAY
        kept += [m for m in feed.minutes if minute <= m < until]
        minute = until + (2 + random.random() * 4) * DAY
    return replace(feed, minutes=kept, life="silent for days")


def _changes_rhythm(feed: Feed, end: float, random: Random) -> Feed:
    """On some day of the last two weeks it moves to the other half of the day, and publishes a quarter as much, or four times."""
    change = end - random.random() * 14 * DAY
    before, after = feed.minutes[: bisect_left(feed.minutes, change)], feed.minutes[bisect_left(feed.minutes, change) :]
    fewer = random.random() < 0.5
    other = after[::4] if fewer else [minute + random.random() * HOUR for minute in after for _ in range(4)]
    moved = [minute + DAY / 2 for minute in other if minute + DAY / 2 < end]
    return replace(feed, minutes=sorted([*before, *moved]), life="changes its rhythm")


def _without_dates(feed: Feed, end: float, random: Random) -> Feed:
    return replace(feed, dates=[], life="without dates")


def _built_now_and_then(feed: Feed, end: float, random: Random) -> Feed:
    """The site is built four times a day, and each story appears with the next build, under the time of its writing."""
    every, first = 6 * HOUR, random.random() * 6 * HOUR
    built = [(minute - first) // every * every + every + first for minute in feed.minutes]
    seen = bisect_right(built, end)
    return replace(feed, minutes=built[:seen], dates=feed.minutes[:seen], life="built now and then")


_LIVES: Sequence[Callable[[Feed, float, Random], Feed]] = (
    _usual, _in_another_zone, _weekly, _daily_edition, _silent_for_days, _changes_rhythm, _without_dates, _built_now_and_then,
)  # fmt: skip
