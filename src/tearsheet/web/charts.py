"""Charts as SVG, drawn in Python: they need no script, print well, and can be tested as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from markupsafe import Markup, escape

_WIDTH, _HEIGHT = 720, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 8, 12, 26
_STEPS = (1, 2, 5)
_ROOM_FOR_A_DATE = 90


@dataclass(slots=True, frozen=True)
class Window:
    """Counts of consecutive days, and how many stories come before and after them."""

    points: list[tuple[str, int]]
    earlier: int = 0
    later: int = 0


def last_days(counts: Sequence[tuple[str, int]], today: date, days: int = 30) -> Window:
    """The `days` days up to today, or up to the newest day with stories when that was earlier. Days without stories are 0."""
    by_day = {date.fromisoformat(day): count for day, count in counts}
    known = [day for day in by_day if day <= today]
    if not known:
        return Window([], 0, sum(by_day.values()))
    end = max(known)
    start = end - timedelta(days=days - 1)
    points = [start + timedelta(days=offset) for offset in range(days)]
    earlier = sum(count for day, count in by_day.items() if day < start)
    later = sum(count for day, count in by_day.items() if day > end)
    return Window([(day.isoformat(), by_day.get(day, 0)) for day in points], earlier, later)


def filled(counts: Sequence[tuple[str, int]], interval: str) -> list[tuple[str, int]]:
    """The same counts without gaps: every day, week or month between the first and the last has a point."""
    if not counts:
        return []
    by_day = {date.fromisoformat(day): count for day, count in counts}
    day, last, points = min(by_day), max(by_day), []
    while day <= last:
        points.append((day.isoformat(), by_day.get(day, 0)))
        day = _next(day, interval)
    return points


def interval_for(first: date, last: date) -> str:
    """How finely a period is drawn, so that a chart has little more than a hundred points."""
    days = (last - first).days
    return "day" if days <= 120 else "week" if days <= 900 else "month"


def _next(day: date, interval: str) -> date:
    if interval == "month":
        return date(day.year + day.month // 12, day.month % 12 + 1, 1)
    return day + timedelta(days=7 if interval == "week" else 1)


def nice_top(highest: float) -> int:
    """The round number at the top of an axis."""
    power = 1
    while True:
        for step in _STEPS:
            if step * power >= highest:
                return step * power
        power *= 10


def bar_chart(points: Sequence[tuple[str, float]], label: str, interval: str = "day") -> Markup:
    """Bars over time. `label` describes the chart for people who cannot see it."""
    if not points:
        return Markup("")
    top = nice_top(max(1.0, *(count for _, count in points)))
    inner_width, inner_height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    step = inner_width / len(points)
    width = min(step * 0.8, 40.0)
    parts = [_axis(top, inner_height)]
    for index, (day, count) in enumerate(points):
        height = inner_height * count / top
        x, y = _LEFT + index * step + (step - width) / 2, _TOP + inner_height - height
        caption = f"{format_day(day, interval)}: {count:,}"
        parts.append(
            f'<g class="bar"><rect class="reach" x="{_LEFT + index * step:.1f}" y="{_TOP}" width="{step:.1f}" '
            f'height="{inner_height}"/><rect class="fill" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}"/><title>{escape(caption)}</title></g>'
        )
    parts.append(_dates([day for day, _ in points], step, interval))
    return Markup(  # noqa: S704 - made of numbers and escaped text
        f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )


def _axis(top: int, height: int) -> str:
    lines = []
    for share in (0.0, 0.5, 1.0):
        value = top * share
        y = _TOP + height * (1 - share)
        if value != int(value):
            continue
        lines.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(f'<text class="tick" x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{int(value):,}</text>')
    return "".join(lines)


def _dates(days: Sequence[str], step: float, interval: str) -> str:
    """Some of the dates below the axis: about five, including the first and the last."""
    every = max(1, round((len(days) - 1) / 4)) if len(days) > 1 else 1
    indexes = sorted({*range(0, len(days) - every // 2 - 1, every), len(days) - 1})
    texts = []
    for index in indexes:
        x = _LEFT + (index + 0.5) * step
        anchor = "end" if index == len(days) - 1 else "start" if index == 0 else "middle"
        if step > _ROOM_FOR_A_DATE:
            anchor = "middle"
        x += {"end": step / 2, "start": -step / 2, "middle": 0}[anchor]
        text = escape(format_day(days[index], interval))
        texts.append(f'<text class="tick" x="{x:.1f}" y="{_HEIGHT - 8}" text-anchor="{anchor}">{text}</text>')
    return "".join(texts)


def format_day(day: str, interval: str = "day") -> str:
    """A day for people: `3 Nov 2026`; a month is `Nov 2026`."""
    when = date.fromisoformat(day)
    month = f"{when:%b} {when.year}"
    return month if interval == "month" else f"{when.day} {month}"


def share_bar(count: int, highest: int) -> Markup:
    """A horizontal bar beside a number. Hidden from screen readers, because the number says it already."""
    width = 100 * count / max(highest, 1)
    return Markup(  # noqa: S704 - made of a number
        '<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="fill" width="{width:.1f}" height="8"/></svg>'
    )
