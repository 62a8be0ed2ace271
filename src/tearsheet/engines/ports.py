"""The five ports: what the program asks of a database, a broker, an index, a blob store and an event log.

Each port has one embedded adapter, which needs no server, and others for servers at scale. An adapter is right when the
contract suite of its port (`tests/engines/`) passes against it, unchanged.

The broker is asynchronous, because workers wait on it; the others are plain calls, to be made from a thread where waiting
would hurt. Adapters raise `tearsheet.errors.EngineError` when their server is away or refuses us, and ride out short
absences with growing pauses before they do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    # Only for types: the worker processes that parse pages start many times and must not load a database library.
    from sqlalchemy import Connection, Table
    from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
    from sqlalchemy.dialects.sqlite import Insert as SqliteInsert

    from tearsheet.query import Query

# --------------------------------------------------------------------------------------------------------- database


class Database(Protocol):
    """Tables, through SQLAlchemy Core. The same statements run on SQLite and on PostgreSQL."""

    def begin(self) -> AbstractContextManager[Connection]:
        """A transaction that may write; committed when the block ends, rolled back when it raises."""
        ...

    def read(self) -> AbstractContextManager[Connection]:
        """A connection for reading; never blocks a writer and is never blocked by one."""
        ...

    def insert(self, table: Table) -> SqliteInsert | PostgresInsert:
        """An INSERT that knows `on_conflict_do_nothing` and `on_conflict_do_update` in the engine's dialect."""
        ...

    def migrate(self) -> None:
        """Bring the schema to this version's. Raises EngineError when the database is newer than the program."""
        ...

    def close(self) -> None:
        """Give back every connection."""
        ...


# ----------------------------------------------------------------------------------------------------------- broker

Headers = dict[str, str | int | float]


@dataclass(slots=True, frozen=True)
class Message:
    """A story in wire form, and what the pipeline knows about its journey (retries, reasons: see `pipeline.headers`)."""

    body: bytes
    headers: Headers = field(default_factory=dict)
    key: str = ""
    """What the queue is partitioned by where several consumers share it: for fetch queues, the host."""
    page: bytes = b""
    """The large part that seldom changes on the way. An adapter may keep one copy when a settlement hands the same object on."""


@dataclass(slots=True, frozen=True)
class Lease:
    """A message that we hold until we settle it. When our process dies, it goes back to its queue."""

    queue: str
    message: Message
    token: Any
    """The adapter's own handle."""
    redelivered: bool = False


@dataclass(slots=True, frozen=True)
class Output:
    """A message for a queue, at once or after `delay` seconds."""

    queue: str
    message: Message
    delay: float = 0.0


@dataclass(slots=True, frozen=True)
class Settlement:
    """What became of a leased message: these copies are stored safely, and only then the original is gone.

    No outputs: done. An output to the message's own queue with a delay: a retry. An output to a `-quar` queue: quarantine.
    """

    lease: Lease
    outputs: tuple[Output, ...] = ()


@dataclass(slots=True, frozen=True)
class Depth:
    """How many messages of a queue are ready, leased to somebody, and waiting for their delay to end."""

    ready: int = 0
    leased: int = 0
    delayed: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.ready + self.leased + self.delayed


class Broker(Protocol):
    """Queues that survive a kill. A message may be seen twice and is never lost.

    A queue comes into being when it is first used. Each call returns when its effect is safe on disk.
    """

    async def publish(self, outputs: Sequence[Output]) -> None:
        """Store all messages, or raise and store none that the caller may rely on."""
        ...

    async def lease(self, queue: str, limit: int, wait: float = 0.0) -> list[Lease]:
        """Up to `limit` messages that are ready, oldest first. Waits up to `wait` seconds for the first one."""
        ...

    async def settle(self, settlements: Sequence[Settlement]) -> None:
        """Store every output, then forget every leased original: one transaction, or confirm before acknowledge."""
        ...

    async def release(self, leases: Sequence[Lease]) -> None:
        """Give messages back unprocessed, as at a clean stop. They are ready again at once."""
        ...

    async def depths(self) -> dict[str, Depth]:
        """Every queue that exists, by name, with its depth."""
        ...

    async def peek(self, queue: str, limit: int) -> list[Message]:
        """Look at messages that are ready, oldest first, and leave them where they are."""
        ...

    async def hasten(self, queue: str) -> int:
        """Make all delayed messages of a queue ready now. Returns how many."""
        ...

    async def purge(self, queue: str) -> int:
        """Delete all messages of a queue that nobody holds; delayed ones too. Returns how many."""
        ...

    async def delete(self, queue: str) -> int:
        """Delete the queue itself, whatever is in it. Returns how many messages that were."""
        ...

    async def close(self) -> None:
        """Give leases back and disconnect."""
        ...


