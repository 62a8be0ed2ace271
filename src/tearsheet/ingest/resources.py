"""What a page loads: pictures, scripts, style sheets, media, frames. Listed in page order, without repeats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urldefrag, urlsplit

from selectolax.lexbor import LexborHTMLParser

from tearsheet.extract import Document
from tearsheet.ingest.css import css_references
from tearsheet.ingest.hops import same_page
from tearsheet.ingest.resource_elements import ELEMENTS, NO_RESOURCE, SRCSETS, UNWANTED_HOSTS, UNWANTED_PARTS

MAX_RESOURCES = 200
"""More than any real document has."""
VARIANT = "variant"
"""The type of a `srcset` candidate while references are collected."""
_MAX_LISTED = 5_000
_MAX_NAMED = 4 * _MAX_LISTED
_MAX_SRCSET = 20_000
_MAX_NOSCRIPTS = 500
_MAX_NOSCRIPT = 100_000
_DOUBLED = re.compile(r"^(https?://)(?:https?://)+", re.IGNORECASE)
_CANDIDATE = re.compile(r"[\s,]*(\S+)((?:[^,(]|\([^)]{0,200}\))*)")


@dataclass(slots=True, frozen=True)
class Reference:
    """A sub-resource to be fetched."""

    url: str
    type: str
    is_variant: bool = False
    """One of a picture's sizes: the first to be dropped if there are too many references."""


def within_limit(references: list[Reference], limit: int) -> list[Reference] | None:
    """The references, without alternative picture sizes if there are too many; None if there still are."""
    if len(references) <= limit:
        return references
    needed = [reference for reference in references if not reference.is_variant]
    return needed if len(needed) <= limit else None


def page_references(document: Document) -> list[Reference]:
    """The wanted sub-resources of a page."""
    found: dict[str, Reference] = {}
    for kind, address in _distinct(_addresses(document)):
        add_reference(found, document, kind, address)
        if len(found) >= _MAX_LISTED:
            break
    return list(found.values())


def sheet_references(text: str, sheet_url: str, page_url: str) -> list[Reference]:
    """The wanted sub-resources of one of a page's style sheets; addresses in it are relative to the sheet."""
    found: dict[str, Reference] = {}
    document = Document("", page_url)
    for kind, address in _distinct(css_references(text)):
        add_reference(found, document, kind, address, base=sheet_url)
        if len(found) >= _MAX_LISTED:
            break
    return list(found.values())


def _distinct(named: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Each type and address once, up to a limit: to find out what an address means takes longer than to read it."""
    seen: set[tuple[str, str]] = set()
    for pair in named:
        if pair in seen:
            continue
        if len(seen) >= _MAX_NAMED:
            return
        seen.add(pair)
        yield pair


def add_reference(
    found: dict[str, Reference], document: Document, kind: str, address: str, base: str | None = None
) -> None:
    """Add what an address names, unless it is already there, names nothing to fetch, is the page itself, or is unwanted."""
    address = address.strip()
    if not address or address.lower().startswith(NO_RESOURCE) or _is_prose(address):
        return
    target = document.absolute(_DOUBLED.sub(r"\1", address), base)
    if target is None:
        return
    target = urldefrag(target).url
    is_variant = kind == VARIANT
    if target not in found and not is_unwanted(target) and not same_page(target, document.url):
        found[target] = Reference(target, "image" if is_variant else kind, is_variant)


def _is_prose(address: str) -> bool:
    return " " in address and "/" not in address and "." not in address


def is_unwanted(url: str) -> bool:
    """Whether a resource is an analytics script, an advertisement, a badge or a browser icon."""
    host = (urlsplit(url).hostname or "").lower()
    labels = host.split(".")
    return any(".".join(labels[start:]) in _UNWANTED for start in range(len(labels))) or any(
        part in url for part in UNWANTED_PARTS
    )


_UNWANTED = frozenset(UNWANTED_HOSTS)


def _addresses(document: Document) -> Iterator[tuple[str, str]]:
    """Everything the page names, including for readers without scripts, of which the archive is one."""
    yield from _tree_addresses(document.tree)
    for node in document.tree.css("noscript")[:_MAX_NOSCRIPTS]:
        yield from _tree_addresses(LexborHTMLParser(node.text()[:_MAX_NOSCRIPT], scripting=False))


def _tree_addresses(tree: LexborHTMLParser) -> Iterator[tuple[str, str]]:
    """Type and address as written; style sheets first, because they load more."""
    for node in tree.css("link[rel][href]"):
        rel = (node.attributes.get("rel") or "").lower().split()
        if "stylesheet" in rel and "alternate" not in rel:
            yield "stylesheet", node.attributes.get("href") or ""
    for node in tree.css("style"):
        yield from css_references(node.text())
    for selector, attribute, kind in ELEMENTS:
        for node in tree.css(selector):
            yield kind, node.attributes.get(attribute) or ""
    for selector, attribute in SRCSETS:
        for node in tree.css(selector):
            for address in srcset_addresses(node.attributes.get(attribute) or ""):
                yield VARIANT, address
    for node in tree.css("[style]"):
        yield from css_references(node.attributes.get("style") or "")


def srcset_addresses(srcset: str) -> Iterator[str]:
    """The addresses of a `srcset`: candidates between commas, each an address and perhaps a width or density.

    A comma inside an address belongs to it, as in `data:image/png;base64,…`, unless it ends the address.
    """
    srcset = srcset[:_MAX_SRCSET]
    place = 0
    while place < len(srcset) and (found := _CANDIDATE.match(srcset, place)):
        address = found[1]
        if address.endswith(","):
            yield address.rstrip(",")
            place = found.end(1)
        else:
            yield address
            place = found.end() + 1
