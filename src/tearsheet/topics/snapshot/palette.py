"""The colours of the eight largest communities, chosen so that colour-blind people can tell them apart; grey for the rest."""

from __future__ import annotations

Color = tuple[int, int, int]
"""Red, green and blue."""
COLORS: tuple[Color, ...] = (
    (0, 114, 178), (230, 159, 0), (0, 158, 115), (204, 121, 167), (213, 94, 0), (86, 180, 233), (170, 150, 20), (110, 80, 160),
)  # fmt: skip
_OTHERS = (150, 150, 150)


def color_of(community: int) -> Color:
    """The colour of a community, by its number."""
    return COLORS[community] if community < len(COLORS) else _OTHERS
