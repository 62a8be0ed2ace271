"""Reading jobs for documents that a program hands over and does not trust."""

from __future__ import annotations

from dataclasses import dataclass

from tearsheet.extract import extract
from tearsheet.feeds import FeedError, ParsedFeed, parse_feed
from tearsheet.story import ContentMetadata
from tearsheet.work import ReadingJob


@dataclass(slots=True, frozen=True)
class GivenDocument:
    """A document, and its address if that is known."""

    body: bytes
    is_text: bool
    """Whether it was given as text, and is in UTF-8 whatever it says."""
    url: str | None = None

    @classmethod
    def of(cls, content: bytes | str, url: str | None) -> GivenDocument:
        """A document as it was given."""
        if isinstance(content, str):
            return cls(content.encode("utf-8", "replace"), True, url)
        return cls(content, False, url)

    @property
    def content(self) -> bytes | str:
        """The document as it was given."""
        return self.body.decode("utf-8") if self.is_text else self.body


def read_article(given: GivenDocument) -> ContentMetadata:
    """The article of a page."""
    return extract(given.content, given.url)


def read_given_feed(given: GivenDocument) -> ParsedFeed | str:
    """A feed, or the reason why it is none."""
    try:
        return parse_feed(given.content, given.url)
    except FeedError as error:
        return error.reason


READ_ARTICLE = ReadingJob(read_article)
READ_GIVEN_FEED = ReadingJob(read_given_feed)
