"""The map of a topic: an SVG, a PNG, and a page with the map and its tables that opens straight from disk."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from html import escape

import numpy as np
import numpy.typing as npt

from tearsheet.counts import how_many
from tearsheet.topics.snapshot.export import MediaMap, tables_of
from tearsheet.topics.snapshot.frozen import Frozen
from tearsheet.topics.snapshot.palette import color_of
from tearsheet.topics.snapshot.timespans import Figures

SIDE = 1_000
_MARGIN = 60
_LABELS = 60
_LABEL = 32
_ROWS = 200
_LINES = 5_000
_BENT = 0.12
"""How far a line bends, as a share of its length."""


def to_svg(chart: MediaMap, title: str) -> str:
    """The map: a circle for each source, larger the more sources link to it; colours are communities.

    A line has the colour of the linking source and bends clockwise on its way to the linked one.
    """
    spots = _spots(chart)
    colors = ["#{:02x}{:02x}{:02x}".format(*color_of(row.community)) for row in chart.media]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE} {SIDE}" role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{SIDE}" height="{SIDE}" fill="#ffffff"/>',
        '<g fill="none" stroke-opacity="0.35">',
    ]
    for a, b, weight in strongest(chart.edges):
        bend = _bend(spots[a], spots[b])
        lines.append(
            f'<path d="M{spots[a][0]} {spots[a][1]}Q{bend[0]:.1f} {bend[1]:.1f} {spots[b][0]} {spots[b][1]}" '
            f'stroke="{colors[a]}" stroke-width="{min(5.0, 0.7 + 0.4 * weight):.1f}"/>'
        )
    lines.append('</g><g fill-opacity="0.9" stroke="#ffffff">')
    for row, color, (x, y) in zip(chart.media, colors, spots, strict=True):
        caption = f"{row.media}: {how_many(row.story_count, 'story')}, linked to by {how_many(row.media_inlink_count, 'source')}"
        lines.append(
            f'<circle cx="{x}" cy="{y}" r="{chart.size(row)}" fill="{color}"><title>{escape(caption)}</title></circle>'
        )
    lines.append(
        '</g><g font-family="sans-serif" text-anchor="middle" fill="#1a1f26" stroke="#ffffff" stroke-width="3" '
        'stroke-opacity="0.7" stroke-linejoin="round" paint-order="stroke">'
    )
    for row, (x, y) in list(zip(chart.media, spots, strict=True))[:_LABELS]:
        size = 9 + chart.size(row) / 5
        below = y + chart.size(row) + size
        lines.append(f'<text x="{x}" y="{below:.1f}" font-size="{size:.1f}">{escape(_label(row.media))}</text>')
    lines.append("</g></svg>\n")
    return "\n".join(lines)


def _bend(start: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    """The control point of a line's curve."""
    across, down = end[0] - start[0], end[1] - start[1]
    return (start[0] + end[0]) / 2 + _BENT * down, (start[1] + end[1]) / 2 - _BENT * across


def _label(media: str) -> str:
    return media if len(media) <= _LABEL else media[: _LABEL - 1] + "…"


