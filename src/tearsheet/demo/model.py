"""Values that the parts of the newsroom share: sites, articles, links, feeds, and what the server is to answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class FeedFormat(StrEnum):
    """The kinds of feeds that news sites publish."""

    RSS = "rss"
    ATOM = "atom"
    RDF = "rdf"
    JSON = "json"
    SITEMAP = "sitemap"


@dataclass(slots=True, frozen=True)
class Site:
    """One publication, as its owner set it up."""

    host: str
    name: str
    languages: tuple[str, ...]
    formats: tuple[FeedFormat, ...]
    """The format of the feed of each language."""
    address_style: str
    """How article addresses look: a key of `addresses.STYLES`."""
    date_style: str
    """Where a page says when it was published: a key of `page_dates.STYLES`."""
    theme: str
    """A key of `styles.THEMES`."""
    markup: str = "article"
    """How the body is marked up: `article`, `divs` or `microdata`."""
    charsets: tuple[str, ...] = ()
    """The charset of each language; UTF-8 when not given."""
    charset_in: str = "both"
    """Where the charset is stated: `header`, `meta` or `both`."""
    www: str = "same"
    """What `www.` does: serve the `same` page, or `redirect` to the bare name."""
    compress: bool = False
    """Whether pages are sent gzipped to those who accept it."""

    def charset(self, language: str) -> str:
        """The charset in which pages of a language are served."""
        return self.charsets[self.languages.index(language)] if self.charsets else "utf-8"

    @property
    def hosts(self) -> tuple[str, str, str]:
        """The names under which the site answers."""
        return self.host, f"www.{self.host}", f"m.{self.host}"


@dataclass(slots=True, frozen=True)
class Article:
    """One article, without its text (see `prose.write_body`)."""

    number: int
    site: Site
    language: str
    event: str
    title: str
    author: str
    published: datetime
    path: str
    """Path and query, as the site itself writes them."""
    host: str
    """The site's host name or a subdomain of it."""
    listed: bool = True
    """False for an article that is in no feed and can be found only through links."""

    @property
    def url(self) -> str:
        """The address under which the site publishes it."""
        return f"http://{self.host}{self.path}"

    @property
    def normalized_url(self) -> str:
        """The key under which it must be indexed: all in lower case, no final slash."""
        return self.url.lower().rstrip("/")


class LinkKind(StrEnum):
    """Where in a page a link is."""

    BODY = "body"
    """An anchor in the text of the article."""
    CLEAR = "clear"
    """An address written out in the text of the article."""
    RELATED = "related"
    """In a box beside the article: not part of what the author wrote."""


@dataclass(slots=True, frozen=True)
class Link:
    """A link from one article to another, or to a page that is gone."""

    source: int
    target: int | None
    """The article's number; None when the page does not exist."""
    kind: LinkKind
    url: str
    """As written in the page: perhaps by a shortener, an old address or with tracking parameters."""


@dataclass(slots=True, frozen=True)
class Span:
    """A piece of a paragraph, with the address it links to."""

    text: str
    href: str | None = None


Paragraph = tuple[Span, ...]


def plain_text(paragraph: Paragraph) -> str:
    """A paragraph as a reader sees it."""
    return "".join(span.text for span in paragraph)


@dataclass(slots=True, frozen=True)
class FeedItem:
    """One item of a feed."""

    link: str
    title: str
    published: datetime
    case: str
    """What is special about it: a `cases.Case`."""
    article: int | None = None
    """The article behind the link, if any."""
    original: str = ""
    """For an entry that repeats another one: that one's link."""


@dataclass(slots=True)
class Feed:
    """One feed of a site."""

    url: str
    site: Site
    language: str
    format: FeedFormat
    title: str
    entries: list[FeedItem] = field(default_factory=list)


class Manner(StrEnum):
    """How the server delivers a reply."""

    PLAIN = "plain"
    CHUNKED = "chunked"
    DRIP = "drip"
    """In a few pieces with pauses."""
    REPEAT = "repeat"
    """The body again and again, chunked, `Reply.repeat` times."""
    TRUNCATED = "truncated"
    """The connection ends in the middle of the promised body."""
    HANG = "hang"
    """Nothing is ever sent."""
    HANG_MIDDLE = "hang-middle"
    """Half of the promised body, then nothing."""
    RESET = "reset"
    """The connection is cut before any byte is sent."""
    GARBAGE = "garbage"
    """The body alone, which is not HTTP."""


@dataclass(slots=True, frozen=True)
class Reply:
    """An answer of the server."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    manner: Manner = Manner.PLAIN
    delay: float = 0.0
    """Seconds before the first byte."""
    repeat: int = 1
    compress: bool = False

    def header(self, name: str) -> str | None:
        """The value of a header."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


@dataclass(slots=True, frozen=True)
class Route:
    """What the server does for one address."""

    make: Callable[[], Reply]
    """Makes the lasting answer. Called once; the server keeps it."""
    first: tuple[Reply, ...] = ()
    """Answers to the first requests, before the lasting one."""


def html_reply(body: bytes, content_type: str = "text/html; charset=utf-8", *, compress: bool = False) -> Reply:
    """A page as it should be."""
    return Reply(200, (("Content-Type", content_type),), body, compress=compress)


def redirect(location: str, status: int = 301) -> Reply:
    """An answer that sends the reader elsewhere."""
    return Reply(status, (("Location", location), ("Content-Type", "text/html")), b"<html><body>Moved.</body></html>")
