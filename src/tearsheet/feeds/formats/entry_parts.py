"""What an entry says beside its title, link and date: texts, authors, categories, enclosures."""

from __future__ import annotations

import base64
import binascii

from lxml import etree

from tearsheet.feeds.formats.links import mended_link
from tearsheet.feeds.formats.model import MAX_NAMED, Enclosure
from tearsheet.feeds.formats.titles import plain_title

_MAX_NAME = 200
_SILENT = ("{*}script", "{*}style")


def text_of(element: etree._Element) -> str:
    """All text of an element, including its children's."""
    return "".join(map(str, element.itertext())) if len(element) else element.text or ""


def title_of(element: etree._Element) -> str | None:
    """The title that an element has, without markup; in Atom 0.3, it may be in base64."""
    if len(element):
        etree.strip_elements(element, *_SILENT, with_tail=False)
    text = text_of(element)
    return plain_title(decoded(element, text) if element.attrib else text)


def decoded(element: etree._Element, text: str) -> str:
    """The text, which is in base64 if the element says so or has a type that is no text's."""
    kind = element.get("type", "").strip().lower()
    if element.get("mode", "").strip().lower() != "base64" and not (
        kind.startswith("application/") and not kind.endswith("xml")
    ):
        return text
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return text


def markup_of(element: etree._Element) -> str:
    """What is in an element, with the markup of its children."""
    if not len(element):
        return decoded(element, element.text or "") if element.attrib else element.text or ""
    return (element.text or "") + "".join(etree.tostring(child, encoding="unicode") for child in element)


def add_author(element: etree._Element, found: list[str]) -> None:
    """Remember who wrote an entry: a name, or in Atom an element with one; an address only where there is no name."""
    parts = {etree.QName(child).localname.lower(): child.text or "" for child in element if isinstance(child.tag, str)}
    name = parts.get("name") or parts.get("email") if parts else element.text
    _add(name, found)


def add_category(element: etree._Element, found: list[str]) -> None:
    """Remember what an entry is about."""
    _add(element.get("label") or element.get("term") or element.text, found)


def _add(text: str | None, found: list[str]) -> None:
    name = (plain_title(text) or "")[:_MAX_NAME] if text else ""
    if name and name not in found and len(found) < MAX_NAMED:
        found.append(name)


def add_enclosure(element: etree._Element, base: str, found: list[Enclosure]) -> None:
    """Remember a file that belongs to an entry."""
    url = mended_link(element.get("url") or element.get("href") or "", base)
    if not url or len(found) >= MAX_NAMED or any(known.url == url for known in found):
        return
    length = (element.get("length") or element.get("fileSize") or "").strip()
    found.append(
        Enclosure(
            url,
            element.get("type", "").strip()[:_MAX_NAME] or None,
            int(length) if length.isascii() and length.isdecimal() and len(length) < 16 else None,
        )
    )
