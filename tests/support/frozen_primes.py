"""A frozen topic whose every figure can be worked out by hand."""

from __future__ import annotations

from datetime import date
from typing import Any

from tearsheet.topics.snapshot.frozen import Frozen, FrozenStory
from tearsheet.topics.snapshot.timespans import Counting, Figures, Timespan

MEDIA = {**dict.fromkeys([1, 2, 3, 4, 5, 15], "a.example"), **dict.fromkeys([7, 8, 9], "d.example"),
         **dict.fromkeys([10, 11, 13, 14], "f.example")}  # fmt: skip
PRIMES = (2, 3, 5, 7, 11, 13)


def _story(number: int, **changes) -> FrozenStory:
    values: dict[str, Any] = {
        "id": f"{number:064}", "url": f"http://{MEDIA[number]}/{number}", "media": MEDIA[number], "title": f"Story {number}",
        "title_method": "page", "day": date(2024, 1, number), "date_method": "meta", "language": "en", "iteration": 0,
        "why": "matched in title",
    }  # fmt: skip
    return FrozenStory(**(values | changes))


def frozen_primes() -> Frozen:
    """Each prime links to its multiples, as far as they are in the topic: multiples of six are not."""
    numbers = sorted(MEDIA)
    place = {number: i for i, number in enumerate(numbers)}
    links = [(place[p], place[n]) for p in PRIMES for n in numbers if n > p and n % p == 0]
    return Frozen(
        topic="<Primes> & co",
        query="prime",
        start=date(2024, 1, 1),
        end=date(2024, 1, 31),
        timespans=((date(2024, 1, 2), date(2024, 1, 3)),),
        foci=(("even", "even"),),
        stories=tuple(
            _story(n, foci=("even",) if n % 2 == 0 else (), facebook_shares=n if n < 3 else None) for n in numbers
        ),
        links=tuple(sorted(links)),
    )


def overall_of(frozen: Frozen) -> Figures:
    return Counting(frozen).figures(Timespan("overall", None, None))
