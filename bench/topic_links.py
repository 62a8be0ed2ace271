"""Which of the links in real articles a topic finds: the pages of `fulltext`, whose articles are known.

`python -m bench.topic_links` prints two shares for each origin: of the links in the text that the program takes for the article,
and of those in the article as people have it, of which the program may miss whole blocks.
"""

from __future__ import annotations

import argparse
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from selectolax.lexbor import LexborNode

from bench.extract_data import Page, load
from tearsheet.extract import Document
from tearsheet.topics import mine_links
from tearsheet.topics.spider.addresses import clean_url, is_ignored, media_of, url_key
from tearsheet.urls import BadURL

UNREAD = frozenset({"script", "style", "noscript", "template", "button", "svg", "iframe", "select", "textarea"})
AROUND = 40
"""How many signs before and after a link are looked for in the article, beside its own text."""
_NOT_LETTER = re.compile(r"\W+")


@dataclass(slots=True, frozen=True)
class Anchor:
    """A link of a page, and the text around it."""

    url: str
    before: str
    text: str
    after: str


def folded(text: str) -> str:
    """Letters and figures alone, so that spaces and signs make no difference."""
    return _NOT_LETTER.sub("", unicodedata.normalize("NFKC", text).casefold())


def anchors_of(document: Document) -> list[Anchor]:
    """All links of a page, in order, each with the text before and after it, whatever elements that stands in."""
    pieces: list[str] = []
    places: list[tuple[str, int, bool]] = []
    if document.tree.body is None:
        return []
    for node, opened in _walk(document.tree.body):
        if node.is_text_node and opened:
            pieces.append(folded(node.text_content or ""))
        elif node.tag == "a" and (url := document.absolute(node.attributes.get("href") or "")):
            places.append((url, len(pieces), opened))
    starts = [0]
    for piece in pieces:
        starts.append(starts[-1] + len(piece))
    text = "".join(pieces)
    found: list[Anchor] = []
    open_at: list[tuple[str, int]] = []
    for url, at, opened in places:
        if opened:
            open_at.append((url, starts[at]))
        elif open_at:
            address, start = open_at.pop()
            end = starts[at]
            found.append(
                Anchor(address, text[max(0, start - AROUND) : start], text[start:end], text[end : end + AROUND])
            )
    return found


def _walk(body: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Each node when it opens, and each link once more when it closes."""
    path = [(body, body.iter(include_text=True))]
    while path:
        parent, children = path[-1]
        node = next(children, None)
        if node is None:
            path.pop()
            if parent.tag == "a":
                yield parent, False
        elif node.is_text_node or node.tag not in UNREAD:
            yield node, True
            path.append((node, node.iter(include_text=True)))


def in_article(anchor: Anchor, article: str) -> bool:
    """Whether a link stands in the article: its text does, with what is before it or with what is after it."""
    if not anchor.text:
        return False
    return any(
        len(around) > len(anchor.text) + AROUND // 2 and around in article
        for around in (anchor.before + anchor.text, anchor.text + anchor.after)
    )


def links_in(page: Page, article: str) -> dict[str, Anchor]:
    """The links to other sources that stand in an article, by the keys of their addresses."""
    wanted = {}
    for anchor in anchors_of(Document(page.html, page.url)):
        try:
            address = clean_url(anchor.url)
            others = address and not is_ignored(address) and media_of(address) != media_of(page.url)
            if address and others and in_article(anchor, article):
                wanted[url_key(address)] = anchor
        except BadURL:
            continue
    return wanted


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=0, help="only so many, spread over all")
    parser.add_argument("--missed", action="store_true", help="list what is in the text and not found")
    options = parser.parse_args()
    pages = [replace(page, url=page.url or f"http://{page.domain}/page") for page in load("fulltext")]
    pages = pages[:: max(1, len(pages) // options.pages)] if options.pages else pages
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    missed: list[str] = []
    for page in pages:
        found = {link.key for link in mine_links(page.html, page.url)}
        for kind, article in (("text", Document(page.html, page.url).text), ("article", page.text)):
            wanted = links_in(page, folded(article))
            for origin in (page.origin, "all"):
                counts[origin][kind] += len(wanted)
                counts[origin][f"{kind} found"] += len(found & set(wanted))
            if kind == "text":
                missed += [f"{page.id}: [{one.text}] {one.url}" for key, one in wanted.items() if key not in found]
    print("origin   in our text   found    share   in the article   found    share")
    for origin in sorted(counts):
        row = counts[origin]
        shares = [row[f"{kind} found"] / max(1, row[kind]) for kind in ("text", "article")]
        print(
            f"{origin:8} {row['text']:11,} {row['text found']:7,} {shares[0]:8.2%}"
            f"   {row['article']:14,} {row['article found']:7,} {shares[1]:8.2%}"
        )
    print(f"{len(pages):,} pages")
    if options.missed:
        print(*missed, sep="\n")


if __name__ == "__main__":
    main()