# ------------------------------------------------------------------------------------------------------------ index


@dataclass(slots=True)
class IndexedStory:
    """A story as the index holds it: the Elasticsearch fields of Media Cloud by the same names, and ours."""

    id: str
    """SHA-256 of the normalised URL: two stories with one id are one story."""
    story_id: str
    """The id that its queuer gave it, by which a redelivered story knows its own copy."""
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


@dataclass(slots=True, frozen=True)
class AddResult:
    """What the index did with a story: `created`; `own`, when this very story is there already; or `duplicate` of another."""

    status: str
    first_story_id: str


@dataclass(slots=True)
class Page:
    """Some of the stories that match, and a token for the next ones (None: that was all)."""

    stories: list[IndexedStory]
    next_token: str | None = None


class Index(Protocol):
    """The stories that can be searched. The first copy of a story wins; a story that was added stays after a kill."""

    def add(self, stories: Sequence[IndexedStory]) -> list[AddResult]:
        """Add stories, durably, and say for each what became of it, in order."""
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
        """A page of stories, `newest` or `oldest` (by indexed date) or `relevance` first. `text=False` leaves the text out."""
        ...

    def sample(self, query: Query, limit: int) -> list[IndexedStory]:
        """Some of the matching stories at random."""
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

    def close(self) -> None:
        """Write what is pending and let go."""
        ...


# ------------------------------------------------------------------------------------------------------------ blobs


@dataclass(slots=True, frozen=True)
class BlobInfo:
    """A blob's key, size, time, and version where the store keeps versions."""

    key: str
    size: int
    modified: datetime
    version: str | None = None
    etag: str | None = None


class Blobs(Protocol):
    """Files by key. Keys use `/`; a key never leaves the store."""

    def put(self, key: str, data: bytes | Path, *, content_type: str | None = None) -> BlobInfo:
        """Store bytes or a local file under a key, whole or not at all; an existing blob is replaced."""
        ...

    def get(self, key: str, *, version: str | None = None) -> bytes:
        """The bytes of a blob. Raises NotFoundError."""
        ...

    def open(self, key: str, *, version: str | None = None) -> Iterator[bytes]:
        """The bytes of a blob, piece by piece. Raises NotFoundError."""
        ...

    def head(self, key: str) -> BlobInfo | None:
        """What is known about a blob, or None."""
        ...

    def list(self, pattern: str = "*") -> Iterator[BlobInfo]:
        """Blobs in order of key: all below a prefix (`2026/11/*`), or exactly one key."""
        ...

    def versions(self, key: str) -> Sequence[BlobInfo]:
        """Every stored version of a blob, newest first. A store without versions gives the one it has."""
        ...

    def delete(self, key: str) -> None:
        """Remove a blob; no error when it is not there."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


# ----------------------------------------------------------------------------------------------------------- events


@dataclass(slots=True, frozen=True)
class Event:
    """One entry of an event log."""

    topic: str
    key: str
    value: Mapping[str, Any]
    position: str
    """Where it stands in the log; opaque."""


class Events(Protocol):
    """Append-only topics of keyed JSON objects, read by groups that each keep their place."""

    def publish(self, topic: str, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Append (key, value) pairs; returns when they are safe."""
        ...

    def poll(self, topic: str, group: str, limit: int, wait: float = 0.0) -> list[Event]:
        """The next events after the group's place. Waits up to `wait` seconds for the first."""
        ...

    def commit(self, group: str, events: Sequence[Event]) -> None:
        """Move the group's place behind these events: they are not given to it again."""
        ...

    def latest(self, topic: str) -> dict[str, Mapping[str, Any]]:
        """The newest value of each key, as after compaction."""
        ...

    def close(self) -> None:
        """Send what is pending and disconnect."""
        ...
