"""Lines for people, as pieces of text with a style or a link. What a terminal makes of them is decided where they are printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Piece:
    """Some text of a line. `link` makes an address clickable where the terminal can do that."""

    text: str
    style: str = ""
    link: bool = False


Line = Sequence[Piece]
