"""Where the names on a map go: beside their circles, and never one over another. Pure functions of numbers and texts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

_NARROW, _WIDE = 0.62, 1.05
"""The width of a character as a share of its height, in the widest of the usual fonts."""
_LINE = 1.25
_ANGLES = tuple(
    math.radians(angle) for angle in (90, 270, 0, 180, *range(45, 360, 90), *(22.5 + 45 * i for i in range(8)))
)
"""Below, above and at the sides of a disc first, then between."""
_STEP = 9.0
_NEAR = 4.0
"""A name that lies further than this from its circle gets a line that leads there."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(slots=True, frozen=True)
class Disc:
    """A circle on the map."""

    x: float
    y: float
    radius: float


@dataclass(slots=True, frozen=True)
class Name:
    """A name to be written beside its disc."""

    disc: Disc
    text: str
    size: float
    """Height of the letters."""


@dataclass(slots=True, frozen=True)
class Label:
    """A name in its place: the middle of its base line, and its box."""

    name: Name
    x: float
    y: float
    box: Box
    led: bool
    """Whether it lies so far from its disc that a line should lead there."""


def text_width(text: str, size: float) -> float:
    """How wide a text is at most."""
    return size * sum(_WIDE if east_asian_width(letter) in "WF" else _NARROW for letter in text)


def place_labels(names: Sequence[Name], discs: Sequence[Disc], width: float, height: float) -> list[Label]:
    """The names in their places, those that come first where they like. What fits nowhere in the picture is left out.

    A place that covers no disc at all is preferred to one that is nearer.
    """
    placed: list[Label] = []
    for name in names:
        label = _place(name, [one.box for one in placed], discs, width, height)
        if label is not None:
            placed.append(label)
    return placed


def _place(name: Name, taken: Sequence[Box], discs: Sequence[Disc], width: float, height: float) -> Label | None:
    second: Label | None = None
    for label in _places(name, width, height):
        if label.led and second is not None:
            return second
        if not any(_overlap(label.box, box) for box in taken):
            if label.led or not _covers(label.box, discs):
                return label
            second = second or label
    return second


def _places(name: Name, width: float, height: float) -> Iterator[Label]:
    """Places in the picture around the disc, the nearest first."""
    wide, high = text_width(name.text, name.size), name.size * _LINE
    away = 0.0
    while away < max(width, height):
        for angle in _ANGLES:
            label = _at(name, wide, high, away, angle)
            left, top, right, bottom = label.box
            if left >= 0 and top >= 0 and right <= width and bottom <= height:
                yield label
        away += _STEP


def _at(name: Name, wide: float, high: float, away: float, angle: float) -> Label:
    """The place in this direction, so far from the edge of the disc."""
    across, down = math.cos(angle), math.sin(angle)
    reach = name.disc.radius + away + 1.0
    x = name.disc.x + across * (reach + wide / 2)
    y = name.disc.y + down * (reach + high / 2)
    box = (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
    return Label(name, round(x, 1), round(y + name.size * 0.36, 1), box, away > _NEAR)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _covers(box: Box, discs: Sequence[Disc]) -> bool:
    left, top, right, bottom = box
    return any(
        left - disc.radius < disc.x < right + disc.radius and top - disc.radius < disc.y < bottom + disc.radius
        for disc in discs
    )