def strongest(edges: list[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    """The links that are drawn. More would turn the map grey and slow the browser down."""
    return sorted(sorted(edges, key=lambda edge: -edge[2])[:_LINES])


def _spots(chart: MediaMap) -> list[tuple[float, float]]:
    half = SIDE / 2
    return [
        (round(half + float(x) * (half - _MARGIN), 1), round(half - float(y) * (half - _MARGIN), 1))
        for x, y in chart.positions
    ]


def to_png(chart: MediaMap, side: int = SIDE) -> bytes:
    """The same map as pixels, without labels."""
    scale = side / SIDE
    canvas = np.full((side, side, 3), 255.0)
    spots = [(x * scale, y * scale) for x, y in _spots(chart)]
    for a, b, _ in strongest(chart.edges):
        steps = int(max(abs(spots[a][0] - spots[b][0]), abs(spots[a][1] - spots[b][1]), 1))
        t = np.linspace(0.0, 1.0, steps)[:, None]
        curve = (1 - t) ** 2 * spots[a] + 2 * t * (1 - t) * _bend(spots[a], spots[b]) + t**2 * spots[b]
        xs, ys = curve.astype(int).clip(0, side - 1).T
        canvas[ys, xs] = canvas[ys, xs] * 0.65 + np.array(color_of(chart.media[a].community), dtype=float) * 0.35
    for row, (x, y) in reversed(list(zip(chart.media, spots, strict=True))):
        _disc(canvas, x, y, chart.size(row) * scale, np.array(color_of(row.community), dtype=float))
    return _png(canvas.round().astype(np.uint8))


def _disc(canvas: npt.NDArray[np.float64], x: float, y: float, radius: float, color: npt.NDArray[np.float64]) -> None:
    side = canvas.shape[0]
    left, right = max(0, int(x - radius - 1)), min(side, int(x + radius + 2))
    top, bottom = max(0, int(y - radius - 1)), min(side, int(y + radius + 2))
    ys, xs = np.mgrid[top:bottom, left:right]
    distance = np.sqrt((xs - x) ** 2 + (ys - y) ** 2)
    cover = np.clip(radius + 0.5 - distance, 0.0, 1.0)[:, :, None] * 0.85
    canvas[top:bottom, left:right] = canvas[top:bottom, left:right] * (1 - cover) + color * cover


def _png(pixels: npt.NDArray[np.uint8]) -> bytes:
    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b"")


_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:1100px;padding:1.5rem;color:#1d1a16;background:#fbf8f1}
h1{font:700 2.3rem/1.2 "Iowan Old Style","Palatino Linotype",Palatino,Georgia,"Liberation Serif",serif;margin:0}
h2{font-size:.82rem;letter-spacing:.09em;text-transform:uppercase;margin:2rem 0 .6rem;padding-top:.5rem}
h2{border-top:3px solid #1d1a16}table{border-collapse:collapse;width:100%}a{color:#8c1c13}
th,td{text-align:left;padding:.3rem .5rem;border-bottom:1px solid #d5ccbb;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}svg{width:100%;height:auto;border:1px solid #d5ccbb}
section[hidden]{display:none}.scroll{overflow-x:auto}select{font:inherit;padding:.2rem}.note{color:#5a5349}
code{background:#fffdf8;border:1px solid #d5ccbb;padding:.1rem .3rem;overflow-wrap:anywhere}
"""
_LEGEND = (
    '<p class="note">A circle is a source, the larger the more sources link to it. A line bends clockwise from the source that '
    "links to the one that is linked to, and has the colour of the first; its width is the number of links. Colours are "
    "communities: sources that link to each other more than to the rest.</p>"
)
_SCRIPT = """
const choose=document.getElementById('timespan');
choose.addEventListener('change',()=>{for(const part of document.querySelectorAll('section[data-timespan]'))
part.hidden=part.dataset.timespan!==choose.value;});
"""


_OUR_PAGES = "/stories/"


@dataclass(slots=True, frozen=True)
class Section:
    """What a page shows of one timespan."""

    timespan: str
    body: str


def to_page(frozen: Frozen, sections: Sequence[Section]) -> str:
    """A page of the whole snapshot: map, tables and timespans. It is self-contained."""
    options = "".join(f'<option value="{i}">{escape(section.timespan)}</option>' for i, section in enumerate(sections))
    parts = "".join(
        f'<section data-timespan="{i}"{" hidden" if i else ""}>{section.body}</section>'
        for i, section in enumerate(sections)
    )
    days = [story.day for story in frozen.stories if story.day is not None]
    first, last = frozen.start or min(days, default=None), frozen.end or max(days, default=None)
    dates = f"{first} to {last}" if first and last else "without dates"
    media = [story.media for story in frozen.stories]
    between = sum(media[a] != media[b] for a, b in frozen.links)
    links = f"{how_many(len(frozen.links), 'link')}, {between:,} of them from one source to another"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'\">"
        f"<title>{escape(frozen.topic)}</title><style>{_STYLE}</style></head><body><main>"
        f"<h1>{escape(frozen.topic)}</h1><p><bdi><code>{escape(frozen.query)}</code></bdi>, {escape(dates)}: "
        f"{how_many(len(frozen.stories), 'story')}, {links}.</p>"
        f'<p><label>Timespan <select id="timespan">{options}</select></label></p>'
        f"{parts}</main><script>{_SCRIPT}</script></body></html>\n"
    )


def make_section(figures: Figures, chart: MediaMap, topic: str, ours: Collection[str] = frozenset()) -> Section | None:
    """Map and tables of a timespan, the most linked-to first; None if it has no stories.

    Titles lead to where the stories were published, or to our own pages of those whose ids are in `ours`.
    """
    if not figures.stories:
        return None
    tables = tables_of(replace(figures, stories=figures.stories[:_ROWS], media=figures.media[:_ROWS]))
    columns = ("title", "media", "publish_date", "media_inlink_count", "inlink_count", "outlink_count", "why")
    stories = [dict(zip(tables["stories"][0], row, strict=True)) for row in tables["stories"][1]]
    rows = [tuple(story[column] for column in columns) for story in stories]
    links = [f"{_OUR_PAGES}{story['stories_id']}" if story["stories_id"] in ours else story["url"] for story in stories]
    name = figures.timespan.name
    drawing = to_svg(chart, f"{topic}: who links to whom, {name}")
    return Section(
        name,
        f"<h2>Map</h2>{drawing}{_LEGEND}<h2>Sources</h2>{_table('Sources', *tables['media'])}"
        f"<h2>Stories</h2>{_table('Stories', columns, rows, links)}",
    )


def _table(
    label: str, columns: Sequence[str], rows: Sequence[tuple[object, ...]], links: list[str] | None = None
) -> str:
    def cell(value: object, link: str | None) -> str:
        if value is None:
            return '<td class="n">–</td>'
        text = escape(f"{value:,}" if isinstance(value, int) else str(value))
        if link and link.startswith(("http://", "https://", _OUR_PAGES)):
            text = f'<a href="{escape(link)}" rel="noreferrer nofollow">{text}</a>'
        return f'<td class="n">{text}</td>' if isinstance(value, int | float) else f"<td>{text}</td>"

    names = [name.replace("_", " ") for name in columns]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    body = "".join(
        "<tr>"
        + "".join(cell(value, links[i] if links and not column else None) for column, value in enumerate(row))
        + "</tr>"
        for i, row in enumerate(rows)
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="group" aria-label="{label}">{table}</div>'


def totals_of(figures: Figures) -> dict[str, str | int]:
    """The totals of a timespan."""
    return {
        "timespan": figures.timespan.name,
        "stories": len(figures.stories),
        "media": len(figures.media),
        "story_links": len(figures.story_links),
        "medium_links": len(figures.medium_links),
    }


def summary(frozen: Frozen, totals: Sequence[dict[str, str | int]]) -> str:
    """The timespans and their totals, as JSON."""
    values = {"topic": frozen.topic, "query": frozen.query, "timespans": totals}
    return json.dumps(values, ensure_ascii=False, indent=2) + "\n"
