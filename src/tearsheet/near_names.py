"""Names like one that was mistyped, for "did you mean": the one rule for sources, collections, topics, queues and all the rest."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from itertools import islice

MOST_COMPARED = 20_000
"""Of a longer list only the first names are compared: whoever mistyped one should not wait for seconds to be told so."""
_ALIKE = 0.7
_ALMOST = 0.1
"""Names that are less alike than the best one by more than this were hardly meant: all domains of one country look alike."""
_SHORTEST_PART = 3
"""A name that merely contains what was written is near only if that much was written."""


def near_names(written: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The names that were perhaps meant, the likeliest first: capitals aside the same, spelled alike, or with it in them."""
    wanted = written.strip().casefold()
    by_fold: dict[str, str] = {}
    for name in islice(known, MOST_COMPARED):
        by_fold.setdefault(name.casefold(), name)
    if not wanted or not by_fold:
        return []
    if wanted in by_fold:
        return [by_fold[wanted]]
    alike = get_close_matches(wanted, by_fold, most, _ALIKE)
    least = _ratio(wanted, alike[0]) - _ALMOST if alike else 0.0
    alike = [name for name in alike if _ratio(wanted, name) >= least]
    if len(wanted) >= _SHORTEST_PART:
        alike += sorted((name for name in by_fold if wanted in name and name not in alike), key=len)
    return [by_fold[name] for name in alike[:most]]


def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(a=other, b=one).ratio()


def did_you_mean(written: str, known: Iterable[str], otherwise: str) -> str:
    """The end of a message about a name that does not exist: what was perhaps meant, or else the advice `otherwise`."""
    near = near_names(written, known)
    return f"did you mean {' or '.join(near)}?" if near else otherwise
