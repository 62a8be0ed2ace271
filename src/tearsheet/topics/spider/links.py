"""`mine_links`: the links that the author of a page made, from its substantive content only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from tearsheet.extract import INLINE, UNREAD, Document
from tearsheet.topics.spider.addresses import clean_url, is_ignored, leads_to_list, media_of, url_key, video_page
from tearsheet.topics.spider.link_sentence import sentence_around
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
_LINE_BREAK = re.compile(r"[\n\r]")
"""In the source of a page, a line break is a space."""


@dataclass(slots=True, frozen=True)
class MinedLink:
    """A link as it was found, without tracking parameters."""

    url: str
    key: str
    """The same for all addresses of one page."""
    kind: str
    """`anchor`, `text` (an address written out in the text) or `video` (an embedded player)."""
    text: str = ""
    sentence: str = ""
    """The sentence that it stands in; that of an embedded player is empty."""


def mine_links(html: bytes | str, url: str, *, charset: str | None = None) -> list[MinedLink]:
    """The links in the substantive content of a page, in order, without repeats and without links to the page itself."""
    return mine_document(Document(html, url, charset=charset))


def mine_document(document: Document) -> list[MinedLink]:
    """The same for a page that has already been parsed."""
    found: dict[str, MinedLink] = {}
    own = _key(document.url)
    for address, kind, text, sentence in (*_anchors(document), *_clear_text(document), *_videos(document)):
        cleaned = clean_url(address)
        key = _key(cleaned) if cleaned else None
        if cleaned and key and key != own and key not in found and not is_ignored(cleaned):
            found[key] = MinedLink(cleaned, key, kind, text, sentence)
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


_Found = tuple[str, str, str, str]
"""The address, kind, text and sentence of a link."""


def _anchors(document: Document) -> Iterator[_Found]:
    """Anchors whose paragraph belongs to the article."""
    article = [" ".join(line.split()) for line in document.text.splitlines()]
    lines, whole = set(article), " ".join(article)
    read: set[int] = set()
    in_article: dict[int, _Run] = {}

    def belongs(text: str) -> bool:
        text = " ".join(text[:_MAX_BLOCK].split())
        return bool(text) and (text in lines or (len(text) >= _LONG_BLOCK and text in whole))

    for node in document.tree.css("a[href]")[: 4 * MAX_LINKS]:
        block = _block_of(node)
        if block is None:
            continue
        if block.mem_id not in read:
            read.add(block.mem_id)
            runs = _runs(block)
            everything = belongs(block.text(deep=True)) or belongs(" ".join(run.text for run in runs))
            in_article |= {id: run for run in runs if everything or belongs(run.text) for id in run.anchors}
        run = in_article.get(node.mem_id)
        if run is not None and (address := document.absolute(node.attributes.get("href") or "")):
            start, text = run.anchors[node.mem_id], node.text()
            sentence = sentence_around(run.text, start, min(start + len(text), run.length))
            yield address, "anchor", " ".join(text.split())[:300], sentence


@dataclass(slots=True)
class _Run:
    """Text of a block without a break, and where the anchors in it begin, by the numbers of their nodes."""

    text: str = ""
    length: int = 0
    """Of the text so far."""
    anchors: dict[int, int] = field(default_factory=dict)


def _runs(block: LexborNode) -> list[_Run]:
    """The runs of a block's own text, cut where the extraction cuts: at line breaks, and around blocks within it.

    What no block reads (a script, a button) is left out, so that it does not hide the text around it.
    """
    runs = [_Run()]
    pieces: list[list[str]] = [[]]
    path = [block.iter(include_text=True)]
    while path:
        node = next(path[-1], None)
        if node is None:
            path.pop()
        elif node.is_text_node:
            pieces[-1].append(node.text_content or "")
            runs[-1].length += len(pieces[-1][-1])
        elif node.tag in INLINE:
            if node.tag == "a":
                runs[-1].anchors[node.mem_id] = runs[-1].length
            path.append(node.iter(include_text=True))
        elif node.is_element_node and node.tag not in UNREAD:
            runs.append(_Run())
            pieces.append([])
    for run, texts in zip(runs, pieces, strict=True):
        run.text = _LINE_BREAK.sub(" ", "".join(texts))
    return runs


def _block_of(node: LexborNode) -> LexborNode | None:
    parent = node.parent
    for _ in range(_MAX_ANCESTORS):
        if parent is None or parent.tag not in INLINE:
            return parent
        parent = parent.parent
    return None


def _clear_text(document: Document) -> Iterator[_Found]:
    for found in _clear_addresses(document.text):
        yield _address_of(found), "text", "", sentence_around(document.text, *found.span())


def clear_addresses(text: str) -> Iterator[str]:
    """The addresses that are written out in a text, without the punctuation that ends a sentence."""
    yield from map(_address_of, _clear_addresses(text))


def _clear_addresses(text: str) -> Iterator[re.Match[str]]:
    for found in _CLEAR_ADDRESS.finditer(text):
        if text[found.end() : found.end() + 1] != "…":  # a shortened address leads nowhere
            yield found


def _address_of(found: re.Match[str]) -> str:
    return found[0].rstrip(_TRAILING)


def _videos(document: Document) -> Iterator[_Found]:
    for node in document.tree.css("iframe[src], embed[src]")[:MAX_LINKS]:
        address = document.absolute(node.attributes.get("src") or "")
        if address and (page := video_page(address)):
            yield page, "video", "", ""
