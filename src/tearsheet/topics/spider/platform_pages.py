"""What a topic makes of pages on platforms and other sites without news: whether it follows them, whose they are, what they say."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from typing import Any

from tearsheet.extract import Document
from tearsheet.lexicon import POST_HOSTS
from tearsheet.topics.spider.addresses import media_of
from tearsheet.urls import BadURL, non_news_host, registered_domain

_NOT_STATED = ("url", "page")
"""Where a title comes from that the page does not state about itself (see `guess_title`)."""
_POST_TEXTS = ("articleBody", "text", "description")
SAYS_NOTHING = "its page gives no title, description or text"


def why_left_out(url: str, platforms: bool) -> str | None:
    """Why a topic does not follow an address; None if it does. `platforms` is the topic's setting."""
    host = None if platforms else non_news_host(url)
    return (
        f"{host} is a platform or a site without news, which this topic leaves out (--no-platforms)" if host else None
    )


def is_post(url: str) -> bool:
    """Whether a page is that of a post or a video, which is told in its head."""
    try:
        domain, source = registered_domain(url), media_of(url)
    except BadURL:
        return False
    return domain in POST_HOSTS or "/@" in source


def source_of(document: Document) -> str:
    """Whose page it is: by its address or, where that names no account, as for a video, by the author's that it gives."""
    own, domain = media_of(document.url), registered_domain(document.url)
    if own != domain or domain not in POST_HOSTS:
        return own
    for address in _authors(document):
        try:
            if registered_domain(address) == domain != media_of(address):
                return media_of(address)
        except BadURL:
            continue
    return own


def _authors(document: Document) -> Iterator[str]:
    """The addresses of authors that a page states."""
    for node in document.tree.css('[itemprop="author"] [itemprop="url"][href]')[:10]:
        yield node.attributes.get("href") or ""
    for item in _stated(document):
        authors = item.get("author")
        for author in authors if isinstance(authors, list) else [authors]:
            if isinstance(author, dict) and isinstance(author.get("url"), str):
                yield author["url"]


def text_of(document: Document) -> str:
    """What a page says: of a post or a video, what its head tells; of any other page, the text of its article."""
    if not is_post(document.url):
        return document.text
    told = [document.description or "", *_texts(document)]
    return max(told, key=len) or document.text


def _texts(document: Document) -> Iterator[str]:
    for item in _stated(document):
        for name in _POST_TEXTS:
            if isinstance(value := item.get(name), str):
                yield " ".join(unescape(value).split())


def _stated(document: Document) -> list[dict[str, Any]]:
    return [*document.head.articles, *document.head.other]


def says_nothing(url: str, title_method: str, description: str, text: str) -> bool:
    """Whether a page on a platform gives nothing to judge it by, as one that is shown only to members."""
    on_platform = non_news_host(url) is not None or is_post(url)
    return on_platform and title_method in _NOT_STATED and not description and not text
