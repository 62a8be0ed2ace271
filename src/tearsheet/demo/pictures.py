"""Pictures for the articles: simple scenes drawn as SVG, a different one for every article."""

from __future__ import annotations

import random

_SKIES = (
    ("#f7d9b0", "#d98e5f"),
    ("#cfe6f2", "#7fb2cf"),
    ("#e8e4f0", "#9a8fb5"),
    ("#fbe9c6", "#e0b15c"),
    ("#dfeee0", "#86b08c"),
)
_SEAS = ("#24506b", "#2f6d6a", "#3b4a6b", "#59646e")


def picture(event: str, number: int) -> bytes:
    """A scene that fits the event. Always the same for the same number."""
    rng = random.Random(f"picture/{event}/{number}")
    low, high = rng.choice(_SKIES)
    sun = f'<circle cx="{rng.randint(80, 880)}" cy="{rng.randint(60, 190)}" r="{rng.randint(26, 52)}" fill="#fff" opacity=".75"/>'
    scene = "".join(_SCENES[event](rng))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 480" width="960" height="480"><defs>'
        f'<linearGradient id="s" x1="0" y1="1" x2="0" y2="0"><stop stop-color="{low}"/><stop offset="1" stop-color="{high}"/>'
        f'</linearGradient></defs><rect width="960" height="480" fill="url(#s)"/>{sun}{scene}</svg>'
    ).encode()


def _box(x: float, y: float, width: float, height: float, fill: str, more: str = "") -> str:
    return f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" fill="{fill}" {more}/>'


def _water(rng: random.Random, top: int) -> list[str]:
    waves = [
        _box(rng.randint(0, 900), rng.randint(top + 8, 470), rng.randint(30, 120), 2, "#fff", 'opacity=".35"')
        for _ in range(26)
    ]
    return [_box(0, top, 960, 480 - top, rng.choice(_SEAS)), *waves]


def _skyline(rng: random.Random, base: int) -> list[str]:
    parts, x = [], rng.randint(0, 40)
    while x < 960:
        width, height = rng.randint(34, 90), rng.randint(30, 130)
        parts.append(_box(x, base - height, width, height, rng.choice(("#4b5563", "#6b7280", "#57534e", "#374151"))))
        x += width + rng.randint(2, 46)
    return parts


def _bridge(rng: random.Random) -> list[str]:
    deck = rng.randint(250, 290)
    towers = [_box(x, deck - 130, 18, 260, "#7c2d12") for x in (rng.randint(200, 280), rng.randint(660, 760))]
    cables = [
        f'<path d="M{x} {deck} L480 {deck - 120}" stroke="#7c2d12" stroke-width="3"/>' for x in range(60, 920, 60)
    ]
    return [*_skyline(rng, 330), *_water(rng, 330), *cables, _box(0, deck, 960, 14, "#451a03"), *towers]


def _strike(rng: random.Random) -> list[str]:
    halls = [_box(x, rng.randint(200, 250), 210, 200, "#4b5563") for x in (60, 310, 560)]
    chimneys = [_box(x, rng.randint(70, 130), 26, 240, "#7f1d1d") for x in (790, 850)]
    people = [
        f'<circle cx="{x}" cy="{rng.randint(388, 400)}" r="9" fill="#292524"/>{_box(x - 11, 402, 22, 60, rng.choice(_SEAS))}'
        for x in range(30, 950, rng.randint(26, 44))
    ]
    return [*halls, *chimneys, _box(0, 380, 960, 100, "#a8a29e"), *people]


def _flood(rng: random.Random) -> list[str]:
    houses = [
        f"{_box(x, 270, 110, 130, rng.choice(('#e7e5e4', '#fde68a', '#fecaca')))}"
        f'<path d="M{x - 12} 270 L{x + 55} {rng.randint(200, 225)} L{x + 122} 270Z" fill="#7c2d12"/>'
        for x in range(rng.randint(20, 80), 860, rng.randint(140, 190))
    ]
    return [*houses, *_water(rng, rng.randint(330, 365))]


def _fishing(rng: random.Random) -> list[str]:
    boats = [
        f'<path d="M{x} 330 h150 l-26 42 h-98Z" fill="{rng.choice(("#991b1b", "#1e3a8a", "#166534"))}"/>'
        f"{_box(x + 84, 292, 40, 38, '#fafaf9')}{_box(x + 46, rng.randint(210, 240), 6, 122, '#292524')}"
        for x in (rng.randint(40, 160), rng.randint(340, 440), rng.randint(640, 760))
    ]
    return [*_water(rng, 345), *boats]


def _telescope(rng: random.Random) -> list[str]:
    stars = [
        f'<circle cx="{rng.randint(0, 960)}" cy="{rng.randint(0, 480)}" r="{rng.choice((1, 1, 2, 3))}" fill="#fff"/>'
        for _ in range(120)
    ]
    cells = [
        f'<path d="M{x} {y} l17 -10 l17 10 v20 l-17 10 l-17 -10Z" fill="#facc15" stroke="#713f12"/>'
        for y in range(150, 320, 30)
        for x in range(400 + (y // 30 % 2) * 17, 560, 34)
    ]
    return [_box(0, 0, 960, 480, "#0b1026"), *stars, _box(380, 340, 220, 12, "#9ca3af"), *cells]


_SCENES = {"bridge": _bridge, "strike": _strike, "flood": _flood, "fishing": _fishing, "telescope": _telescope}
