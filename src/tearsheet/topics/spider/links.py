"""`mine_links`: the links that the author of a page made, from its substantive content only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from tearsheet.extract import INLINE, Document
from tearsheet.topics.spider.addresses import clean_url, is_ignored, leads_to_list, media_of, url_key, video_page
from tearsheet.urls import BadURL

MAX_LINKS = 1_000
"""How many links of one page are followed; a page with more is a list, not an author's work."""
MAX_SELF_LINKS = 20
"""How many links of one page to its own source are followed."""
_MAX_ANCESTORS = 200
_MAX_BLOCK = 20_000
_LONG_BLOCK = 60
_CLEAR_ADDRESS = re.compile(r"""https?://[^\s"'<>()\[\]{}|\\^`…]{3,2000}""", re.IGNORECASE)
_TRAILING = ".,;:!?'\"*_~-"


@dataclass(slots=True, frozen=True)
class MinedLink:
    """A link as it was found, without tracking parameters."""

    url: str
    key: str
    """The same for all addresses of one page."""
    kind: str
    """`anchor`, `text` (an address written out in the text) or `video` (an embedded player)."""
    text: str = ""


def mine_links(html: bytes | str, url: str, *, charset: str | None = None) -> list[MinedLink]:
    """The links in the substantive content of a page, in order, without repeats and without links to the page itself."""
    return mine_document(Document(html, url, charset=charset))


def mine_document(document: Document) -> list[MinedLink]:
    """The same for a page that has already been parsed."""
    found: dict[str, MinedLink] = {}
    own = _key(document.url)
    for address, kind, text in (*_anchors(document), *_clear_text(document), *_videos(document)):
        cleaned = clean_url(address)
        key = _key(cleaned) if cleaned else None
        if cleaned and key and key != own and key not in found and not is_ignored(cleaned):
            found[key] = MinedLink(cleaned, key, kind, text)
        if len(found) >= MAX_LINKS:
            break
    return limit_self_links(found.values(), document.url)


def limit_self_links(links: Iterable[MinedLink], url: str) -> list[MinedLink]:
    """Drop links to lists of the page's own source, and keep a few other links to it."""
    own = media_of(url)
    kept, within = [], 0
    for link in links:
        if media_of(link.url) == own:
            if leads_to_list(link.url) or within >= MAX_SELF_LINKS:
                continue
            within += 1
        kept.append(link)
    return kept


def _key(url: str) -> str | None:
    try:
        return url_key(url)
    except BadURL:
        return None


def _anchors(document: Document) -> Iterator[tuple[str, str, str]]:
    """Anchors whose paragraph belongs to the article."""
    article = [" ".join(line.split()) for line in document.text.splitlines()]
    lines, whole = set(article), " ".join(article)
    known: dict[int, bool] = {}
    for node in document.tree.css("a[href]")[: 4 * MAX_LINKS]:
        block = _block_of(node)
        if block is None:
            continue
        if block.mem_id not in known:
            text = " ".join(block.text(deep=True)[:_MAX_BLOCK].split())
            known[block.mem_id] = text in lines or (len(text) >= _LONG_BLOCK and text in whole)
        if known[block.mem_id] and (address := document.absolute(node.attributes.get("href") or "")):
            yield address, "anchor", " ".join(node.text().split())[:300]


def _block_of(node: LexborNode) -> LexborNode | None:
    parent = node.parent
    for _ in range(_MAX_ANCESTORS):
        if parent is None or parent.tag not in INLINE:
            return parent
        parent = parent.parent
    return None


def _clear_text(document: Document) -> Iterator[tuple[str, str, str]]:
    for address in clear_addresses(document.text):
        yield address, "text", ""


def clear_addresses(text: str) -> Iterator[str]:
    """The addresses that are written out in a text, without the punctuation that ends a sentence."""
    for found in _CLEAR_ADDRESS.finditer(text):
        if text[found.end() : found.end() + 1] != "…":  # a shortened address leads nowhere
            yield found[0].rstrip(_TRAILING)


def _videos(document: Document) -> Iterator[tuple[str, str, str]]:
    for node in document.tree.css("iframe[src], embed[src]")[:MAX_LINKS]:
        address = document.absolute(node.attributes.get("src") or "")
        if address and (page := video_page(address)):
            yield page, "video", ""
