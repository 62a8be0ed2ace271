"""Which feed of ours a row of a list means, and what changes in it. Pure functions of plain values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tearsheet.feeds.catalogue.folders import read_folders
from tearsheet.feeds.catalogue.model import ADDED, CHANGED, KNOWN, REFUSED, Folder, NewFeed, UnreadRow
from tearsheet.masking import shown_url


@dataclass(slots=True, frozen=True)
class KnownFeed:
    """A feed of ours, as far as lists say anything about it."""

    id: int
    url: str
    sources_id: int | None
    name: str | None
    active: bool
    admin_minutes: int | None
    folders: str | None
    homepage: str | None
    user_agent: str | None
    ignore_validators: bool
    directory: str | None


@dataclass(slots=True, frozen=True)
class Match:
    """What becomes of a row: ADDED, KNOWN, CHANGED or REFUSED; of which feed; why it is refused."""

    what: str
    feed: KnownFeed | None = None
    why: str = ""


def match_of_list(row: NewFeed, same_id: KnownFeed | None, same_address: Sequence[KnownFeed], update: bool) -> Match:
    """Which feed a row of a list means: that of its id, or else that of its address and, if it names one, of its source.

    Without `update`, a row that would change the address of a feed is refused: it may be of another list, with ids of its own.
    """
    if same_id is not None:
        if same_id.url == row.url or update:
            return Match(CHANGED if update else KNOWN, same_id)
        at = shown_url(same_id.url)
        return Match(
            REFUSED, same_id, f"feed {same_id.id} has another address here, {at}: --update would give it this one"
        )
    own = [feed for feed in same_address if row.sources_id is None or feed.sources_id == row.sources_id]
    if own:
        return Match(CHANGED if update else KNOWN, own[0])
    return Match(ADDED)


def match_of_directory(row: NewFeed, directory: str, same_id: KnownFeed | None) -> Match:
    """Which feed a row of a directory means: that of its id, and no other, since a directory never gives an id twice."""
    if row.id is None:
        return Match(REFUSED, None, "it has no id, by which a directory's feeds are known")
    if same_id is None:
        return Match(ADDED)
    if same_id.directory == directory or (same_id.directory is None and same_id.url == row.url):
        return Match(CHANGED, same_id)
    whose = f"the directory {same_id.directory}" if same_id.directory else "nobody's directory"
    return Match(REFUSED, same_id, f"feed {same_id.id} is another one here, {shown_url(same_id.url)}, of {whose}")


def differences(feed: KnownFeed, wanted: dict[str, Any]) -> dict[str, Any]:
    """The columns that are to be different, with their new values. The order of folders is no difference: lists have their own."""
    changed = {name: value for name, value in wanted.items() if getattr(feed, name) != value}
    if "folders" in changed and _folders(feed.folders) == _folders(changed["folders"]):
        del changed["folders"]
    return changed


def _folders(text: str | None) -> set[Folder]:
    return set(read_folders(text or ""))


def told(feed: KnownFeed, changes: dict[str, Any]) -> str:
    """Changes as people read them: what was, and what will be."""
    return "; ".join(f"{_NAMES[name]}: {_text(getattr(feed, name))} → {_text(new)}" for name, new in changes.items())


_NAMES = {
    "url": "address", "sources_id": "source", "name": "name", "active": "active", "admin_minutes": "own interval",
    "folders": "folders", "homepage": "homepage", "user_agent": "user agent", "ignore_validators": "ignore validators",
    "directory": "directory",
}  # fmt: skip
"""What columns are called in reports."""
_MOST_TOLD = 200


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (shown_url(value) if "://" in str(value) else str(value))[:_MOST_TOLD]


def too_many_gone(gone: int, known: int, listed: int) -> bool:
    """Whether so many feeds are missing from a directory that it is more likely to be broken than to mean it.

    `listed` are those that it has: one that has lost all that it had is not believed, however few they were.
    """
    return (gone > 10 and gone * 5 > known) or (gone > 0 and listed == 0)


def missing(known: Iterable[KnownFeed], rows: Iterable[NewFeed], unread: Iterable[UnreadRow] = ()) -> list[KnownFeed]:
    """The feeds of a directory that are no longer in it. None is, as long as a row may be any of them."""
    bad = [row.id for row in unread]
    if None in bad:
        return []
    still = {row.id for row in rows} | set(bad)
    return [feed for feed in known if feed.id not in still]
