"""XML from the web, as a tree: strictly where it is well-formed, and as far as it makes sense where it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from html.entities import html5
from typing import NamedTuple

from lxml import etree

from tearsheet.feeds.formats.encodings import contradicted, decode
from tearsheet.feeds.formats.soup import read_soup

_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)(?:([A-Za-z][A-Za-z0-9]{1,31});)?")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_BAD_REFERENCE = re.compile(r"&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01]|11|12|14)|[xX]0*(?:[0-8bcBCefEF]|1[0-9a-fA-F]));")
_HALVES = re.compile(
    r"&#(?:[xX]0*([dD][89abAB][0-9a-fA-F]{2})|0*(5[56]\d{3}));(?:&#(?:[xX]0*([dD][c-fC-F][0-9a-fA-F]{2})|0*(5[67]\d{3}));)?"
)
"""A reference to the first half of a UTF-16 surrogate pair, and to the second half if it follows."""
_HALF = re.compile(
    r"&#(?:[xX]0*(?:[dD][89a-fA-F][0-9a-fA-F]{2}|[fF]{3}[eEfF])|0*(?:55(?:29[6-9]|[3-9]\d\d)|56\d{3}|57[0-2]\d\d|573[0-3]\d|5734[0-3]|6553[45]));"
)
_DECLARATION = re.compile(r"<\?xml\b[^>]{0,200}\?>")
_ROOT = re.compile(
    r"<(?:\?xml|!--|rss|rdf:rdf|feed|channel|urlset|sitemapindex|\w+:(?:feed|rss|urlset))\b", re.IGNORECASE
)
_HEAD, _CDATA = 4096, "<![CDATA["


class XmlText(NamedTuple):
    """An XML document, as far as it could be read."""

    root: etree._Element | None
    """None when no element can be recognised."""
    repaired: bool = False


def read_xml(body: bytes, base: str, charset: str | None = None) -> XmlText:
    """Read a document: as it is, or repaired where that makes it well-formed, or else as tag soup.

    Entities that the document itself declares are expanded within libxml2's limits; nothing external is ever loaded. Raises
    MemoryError.
    """
    encoding = contradicted(body)
    if encoding and encoding != "utf-8":
        body, encoding = body.decode(encoding, "replace").encode("utf-8", "replace"), "utf-8"
    root = _tree(body, _parser(encoding=encoding), base)
    if root is not None:
        return XmlText(root)
    text = repair(body, charset)
    # What was repaired declares no entities, so nothing in it can grow, however long its texts are.
    root = _tree(text.encode("utf-8", "replace"), _parser(encoding="utf-8", huge_tree=True), base)
    return XmlText(root if root is not None else read_soup(text), True)


def _tree(body: bytes, parser: etree.XMLParser, base: str) -> etree._Element | None:
    try:
        return etree.fromstring(body, parser, base_url=base)
    except etree.XMLSyntaxError as error:
        if getattr(error, "code", None) == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error
    except ValueError:
        pass
    return None


@lru_cache(maxsize=32)
def _parser(*, encoding: str | None = None, huge_tree: bool = False) -> etree.XMLParser:
    """A parser, which is used again: making one takes longer than reading a short feed."""
    return etree.XMLParser(
        encoding=encoding,
        recover=False,
        resolve_entities="internal",  # type: ignore[arg-type]  # the stubs know only True and False
        no_network=True,
        load_dtd=False,
        huge_tree=huge_tree,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )


def repair(body: bytes, charset: str | None = None) -> str:
    """The text without what stops an XML parser: leading junk, control characters, unknown entities, a bare `&`.

    The document type goes too, and with it every entity that it declares.
    """
    text = _without_prologue(decode(body, charset))
    text = text[: text.rfind(">") + 1]  # for a truncated document: half an address is worse than none
    # In this order: what is left of `&#5` + `&#0;` + `5357;` must not be a reference.
    return "".join(part if part.startswith(_CDATA) else _mended(part) for part in _parts(_NOT_XML.sub("", text)))


def _parts(text: str) -> Iterator[str]:
    """The text in pieces, each CDATA section by itself; in these, an `&` is an `&`."""
    at = 0
    while (start := text.find(_CDATA, at)) >= 0 and (end := text.find("]]>", start)) >= 0:
        yield text[at:start]
        yield text[start : end + 3]
        at = end + 3
    yield text[at:].removeprefix(_CDATA)


def _mended(text: str) -> str:
    text = _ENTITY.sub(_known_entity, text)
    if "&#" in text:
        text = text.replace("&#X", "&#x")
        text = _BAD_REFERENCE.sub("", _HALF.sub("", _HALVES.sub(_joined, text)))
    return text


def _joined(match: re.Match[str]) -> str:
    """The character that a surrogate pair stands for; a lone surrogate is left to `_HALF`."""
    first = int(match[1], 16) if match[1] else int(match[2])
    if not (match[3] or match[4]) or not 0xD800 <= first < 0xDC00:
        return match[0]
    second = int(match[3], 16) if match[3] else int(match[4])
    if not 0xDC00 <= second < 0xE000:
        return match[0]
    return chr(0x10000 + ((first - 0xD800) << 10) + second - 0xDC00)


def _known_entity(match: re.Match[str]) -> str:
    name = match[1]
    if name is None:
        return "&amp;"
    char = html5.get(name + ";")
    if char is None:
        return f"&amp;{name};"
    return char if char not in "<&>" else f"&#{ord(char)};"


def _without_prologue(text: str) -> str:
    """Start at the root element: all before it is a declaration, a document type, or a script's error message."""
    start = _ROOT.search(text, 0, _HEAD)
    text = text[start.start() :] if start else text.lstrip()
    text = _DECLARATION.sub("", text, count=1).lstrip()
    doctype = text.find("<!DOCTYPE", 0, _HEAD)
    if doctype < 0:
        return text
    subset, end = text.find("[", doctype), text.find(">", doctype)
    if 0 <= subset < end:
        end = text.find(">", text.find("]", subset))
    return text[:doctype] + text[end + 1 :] if end >= 0 else text[:doctype]
