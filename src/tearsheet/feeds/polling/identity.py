"""By what an entry is known: its link, and its guid where the feed keeps guids. Decided by what the feed itself has shown before.

A link that is known is a story that is known, whatever its guid. This rule is for the others: an entry with a new link and a guid
that the feed has used before is a story whose link changed, or a new story under a used guid.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

_SURE = 2
"""So many entries of one document do not agree with their guids by accident."""
_ALIKE = 0.5
"""A title that was edited keeps half of its words."""


@dataclass(slots=True, frozen=True)
class Sighting:
    """An entry as it is in a document, or as it was when it was first seen."""

    guid: str
    link: str
    title: str | None = None
    """In its normal form."""
    published: datetime | None = None
    story: int = 0
    """The story that it became."""
    text: str | None = None
    """How its summary or content begins."""


_Pair = tuple[Sighting, Sighting]
"""An entry, and an earlier one under its guid."""


def known_by_guid(document: Sequence[Sighting], history: Iterable[Sighting], days: int) -> dict[str, Sighting]:
    """Which entries of a document are stories of its feed under a new link: what they were, by the new link.

    `history` are the feed's stories under the guids of the document. A guid is the same story's if the title or the time that
    goes with it is, and no other entry's; or the text, unless title or time speak against it. Where more guids have come to mean
    something else than have stayed, as where they only count the places of a list, no guid is believed. Titles of stories that are
    more than `days` apart may be the same by accident.
    """
    seen: defaultdict[str, list[Sighting]] = defaultdict(list)
    for one in history:
        seen[one.guid].append(one)
    telling = _Telling(document)
    kept, moved, same_text, other = 0, list[_Pair](), list[_Pair](), list[_Pair]()
    for entry in document:
        before = seen.get(entry.guid)
        if not before or entry.guid in telling.shared:
            continue
        if any(one.link == entry.link for one in before):
            kept += 1
        elif (same := telling.same(entry, before)) is not None:
            moved.append((entry, same))
        elif (same := telling.same_text(entry, before)) is not None:
            same_text.append((entry, same))
        else:
            other.append((entry, before[-1]))
    agreeing = kept + len(moved) + len(same_text)
    if agreeing <= len(other):
        return {}
    sure = agreeing >= _SURE
    found = {entry.link: one for entry, one in moved if sure or not _apart(entry, one, days)}
    # One text alone may be what its column always says, unless new stories have new guids here.
    new_guids = any(entry.guid not in seen for entry in document)
    found |= {entry.link: one for entry, one in same_text if sure or new_guids}
    # An edited story keeps its guid, in a feed whose other entries keep guid and link.
    return found | {entry.link: one for entry, one in other if kept >= _SURE and _alike(entry.title, one.title)}


def marks_of(feed: int, entry: Sighting) -> Iterator[str]:
    """By what an erased entry is known under whatever link: digests of its feed and guid with its title, and with its time.

    The guid alone would not do: in a feed that only counts the places of a list, it is another story's tomorrow.
    """
    time = _exact(entry.published)
    for what in (entry.title, time and f"{time:%Y-%m-%dT%H:%M:%S}"):
        if what:
            yield hashlib.sha256(f"{feed}\x1f{entry.guid}\x1f{what}".encode("utf-8", "replace")).hexdigest()


def _exact(time: datetime | None) -> datetime | None:
    """A time, unless it is only a day."""
    return time if time and (time.hour or time.minute or time.second) else None


class _Telling:
    """What tells the entries of a document apart."""

    def __init__(self, document: Sequence[Sighting]) -> None:
        self._titles: defaultdict[str | None, set[str]] = defaultdict(set)
        self._times: defaultdict[datetime | None, set[str]] = defaultdict(set)
        self._texts: defaultdict[str | None, set[str]] = defaultdict(set)
        titles_of: defaultdict[str, set[str | None]] = defaultdict(set)
        for entry in document:
            self._titles[entry.title].add(entry.guid)
            self._times[entry.published].add(entry.guid)
            self._texts[entry.text].add(entry.guid)
            titles_of[entry.guid].add(entry.title)
        self.shared = {guid for guid, titles in titles_of.items() if len(titles) > 1}
        """Guids that several stories have at once."""

    def same(self, entry: Sighting, before: Iterable[Sighting]) -> Sighting | None:
        """The earlier sighting with the title or the time of this entry, if no other entry has it."""
        title = entry.title if entry.title and len(self._titles[entry.title]) == 1 else None
        time = _exact(entry.published) if len(self._times[entry.published]) == 1 else None
        for one in before:
            if (title and one.title == title) or (time and one.published == time):
                return one
        return None

    def same_text(self, entry: Sighting, before: Iterable[Sighting]) -> Sighting | None:
        """The earlier sighting with the text of this entry, if no other entry has it, and it has no other title or time."""
        if not entry.text or len(self._texts[entry.text]) > 1:
            return None
        for one in before:
            same_title = one.title == entry.title or _alike(entry.title, one.title)
            if one.text == entry.text and one.published == entry.published and same_title:
                return one
        return None


def _apart(one: Sighting, other: Sighting, days: int) -> bool:
    if one.published is None or other.published is None:
        return False
    return abs(one.published - other.published) >= timedelta(days=days)


def _alike(title: str | None, other: str | None) -> bool:
    """Whether two titles have most of their words in common."""
    words, others = set((title or "").split()), set((other or "").split())
    return len(words & others) > _ALIKE * len(words | others)
