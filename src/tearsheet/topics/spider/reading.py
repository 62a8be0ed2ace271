"""What the spider reads, in a separate process: whether a page can be about the topic, the story that it is, and its links."""

from __future__ import annotations

from dataclasses import dataclass

from tearsheet.extract import Document, decode
from tearsheet.topics.spider.links import MinedLink, mine_links
from tearsheet.topics.spider.relevance import raw_test
from tearsheet.topics.spider.web_story import WebStory, generate_story
from tearsheet.work import ReadingJob


@dataclass(slots=True, frozen=True)
class ReceivedPage:
    """A page as it came from the web."""

    body: bytes
    url: str
    charset: str | None
    """What HTTP stated."""


@dataclass(slots=True, frozen=True)
class LinkedPage:
    """A page that a link of a topic led to."""

    page: ReceivedPage
    query: str
    """The topic's."""
    assume_match: bool
    """Whether the page counts as relevant, whatever it says."""


def read_linked_page(linked: LinkedPage) -> WebStory | None:
    """The story of a page, if the page can be relevant."""
    page = linked.page
    text, _ = decode(page.body, page.charset)
    matches = linked.assume_match or raw_test(linked.query)(text, page.url)
    return generate_story(Document(text, page.url)) if matches else None


def read_links(page: ReceivedPage) -> list[MinedLink]:
    """The links that the author of a page made."""
    return mine_links(page.body, page.url, charset=page.charset)


READ_LINKED_PAGE = ReadingJob(read_linked_page, max_answer=64_000_000)
READ_LINKS = ReadingJob(read_links, max_answer=16_000_000)
