"""Which names on a map lie over each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from tearsheet.topics.snapshot.labels import Label


def overlapping(labels: Sequence[Label]) -> list[tuple[str, str]]:
    return [
        (one.name.text, other.name.text)
        for one, other in combinations(labels, 2)
        if one.box[0] < other.box[2]
        and other.box[0] < one.box[2]
        and one.box[1] < other.box[3]
        and other.box[1] < one.box[3]
    ]
