"""Foci: parts of a topic that snapshots count separately, by what stories say, in which language, and who publishes them.

Foci whose names share what stands before a slash are a set, as `party/left` and `party/right` are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from tearsheet.counts import how_many

SET_MARK = "/"
ALL_FOCI, COMMUNITIES = "focus", "community"
"""What colours may stand for, besides the foci of one set."""
_TOLD = 3
_SOLD_TO_ALL = frozenset(
    (
        "ac ad ag ai as bz cc cd cf co cx dj eu fm ga gg gl gq gs io la ly me ml ms mu nu pw sc sh sr st su tk to tv vc vg ws"
    ).split()
)
"""Endings that are registered all over the world because they look well, and that of a union; they tell no country."""
_OTHER_CODES = {"uk": "gb"}
"""Endings that differ from the code of their country."""


class Focus(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a story must be to belong to a part of a topic: all that is given, and one of several values of a kind."""

    query: str = ""
    sources: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    """By name or id. Their members are read when a snapshot is taken."""
    languages: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    """Two-letter codes, as `country_of` gives them."""

    def describe(self) -> str:
        """The focus in words; one that is a query alone is that query."""
        parts = [
            _one_of("from", self.sources, "source"),
            _one_of("from the collection", self.collections, "collection"),
            _one_of("in the language", self.languages, "language"),
            _one_of("from the country", self.countries, "country"),
        ]
        return ", ".join(part for part in (self.query, *parts) if part)


def _one_of(what: str, values: tuple[str, ...], kind: str) -> str:
    if len(values) > _TOLD:
        return f"{what.partition(' ')[0]} one of {how_many(len(values), kind)}"
    return f"{what} {' or '.join(values)}" if values else ""


def set_of(name: str) -> str:
    """The set that a focus belongs to; empty if it stands alone."""
    return name.partition(SET_MARK)[0] if SET_MARK in name else ""


def of_set(names: Iterable[str], wanted: str) -> list[str]:
    """The foci of a set, or the one of this name; all of them for `focus`. In their order."""
    return [name for name in names if wanted in (ALL_FOCI, name, set_of(name))]


def country_of(source: str) -> str:
    """The country that a source's domain ends in, as a two-letter code; empty for endings that tell none, as `.com`."""
    ending = source.partition("/")[0].rpartition(".")[2].lower()
    if len(ending) != 2 or not (ending.isascii() and ending.isalpha()) or ending in _SOLD_TO_ALL:
        return ""
    return _OTHER_CODES.get(ending, ending)


def read_foci(stored: str) -> dict[str, Focus]:
    """The foci of a topic, as they are stored. Earlier versions stored queries alone."""
    found = msgspec.json.decode(stored, type=dict[str, str | Focus])
    return {name: Focus(focus) if isinstance(focus, str) else focus for name, focus in found.items()}


def foci_text(foci: Mapping[str, Focus]) -> str:
    """Foci, as they are stored."""
    return msgspec.json.encode(dict(sorted(foci.items()))).decode()
