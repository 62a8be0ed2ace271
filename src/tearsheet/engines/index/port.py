"""What the program asks of an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tearsheet.mediacloud_ids import mediacloud_id

if TYPE_CHECKING:
    from tearsheet.query import Query

MAX_OFFSET = 10_000
"""Where pages by relevance end: each has to sort all stories before it again."""


@dataclass(slots=True)
class IndexedStory:
    """A story as the index holds it: the Elasticsearch fields of Media Cloud, under the same names, and our own."""

    id: str
    """SHA-256 of the normalised URL: two stories with the same id are one story."""
    story_id: str
    """The id that its queuer gave it, by which a redelivered story recognises its own copy."""
    url: str
    canonical_domain: str
    indexed_date: int
    """Nanoseconds since 1970-01-01 UTC."""
    article_title: str = ""
    text_content: str = ""
    language: str = ""
    publication_date: str | None = None
    """YYYY-MM-DD."""
    original_url: str = ""
    source_id: int | None = None
    feed_id: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    """What is stored with the story and not searched: description, authors, image, where the date came from."""

    @property
    def mediacloud_id(self) -> str:
        """The id of the same page in Media Cloud's index; kept in `extra` where that has an id of its own for it."""
        return str(self.extra.get("mediacloud_id") or mediacloud_id(self.url))


@dataclass(slots=True, frozen=True)
class AddResult:
    """What the index did with a story: `created`; `own`, if this very story was there already; or `duplicate` of another."""

    status: str
    first_story_id: str


@dataclass(slots=True)
class Page:
    """Some of the stories that match, and a token for the next ones (None: there are no more)."""

    stories: list[IndexedStory]
    next_token: str | None = None


@dataclass(slots=True)
class Survey:
    """A page of the stories that match, and the figures of all of them."""

    page: Page
    count: int
    days: list[tuple[str, int]]
    """Stories by day of publication (YYYY-MM-DD), in chronological order; those without a day are left out."""
    sources: list[tuple[str, int]]
    """The most frequent domains and languages."""
    languages: list[tuple[str, int]]


class Index(Protocol):
    """The stories that can be searched. The first copy of a story wins; a story that was added survives a kill."""

    def add(self, stories: Sequence[IndexedStory]) -> list[AddResult]:
        """Add stories, durably, and say for each what became of it, in order. Raises ItemRefused for one that cannot be taken."""
        ...

    def remove(self, ids: Sequence[str]) -> int:
        """Remove stories; returns how many there were. No search finds them when it returns. Meant to be called seldom."""
        ...

    def scrub(self) -> None:
        """Leave nothing of removed stories in the files of the index; also finishes a removal that was killed.

        Takes a while. Raises BusyError when something of them is still there, and will be for a time.
        """
        ...

    def get(self, ids: Sequence[str]) -> list[IndexedStory | None]:
        """Stories by id (the hash of the normalised URL), in order."""
        ...

    def count(self, query: Query) -> int:
        """How many stories match."""
        ...

    def search(
        self, query: Query, *, limit: int = 20, token: str | None = None, order: str = "newest", text: bool = True
    ) -> Page:
        """A page of stories. `text=False` leaves the text out.

        `newest` and `oldest` order by the day of publication, with stories of unknown days last either way; `indexed-newest`
        and `indexed-oldest` by the time of indexing, which never changes; `relevance` by how well they match.
        """
        ...

    def survey(
        self, query: Query, *, limit: int = 20, token: str | None = None, order: str = "newest", top: int = 20
    ) -> Survey:
        """What `search`, `count`, `over_time` by day and `top` would return, in one request; `limit` and `top` may be 0."""
        ...

    def sample(self, query: Query, limit: int) -> list[IndexedStory]:
        """A random sample of the matching stories."""
        ...

    def over_time(self, query: Query, interval: str = "day") -> list[tuple[str, int]]:
        """Matching stories by publication `day`, `week` (from Monday) or `month`: (YYYY-MM-DD of its first day, count)."""
        ...

    def top(self, query: Query, field: str, limit: int = 20) -> list[tuple[str, int]]:
        """The most frequent values of `canonical_domain` or `language` among the matching stories."""
        ...

    def top_over_time(
        self, query: Query, field: str, interval: str = "week", limit: int = 20
    ) -> list[tuple[str, str, int]]:
        """The same by publication `day`, `week` or `month`: (value, first day, count), the most frequent values first."""
        ...

    def refresh(self) -> None:
        """Make everything that was added visible to searches now."""
        ...

    def describe(self) -> str:
        """What it holds, for whoever looks after it. Raises EngineError or StorageError when it cannot be read."""
        ...

    def close(self) -> None:
        """Write what is pending and close."""
        ...
