"""The shapes of real feeds: how much each publishes, at which hours and on which days, in what bursts, and how long a document is.

`python -m bench.feed_shapes` reads the shared feeds and writes `bench/feed_shapes.json`, from which the simulation of polling
(`bench/rhythm.py`) draws. No text of any feed is in it.
"""

from __future__ import annotations

import json
import math
import tarfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from zlib import crc32

from bench.feeds import SHARED_DATA
from tearsheet.feeds import FeedError, parse_feed

SHAPES = Path(__file__).parent / "feed_shapes.json"
FEWEST_DATES = 6
BURST = timedelta(minutes=5)
DAY = 86_400.0


@dataclass(slots=True, frozen=True)
class Shape:
    """How one real feed publishes."""

    entries: int
    """How many its document holds."""
    a_day: float
    burst: float
    """The share of stories that came within five minutes of the one before."""
    hours: Sequence[int]
    """By hour of the day, UTC; empty if the document tells of less than two days, or states no hours."""
    weekdays: Sequence[int]
    """By day of the week; empty if it tells of less than two weeks."""
    held_out: bool
    """Whether it belongs to the half that nothing is tuned on."""


def is_held_out(name: str) -> bool:
    """Whether a feed belongs to the half that nothing is tuned on, by the owner in its name: those of one owner are alike."""
    return bool(crc32(name.split("__")[0].encode()) % 2)


def shape_of(entries: int, dates: Sequence[datetime], held_out: bool) -> Shape | None:
    """The shape that the dates of a document tell; None when they are too few."""
    times = sorted(dates)
    span = (times[-1] - times[0]).total_seconds() / DAY if len(times) >= FEWEST_DATES else 0.0
    if span < 1 / 24:
        return None
    hours, days = Counter(time.hour for time in times), Counter(time.weekday() for time in times)
    with_hours = sum(1 for time in times if time.hour or time.minute or time.second) > len(times) / 2
    close = sum(1 for before, after in pairwise(times) if after - before <= BURST)
    return Shape(
        entries,
        round((len(times) - 1) / span, 4),
        round(close / (len(times) - 1), 2),
        [hours[hour] for hour in range(24)] if with_hours and span >= 2 else [],
        [days[day] for day in range(7)] if span >= 14 else [],
        held_out,
    )


def read_shapes(*, held_out: bool) -> list[Shape]:
    """One half of the shapes as they are stored: the one for tuning, or the one that is held out."""
    shapes = [Shape(**row) for row in json.loads(SHAPES.read_text("utf-8"))]
    return [shape for shape in shapes if shape.held_out is held_out]


def publications(shape: Shape, others: Sequence[Shape], random: Random, days: int) -> list[float]:
    """The minutes at which a feed of such a shape publishes, from 0 on: in bursts, at its hours, on its days.

    What a document was too short to tell is taken from another feed.
    """
    hours = shape.hours or random.choice([other.hours for other in others if other.hours])
    weekdays = shape.weekdays or random.choice([other.weekdays for other in others if other.weekdays])
    # Few stories are a sample: the hours beside those seen are possible too.
    by_hour = [count + 0.02 * sum(hours) / 24 for count in hours]
    by_day = [count + 0.05 * sum(weekdays) / 7 for count in weekdays]
    a_day = shape.a_day * math.exp(random.gauss(0.0, 0.3))
    in_burst = min(shape.burst, 0.9)
    found: list[float] = []
    for day in range(days):
        mean = a_day * (1 - in_burst) * 7 * by_day[day % 7] / sum(by_day)
        for _ in range(_poisson(mean, random)):
            minute = day * 1440 + random.choices(range(24), by_hour)[0] * 60 + random.random() * 60
            found.append(minute)
            while random.random() < in_burst:
                minute += random.random() * 5
                found.append(minute)
    return sorted(found)


def _poisson(mean: float, random: Random) -> int:
    if mean > 50:
        return max(0, round(random.gauss(mean, mean**0.5)))
    limit, product, count = math.exp(-mean), random.random(), 0
    while product > limit:
        product *= random.random()
        count += 1
    return count


def _shared_shapes() -> Iterator[Shape]:
    with tarfile.open(SHARED_DATA / "feeds" / "feeds.tar.xz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            if file is None:
                continue
            try:
                feed = parse_feed(file.read(), "http://feeds.example/")
            except FeedError:
                continue
            dates = [entry.published for entry in feed.entries if entry.published]
            if not feed.is_index and (shape := shape_of(len(feed.entries), dates, is_held_out(Path(member.name).name))):
                yield shape


if __name__ == "__main__":
    found = sorted(_shared_shapes(), key=lambda shape: (shape.a_day, shape.entries))
    SHAPES.write_text("[\n" + ",\n".join(json.dumps(asdict(shape)) for shape in found) + "\n]\n", "utf-8")
    print(f"{len(found)} shapes")
