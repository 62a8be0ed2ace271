"""XML from the web, as a tree: strictly where it is well-formed, and as far as it makes sense where it is not."""

from __future__ import annotations

import codecs
import re
from html.entities import html5
from typing import NamedTuple

from lxml import etree

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
_DECLARED = re.compile(rb"<\?xml\b[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"']")
_ROOT = re.compile(
    r"<(?:\?xml|!--|rss|rdf:rdf|feed|channel|urlset|sitemapindex|\w+:(?:feed|rss|urlset))\b", re.IGNORECASE
)
_HEAD = 4096
_ODD_CODECS = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf-7"})
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"), (b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"),
)  # fmt: skip


class XmlText(NamedTuple):
    """An XML document, as far as it could be read."""

    root: etree._Element | None
    """None when no element can be recognised."""
    repaired: bool = False
    cut: bool = False
    """Whether the rest is missing, because it is nested too deeply."""


def read_xml(body: bytes, base: str, charset: str | None = None) -> XmlText:
    """Read a document, repaired if that is necessary.

    Entities that the document itself declares are expanded within libxml2's limits; nothing external is ever loaded. Raises
    MemoryError.
    """
    root = _tree(body, _parser(recover=False, encoding=_overruled(body)), base)
    if root is not None:
        return XmlText(root)
    parser = _parser(recover=True)
    root = _tree(repair(body, charset), parser, base)
    return XmlText(root, True, any(error.type_name == "ERR_RESOURCE_LIMIT" for error in parser.error_log))


def _tree(body: bytes, parser: etree.XMLParser, base: str) -> etree._Element | None:
    try:
        return etree.fromstring(body, parser, base_url=base)
    except etree.XMLSyntaxError as error:
        if getattr(error, "code", None) == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from error
    except ValueError:
        pass
    return None


def _overruled(body: bytes) -> str | None:
    """UTF-8 where the document declares something else but is clearly UTF-8: such byte sequences do not occur by accident."""
    declared = _DECLARED.match(body)
    if not declared or declared[1].lower() in (b"utf-8", b"utf8", b"utf-16") or body.isascii():
        return None
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return "utf-8"


def _parser(*, recover: bool, encoding: str | None = None) -> etree.XMLParser:
    return etree.XMLParser(
        encoding=encoding,
        recover=recover,
        resolve_entities="internal",  # type: ignore[arg-type]  # the stubs know only True and False
        no_network=True,
        load_dtd=False,
        # After a text over 10 MB or deep nesting, a parser that recovers would leave out the rest of the document in silence. What
        # was repaired declares no entities, so nothing in it can grow.
        huge_tree=recover,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )


def repair(body: bytes, charset: str | None = None) -> bytes:
    """The text as UTF-8 without what stops an XML parser: leading junk, control characters, unknown entities, a bare `&`.

    The document type goes too, and with it every entity that it declares.
    """
    text = _without_prologue(decode(body, charset))
    text = text[: text.rfind(">") + 1]  # for a truncated document: half an address is worse than none
    # In this order: what is left of `&#5` + `&#0;` + `5357;` must not be a reference.
    text = _ENTITY.sub(_known_entity, _NOT_XML.sub("", text))
    if "&#" in text:
        text = _BAD_REFERENCE.sub("", _HALF.sub("", _HALVES.sub(_joined, text)))
    return text.encode("utf-8")


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


def decode(body: bytes, charset: str | None = None) -> str:
    """Decode by BOM, then as UTF-8 if it clearly is, then as HTTP and the document say, then as UTF-8 mixed with Windows-1252."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return body.decode(name, "replace").removeprefix("\ufeff")
    if not body.isascii():
        try:
            return body.decode("utf-8")
        except UnicodeDecodeError:
            pass
    declared = _DECLARED.search(body, 0, _HEAD)
    for stated in (charset, declared[1].decode("ascii") if declared else None):
        if stated and (codec := _text_codec(stated)) and codec not in ("utf-8", "ascii"):
            return body.decode(codec, "replace")
    return body.decode("utf-8", "tearsheet-cp1252")


def _text_codec(name: str) -> str | None:
    try:
        info = codecs.lookup(name.strip("\"' "))
    except (LookupError, ValueError):
        return None
    if info.name in _ODD_CODECS or not getattr(info, "_is_text_encoding", True):
        return None
    # What calls itself Latin-1 on the web is Windows-1252, which differs only where Latin-1 has control characters.
    return "cp1252" if info.name == "iso8859-1" else info.name


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    bad = error.object[error.start : error.end]
    return bad.decode("cp1252", "replace"), error.end


codecs.register_error("tearsheet-cp1252", _as_cp1252)
