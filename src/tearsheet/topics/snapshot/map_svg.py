"""The map of a topic as SVG: for pages, and for print at any size."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tearsheet.topics.snapshot.export import MediaMap
from tearsheet.topics.snapshot.labels import Label
from tearsheet.topics.snapshot.palette import Color
from tearsheet.topics.snapshot.picture import SIDE, TEXT, Picture, picture_of

_INK = "#1a1f26"


def to_svg(chart: MediaMap, title: str) -> str:
    """The map: a circle for each source, larger the more sources link to it; colours are communities or foci."""
    picture = picture_of(chart)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE} {picture.height:.0f}" role="img" '
            f'aria-label="{escape(title)}">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{SIDE}" height="{picture.height:.0f}" fill="#ffffff"/>',
            '<g fill="none" stroke-opacity="0.35">',
            *_lines(picture),
            '</g><g fill-opacity="0.9" stroke="#ffffff">',
            *_circles(picture),
            f'</g><g stroke="{_INK}" stroke-opacity="0.5" stroke-width="0.7">',
            *(_leader(label) for label in picture.labels if label.led),
            f'</g><g font-family="sans-serif" text-anchor="middle" fill="{_INK}" stroke="#ffffff" stroke-width="3" '
            'stroke-opacity="0.7" stroke-linejoin="round" paint-order="stroke">',
            *(
                f'<text x="{label.x}" y="{label.y}" font-size="{label.name.size}">{escape(label.name.text)}</text>'
                for label in picture.labels
            ),
            f'</g><g font-family="sans-serif" font-size="{TEXT}" fill="{_INK}">',
            *_legend(picture),
            "</g></svg>\n",
        ]
    )


def _hex(color: Color) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)


def _lines(picture: Picture) -> Iterator[str]:
    for line in picture.lines:
        yield (
            f'<path d="M{line.start.x} {line.start.y}Q{line.bend.x} {line.bend.y} {line.end.x} {line.end.y}" '
            f'stroke="{_hex(line.color)}" stroke-width="{line.width}"/>'
        )


def _circles(picture: Picture) -> Iterator[str]:
    for circle in picture.circles:
        disc = circle.disc
        yield (
            f'<circle cx="{disc.x}" cy="{disc.y}" r="{disc.radius}" fill="{_hex(circle.color)}">'
            f"<title>{escape(circle.caption)}</title></circle>"
        )


def _leader(label: Label) -> str:
    disc = label.name.disc
    return f'<path d="M{disc.x} {disc.y}L{label.x} {label.y - label.name.size * 0.36:.1f}"/>'


def _legend(picture: Picture) -> Iterator[str]:
    for remark in picture.remarks:
        x, y = remark.at
        if remark.color is not None:
            yield f'<circle cx="{x + 6}" cy="{y - 5:.1f}" r="6" fill="{_hex(remark.color)}"/>'
            x += 20
        yield f'<text x="{x}" y="{y:.1f}">{escape(remark.text)}</text>'
