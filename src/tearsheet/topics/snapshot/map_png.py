"""The map of a topic as PNG, with the same names and legend as the SVG. Drawn by Pillow, with the font that it brings along."""

from __future__ import annotations

from functools import cache
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

from tearsheet.topics.snapshot.export import MediaMap
from tearsheet.topics.snapshot.palette import Color
from tearsheet.topics.snapshot.picture import SIDE, TEXT, Line, Picture, picture_of

_FINER = 2
"""Pillow draws no soft edges: the picture is drawn larger and then reduced."""
_INK: Color = (26, 31, 38)
_WHITE: Color = (255, 255, 255)
_CURVE = tuple(step / 16 for step in range(17))


def to_png(chart: MediaMap, width: int = 2 * SIDE) -> bytes:
    """The map as a picture this many pixels wide."""
    picture = picture_of(chart)
    scale = _FINER * width / SIDE
    image = Image.new("RGB", (_FINER * width, round(picture.height * scale)), _WHITE)
    _draw(ImageDraw.Draw(image, "RGBA"), picture, scale)
    file = BytesIO()
    image.reduce(_FINER).save(file, "PNG", optimize=False, compress_level=6)
    return file.getvalue()


def _draw(draw: ImageDraw.ImageDraw, picture: Picture, scale: float) -> None:
    for line in picture.lines:
        draw.line(_points(line, scale), (*line.color, 90), round(max(line.width * scale, 1)), joint="curve")
    for circle in picture.circles:
        centre = (circle.disc.x * scale, circle.disc.y * scale)
        draw.circle(centre, circle.disc.radius * scale, (*circle.color, 230), _WHITE, round(scale))
    for label in picture.labels:
        middle = label.y - label.name.size * 0.36
        if label.led:
            disc = label.name.disc
            draw.line([(disc.x * scale, disc.y * scale), (label.x * scale, middle * scale)], (*_INK, 128), round(scale))
    for label in picture.labels:
        _write(draw, label.x, label.y, label.name.text, label.name.size, scale, "ms", halo=1.5)
    for remark in picture.remarks:
        x, y = remark.at
        if remark.color is not None:
            draw.circle(((x + 6) * scale, (y - 5) * scale), 6 * scale, remark.color)
            x += 20
        _write(draw, x, y, remark.text, TEXT, scale, "ls")


def _points(line: Line, scale: float) -> list[tuple[float, float]]:
    """Points on a quadratic curve."""
    start, bend, end = line.start, line.bend, line.end
    return [
        (
            ((1 - t) ** 2 * start.x + 2 * t * (1 - t) * bend.x + t**2 * end.x) * scale,
            ((1 - t) ** 2 * start.y + 2 * t * (1 - t) * bend.y + t**2 * end.y) * scale,
        )
        for t in _CURVE
    ]


def _write(
    draw: ImageDraw.ImageDraw, x: float, y: float, text: str, size: float, scale: float, anchor: str, halo: float = 0.0
) -> None:
    font = _font(round(size * scale))
    draw.text((x * scale, y * scale), text, _INK, font, anchor, stroke_width=halo * scale, stroke_fill=_WHITE)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
