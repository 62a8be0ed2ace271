"""Where a landing page keeps the full text of what it presents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from selectolax.lexbor import LexborNode

from tearsheet.extract import Document
from tearsheet.ingest.block_lists import SKIPPED_TARGETS
from tearsheet.ingest.hops import same_page

_PATTERNS = (
    # selector, attribute, a part of the page's address, a part of the target's
    ("iframe[name=htmlFrame]", "src", "/article/view/", "inline=1"),
    ("a.obj_galley_link:not(.pdf)", "href", "/article/view/", "/article/view/"),
    ("a#view-full-text", "href", "", "-fulltext-"),
    ("a.doaj-public-article__access", "href", "doaj.org", ""),
    ("a[data-fulltext=html]", "href", "", ""),
)
"""How publishing systems link to the full text in HTML."""


def fulltext_html(document: Document, stated: Iterable[str]) -> str | None:
    """The address of the full text in HTML, which may be this page itself; None if the page links to none.

    A link to the page itself is taken only if there is no other: then the page is the full text.
    """
    own: str | None = None
    for candidate in (*stated, *_pattern_links(document), *_alternates(document, ("text/html",))):
        target = document.absolute(candidate)
        if not target or not _usable(target):
            continue
        if same_page(target, document.url):
            own = own or target
        else:
            return target
    return own


def fulltext_link(document: Document, stated: Iterable[str], types: tuple[str, ...]) -> str | None:
    """The address of the full text in another format."""
    for candidate in (*stated, *_alternates(document, types)):
        target = document.absolute(candidate)
        if target and _usable(target):
            return target
    return None


def _usable(target: str) -> bool:
    return not any(part in target.lower() for part in SKIPPED_TARGETS)


def _pattern_links(document: Document) -> Iterator[str]:
    for selector, attribute, on_page, in_target in _PATTERNS:
        if on_page not in document.url:
            continue
        for node in document.tree.css(selector)[:20]:
            target = document.absolute(node.attributes.get(attribute) or "")
            if target and in_target in target:
                yield target


def _alternates(document: Document, types: tuple[str, ...]) -> Iterator[str]:
    """Other formats of the page, but not other languages, versions for other devices, or feeds."""
    for node in document.tree.css("link[rel][type]")[:200]:
        if _is_alternate(node, types) and (href := node.attributes.get("href")):
            yield href


def _is_alternate(node: LexborNode, types: tuple[str, ...]) -> bool:
    attributes = node.attributes
    rel = (attributes.get("rel") or "").lower().split()
    kind = (attributes.get("type") or "").partition(";")[0].strip().lower()
    return "alternate" in rel and kind in types and not ({"hreflang", "media"} & attributes.keys())
