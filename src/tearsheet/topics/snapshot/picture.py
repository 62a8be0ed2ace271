"""What a map shows, and where: circles, lines, names and a legend, as plain values that become an SVG or a PNG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tearsheet.counts import how_many
from tearsheet.topics.snapshot.export import NO_FOCUS, MediaMap
from tearsheet.topics.snapshot.labels import Disc, Label, Name, place_labels
from tearsheet.topics.snapshot.layout import MARGIN_COLUMNS
from tearsheet.topics.snapshot.palette import COLORS, Color, color_of
from tearsheet.topics.snapshot.timespans import MediumCounts

SIDE = 1_000
LABELS = 60
TEXT = 13.0
"""Height of the legend's letters."""
_MARGIN = 60
_LONGEST_NAME = 32
_MOST_LINES = 5_000
_BENT = 0.12
"""How far a line bends, as a share of its length."""
_SMALLEST_LETTERS, _LETTERS_MORE = 10.0, 7.0
_APART_RADIUS, _APART_SHOWN = 4.0, 6 * MARGIN_COLUMNS
_ROW, _INDENT = 22.0, 60.0


class Point(NamedTuple):
    """A place in the picture, from its upper left corner."""

    x: float
    y: float


@dataclass(slots=True, frozen=True)
class Circle:
    """A source."""

    disc: Disc
    color: Color
    caption: str


@dataclass(slots=True, frozen=True)
class Line:
    """The links from one source to another: it bends clockwise, and has the colour of the first."""

    start: Point
    bend: Point
    end: Point
    color: Color
    width: float


@dataclass(slots=True, frozen=True)
class Remark:
    """A line of the legend, with a disc of this colour before it, if any."""

    at: Point
    text: str
    color: Color | None = None


@dataclass(slots=True, frozen=True)
class Picture:
    """A map, ready to be drawn."""

    height: float
    lines: list[Line]
    circles: list[Circle]
    labels: list[Label]
    remarks: list[Remark]


def picture_of(chart: MediaMap) -> Picture:
    """Sources that links join in a square, the others as dots below it, and a legend under both."""
    discs, apart = _discs(chart), set(chart.apart)
    colors = [color_of(group) for group in chart.groups]
    circles = [
        Circle(disc, color, _caption(row))
        for row, disc, color in zip(chart.media, discs, colors, strict=True)
        if disc is not None
    ]
    lines = [
        Line(Point(a.x, a.y), _bend(a, b), Point(b.x, b.y), colors[source], round(min(5.0, 0.7 + 0.4 * weight), 1))
        for source, target, weight in strongest([edge for edge in chart.edges if edge[0] not in apart])
        if (a := discs[source]) is not None and (b := discs[target]) is not None
    ]
    bottom = max([SIDE - _MARGIN / 2, *(circle.disc.y + circle.disc.radius for circle in circles)])
    remarks = _legend(chart, bottom)
    height = max((remark.at.y for remark in remarks), default=bottom) + _ROW
    return Picture(height, lines, circles, _labels(chart, discs), remarks)


def _caption(row: MediumCounts) -> str:
    linked = how_many(row.media_inlink_count, "source")
    return f"{row.media}: {how_many(row.story_count, 'story')}, linked to by {linked}"


def strongest(edges: Sequence[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    """The links that are drawn. More would turn the map grey and slow the browser down."""
    return sorted(sorted(edges, key=lambda edge: -edge[2])[:_MOST_LINES])


def _discs(chart: MediaMap) -> list[Disc | None]:
    """Where each source is drawn; None for those below the map that are too many."""
    half = SIDE / 2
    discs: list[Disc | None] = [
        Disc(
            round(half + float(x) * (half - _MARGIN), 1), round(half - float(y) * (half - _MARGIN), 1), chart.size(row)
        )
        for row, (x, y) in zip(chart.media, chart.positions, strict=True)
    ]
    for number, node in enumerate(chart.apart):
        disc = discs[node]
        discs[node] = Disc(disc.x, disc.y, _APART_RADIUS) if disc and number < _APART_SHOWN else None
    return discs


def _bend(start: Disc, end: Disc) -> Point:
    """The control point of a line's curve."""
    across, down = end.x - start.x, end.y - start.y
    x, y = (start.x + end.x) / 2 + _BENT * down, (start.y + end.y) / 2 - _BENT * across
    return Point(round(x, 1), round(y, 1))


def _labels(chart: MediaMap, discs: Sequence[Disc | None]) -> list[Label]:
    """The names of the most linked-to sources among those in the square."""
    apart = set(chart.apart)
    inside = [
        (row, disc)
        for node, (row, disc) in enumerate(zip(chart.media, discs, strict=True))
        if disc is not None and node not in apart
    ]
    largest = max((disc.radius for _, disc in inside), default=1.0)
    names = [
        Name(disc, _short(row.media), round(_SMALLEST_LETTERS + _LETTERS_MORE * disc.radius / largest, 1))
        for row, disc in inside[:LABELS]
    ]
    return place_labels(names, [name.disc for name in names], SIDE, SIDE)


def _short(text: str, longest: int = _LONGEST_NAME) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _legend(chart: MediaMap, top: float) -> list[Remark]:
    """What the colours are, two in a row, and what else a reader of the picture alone should know."""
    apart = set(chart.apart)
    inside = [row for node, row in enumerate(chart.media) if node not in apart]
    told = _told_foci(chart) if chart.foci else _told_communities(inside)
    remarks = [
        Remark(Point(_INDENT + place % 2 * SIDE / 2, top + (place // 2 + 1) * _ROW), text, color_of(group))
        for place, (group, text) in enumerate(told)
    ]
    texts = (
        ["A larger circle: more sources link to it. A line has the colour of the source that links."] if inside else []
    )
    if apart:
        texts.append(_about_those_apart(len(apart), bool(inside)))
    begin = top + ((len(told) + 1) // 2) * _ROW
    return remarks + [Remark(Point(_INDENT, begin + (number + 1) * _ROW), text) for number, text in enumerate(texts)]


def _told_communities(inside: Sequence[MediumCounts]) -> list[tuple[int, str]]:
    """Communities by their most linked-to source."""
    sizes = Counter(row.community for row in inside)
    first = {row.community: row.media for row in reversed(inside)}
    return [
        (number, f"{_short(first[number])} and {how_many(sizes[number] - 1, 'source')} around it")
        for number in sorted(sizes)
        if number < len(COLORS) and sizes[number] > 1
    ]


def _told_foci(chart: MediaMap) -> list[tuple[int, str]]:
    """Foci by their names: the colour of a source is that of the focus which most of its stories belong to."""
    sizes = Counter(chart.groups)
    told = [
        (number, f"{_short(name)}: {how_many(sizes[number], 'source')}")
        for number, name in enumerate(chart.foci[: len(COLORS)])
        if sizes[number]
    ]
    others = sum(size for number, size in sizes.items() if number >= len(COLORS))
    what = "in no focus" if len(chart.foci) <= len(COLORS) else "in other foci, or none"
    return [*told, (NO_FOCUS, f"{how_many(others, 'source')} {what}")] if others else told


def _about_those_apart(count: int, beside_others: bool) -> str:
    what = f"{how_many(count, 'source')} below the map: no link joins them to these" if beside_others else "No links"
    return f"{what}; {_APART_SHOWN:,} of them are drawn." if count > _APART_SHOWN else f"{what}."
