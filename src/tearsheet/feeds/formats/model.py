"""What a feed says, whatever its format."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from tearsheet.errors import UserError

HUB, SELF, NEXT, ARCHIVE, NEW_ADDRESS = "hub", "self", "next", "prev-archive", "new-feed-url"
"""The links of a feed itself, by what they are for."""
EMPTY = "empty"
HTML = "html?"
NO_VERSION = "no version"
TOO_LARGE = "too large"

TOLD = {
    EMPTY: "the document is empty",
    HTML: "this is a web page and no feed; look for the feeds that it names",
    NO_VERSION: "this is no feed and no sitemap of any known format",
    TOO_LARGE: "the document is too large when it is unpacked",
}

SITEMAP = "sitemap"
NEWS_SITEMAP = "news sitemap"
SITEMAP_INDEX = "sitemap index"

MAX_ENTRIES = 50_000
"""As many as one sitemap may hold; entries beyond these are counted and not read."""
MAX_TEXT, MAX_TEXTS = 200_000, 8_000_000
"""How many characters of an entry's content are kept, and of all contents of a feed together."""
MAX_NAMED = 50
"""How many authors, categories and enclosures of an entry are kept."""


class FeedError(UserError, ValueError):
    """The document is not a feed, or too large. `reason` is `empty`, `html?`, `no version` or `too large`.

    All but the last appear as such in the fetch event's note.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(TOLD.get(reason, reason))
        self.reason = reason

    @property
    def note(self) -> str:
        """The detail of the fetch event: downstream scripts read exactly this."""
        return f"Exception({self.reason!r})"


@dataclass(slots=True, frozen=True)
class Enclosure:
    """A file that belongs to an entry: a sound, a film, a picture."""

    url: str
    type: str | None = None
    length: int | None = None
    """Its size in bytes, as the feed says."""


@dataclass(slots=True)
class Entry:
    """One item of a feed. `link` is absolute where the feed allowed it; `published` is UTC, or None without a sensible date.

    `summary` and `content` are as the feed has them, with their markup: what shows them must clean them.
    """

    link: str | None = None
    title: str | None = None
    published: datetime | None = None
    guid: str | None = None
    updated: datetime | None = None
    summary: str | None = None
    content: str | None = None
    authors: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    enclosures: tuple[Enclosure, ...] = ()


@dataclass(slots=True)
class ParsedFeed:
    """A feed as read. In a sitemap index, every entry is the address of another sitemap."""

    version: str
    title: str | None = None
    update_minutes: int | None = None
    entries: list[Entry] = field(default_factory=list)
    updated: datetime | None = None
    """When the document was made or last changed, where it says so."""
    home: str | None = None
    """The site's own page, where the feed names it."""
    skip_hours: frozenset[int] = frozenset()
    """Hours of the day, UTC, in which the publisher asks not to be polled."""
    skip_days: frozenset[int] = frozenset()
    """Days of the week, Monday is 0, in which the publisher asks not to be polled."""
    tossed: int = 0
    """Entries that were not read: those beyond MAX_ENTRIES."""
    links: dict[str, str] = field(default_factory=dict)
    """Links of the feed itself by kind, as `self_links` names them."""
    damaged: bool = False
    """Whether it is not well-formed, and was read as far as it makes sense."""

    @property
    def is_index(self) -> bool:
        """Whether the entries are sitemaps and not articles."""
        return self.version == SITEMAP_INDEX
