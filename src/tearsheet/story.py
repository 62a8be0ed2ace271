"""A story: one article on its way through a pipeline, and the form in which it travels between stages.

The four parts and their field names are those of Media Cloud's story-indexer, so that both programs can read each other's
archives. Just about every field may be missing while a story is in flight. A field that is not declared here cannot be set;
a field that a later version added is ignored when it is read.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, replace

import msgspec
import zstandard

NEED_CANONICAL_URL = "http://mediacloud.org/need_canonical_url"
"""Stands for "no URL known": the parser takes the URL from the page's own canonical link."""

MAX_DAYS_AHEAD = 90
"""A publication date is never further ahead than this many days: embargoes and wrong clocks do not account for more."""

VIA_SPIDER = "topic spider"
"""How a page came to us that the spider of a topic fetched: it is searched with its topics, and not with what was collected."""

WIRE_VERSION = 1
_ZSTD_LEVEL = 1
_MOST_BYTES = 512 << 20
"""Of a page, or of everything else of a story, unpacked."""
_STORY_NAMESPACE = uuid.UUID("6f0a3a5e-3c0d-5f6c-9d5e-7465617273aa")


@dataclass(slots=True)
class RSSEntry:
    """What the queuer knew before the page was fetched."""

    link: str | None = None
    title: str | None = None
    domain: str | None = None
    pub_date: str | None = None
    """RFC 2822; used when the page itself has no publication date."""
    fetch_date: str | None = None
    """YYYY-MM-DD, the day the story was acquired."""
    source_url: str | None = None
    """The feed or sitemap that had the link."""
    source_feed_id: int | None = None
    source_source_id: int | None = None
    via: str | None = None
    """How the story came to us, for human readers: `ID@SERVER`, or the name of a file."""


@dataclass(slots=True)
class RawHTML:
    """The page as it was received, after content decoding and before character decoding."""

    html: bytes | None = None
    encoding: str | None = None


@dataclass(slots=True)
class HTTPMetadata:
    """What the fetcher learned."""

    response_code: int | None = None
    fetch_timestamp: float | None = None
    """Seconds since 1970-01-01 UTC, with microseconds."""
    final_url: str | None = None
    encoding: str | None = None
    """The charset that the Content-Type header states; never an implied one."""


@dataclass(slots=True)
class ContentMetadata:
    """What the parser found in the page."""

    original_url: str | None = None
    url: str | None = None
    normalized_url: str | None = None
    canonical_domain: str | None = None
    publication_date: str | None = None
    """YYYY-MM-DD."""
    language: str | None = None
    """Two lower-case letters, ISO 639-1."""
    full_language: str | None = None
    text_extraction_method: str | None = None
    article_title: str | None = None
    normalized_article_title: str | None = None
    text_content: str | None = None
    parsed_date: str | None = None
    """UTC, `YYYY-MM-DDThh:mm:ss.uuuuuu`; set once by the parser and kept forever as the index's `indexed_date`."""
    canonical_url: str | None = None
    is_homepage: bool | None = None
    is_shortened: bool | None = None
    # Ours. Archives keep these apart from Media Cloud's (see OWN_CONTENT_FIELDS).
    publication_date_source: str | None = None
    """Where the date was found: `json-ld`, `meta`, `url`, `time`, `text`, `feed`."""
    description: str | None = None
    authors: list[str] | None = None
    image: str | None = None
    text_confidence: float | None = None
    """How much of the text is expected to be right, 0 to 1."""


OWN_CONTENT_FIELDS = ("publication_date_source", "description", "authors", "image", "text_confidence")
"""Fields of ContentMetadata that Media Cloud's readers do not know."""


@dataclass(slots=True)
class Exchange:
    """One request and its response, as they went over the wire: a redirect hop, or the final page (whose body is `raw_html`)."""

    url: str
    status: int
    request_headers: list[tuple[str, str]] = field(default_factory=list)
    response_headers: list[tuple[str, str]] = field(default_factory=list)
    timestamp: float | None = None
    ip: str | None = None
    http_version: str | None = None
    """`1.0`, `1.1`, `2` or `3`."""
    reason: str | None = None


@dataclass(slots=True)
class Story:
    """One article on its way through a pipeline."""

    id: str = ""
    """Given once by the queuer. A redelivered story keeps its id, so that no stage mistakes it for a duplicate of itself."""
    rss_entry: RSSEntry = field(default_factory=RSSEntry)
    raw_html: RawHTML = field(default_factory=RawHTML)
    http_metadata: HTTPMetadata = field(default_factory=HTTPMetadata)
    content_metadata: ContentMetadata = field(default_factory=ContentMetadata)
    exchanges: list[Exchange] = field(default_factory=list)
    """The actual requests and responses in order, redirects first; empty when they are not known."""

    @property
    def url(self) -> str | None:
        """The best address known: final, then extracted, then original, then the link that was queued."""
        content = self.content_metadata
        return self.http_metadata.final_url or content.url or content.original_url or self.rss_entry.link

    @property
    def spidered(self) -> bool:
        """Whether it was fetched by the spider of a topic, and not collected."""
        return self.rss_entry.via == VIA_SPIDER


def make_story_id(*parts: object) -> str:
    """A UUID that is always the same for the same parts, so that a queuer that starts again gives the same ids."""
    return str(uuid.uuid5(_STORY_NAMESPACE, "\x1f".join(map(str, parts))))


@dataclass(slots=True)
class _Wire:
    v: int
    story: Story


@dataclass(slots=True, frozen=True)
class WireStory:
    """A story between two stages. The page is separate, because most stages do not change it: it is compressed only once."""

    meta: bytes
    page: bytes = b""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Wire).decode


def encode_story(story: Story, *, page: bytes | None = None) -> WireStory:
    """The wire form: versioned MessagePack, and the page beside it, both in zstd frames.

    A caller that knows the page to be unchanged hands over its compressed form as `page`.
    """
    html = story.raw_html.html
    without_page = replace(story, raw_html=RawHTML(None, story.raw_html.encoding))
    if page is None:
        page = zstandard.compress(html, _ZSTD_LEVEL) if html is not None else b""
    return WireStory(zstandard.compress(_encode(_Wire(WIRE_VERSION, without_page)), _ZSTD_LEVEL), page)


def decode_story(wire: WireStory) -> Story:
    """Read the wire form of this version or a later one; fields that this version does not know are ignored.

    Raises ValueError when the bytes are not a story.
    """
    try:
        story = _decode(_unpacked(wire.meta)).story
        if wire.page:
            story.raw_html.html = _unpacked(wire.page)
    except (msgspec.MsgspecError, zstandard.ZstdError, RecursionError) as error:
        raise ValueError(f"not a story in wire form: {error}") from error
    return story


def _unpacked(frame: bytes) -> bytes:
    """What is in a zstd frame, which says how much that is: a few bytes from another program could stand for gigabytes."""
    size = zstandard.frame_content_size(frame)
    if not 0 <= size <= _MOST_BYTES:
        raise ValueError(f"not a story in wire form: it has {size:,} bytes" if size > 0 else "not a story in wire form")
    return zstandard.decompress(frame)
