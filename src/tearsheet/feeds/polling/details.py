"""What is kept of an entry beside its title, link and date: its texts, authors, categories and enclosures, bounded, as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from tearsheet.feeds.formats import Entry, plain_title

MAX_KEPT, MAX_KEPT_OF_ALL = 20_000, 6_000_000
"""How many characters of each text are kept, and of the texts of one document together."""

BEGINNING = 300
"""By so many characters of them the details of two entries are compared; the texts come first."""


class _Details(msgspec.Struct, omit_defaults=True):
    summary: str | None = None
    content: str | None = None
    authors: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    enclosures: Sequence[dict[str, Any]] = ()


def details_of(entry: Entry, entries: int) -> str | None:
    """The details of one of so many entries; None if it has none."""
    longest = min(MAX_KEPT, MAX_KEPT_OF_ALL // (2 * max(1, entries)))
    found = _Details(
        entry.summary[:longest] if entry.summary else None,
        entry.content[:longest] if entry.content else None,
        entry.authors,
        entry.categories,
        [{"url": one.url[:2048], "type": one.type, "length": one.length} for one in entry.enclosures]
        if entry.enclosures
        else (),
    )
    kept = _ENCODER.encode(found)
    return kept.decode("utf-8") if len(kept) > len(_NOTHING) else None


_ENCODER = msgspec.json.Encoder()
_NOTHING = b"{}"


def read_details(kept: str | None) -> dict[str, Any]:
    """The details as they were kept, each with its name; nothing where none were."""
    empty: dict[str, Any] = {"summary": None, "content": None, "authors": [], "categories": [], "enclosures": []}
    return empty | (msgspec.json.decode(kept) if kept else {})


@dataclass(slots=True, frozen=True)
class ShownDetails:
    """What an entry says, as people read it."""

    summary: str | None
    """Its summary, or the beginning of its content, without markup."""
    authors: Sequence[str]
    categories: Sequence[str]
    enclosures: Sequence[dict[str, Any]]
    """Each with `url`, `type` and `length`, as far as the feed states them."""


def shown_details(details: Mapping[str, Any]) -> ShownDetails | None:
    """Details as they are shown; None where there is nothing to show."""
    text = plain_title(details["summary"] or details["content"] or "")
    found = ShownDetails(text, details["authors"], details["categories"], details["enclosures"])
    return found if text or found.authors or found.categories or found.enclosures else None
