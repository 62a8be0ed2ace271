"""The text of a page as TEI-XML, valid against the TEI schema: headings, paragraphs, list items, and where it is from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import version

from lxml import etree

from tearsheet.extract import Document
from tearsheet.ingest.model import Biblio, HtmlBody

TEI = "http://www.tei-c.org/ns/1.0"
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
AGENT = f"tearsheet/{version('tearsheet')}"
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]+")
_HEADINGS = "h1,h2,h3,h4,h5,h6"
_MAX_ELEMENTS = 20_000
_MAX_TEXT = 4_000_000
_MAX_ERROR = 1000


def html_body(document: Document, biblio: Biblio) -> HtmlBody:
    """The text of a page: its TEI and its word count. The status is `empty-xml` if there is no text."""
    text = document.text
    if not text.strip():
        return HtmlBody(status="empty-xml", agent=AGENT)
    try:
        tei = tei_xml(document, biblio)
    except (ValueError, etree.LxmlError) as error:
        return HtmlBody(status="teixml-error", agent=AGENT, error_msg=str(error)[:_MAX_ERROR])
    return HtmlBody(status="success", agent=AGENT, word_count=len(_NOT_XML.sub(" ", text).split()), tei_xml=tei)


def tei_xml(document: Document, biblio: Biblio) -> str:
    """The document, with its XML declaration."""
    root = etree.Element(_name("TEI"), nsmap={None: TEI})  # type: ignore[dict-item]  # None is lxml's name for the default
    _add_header(root, document, biblio)
    body = _add(_add(root, "text"), "body")
    _add_text(body, document)
    if document.language:
        root.find(_name("text")).set(XML_LANG, document.language)  # type: ignore[union-attr]  # it was added above
    made: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
    return made.decode()


def _name(tag: str) -> str:
    return f"{{{TEI}}}{tag}"


def _add(parent: etree._Element, tag: str, text: str | None = None, **attributes: str) -> etree._Element:
    child = etree.SubElement(parent, _name(tag))
    if text is not None:
        child.text = _NOT_XML.sub(" ", text)
    for name, value in attributes.items():
        child.set(name, _NOT_XML.sub(" ", value))
    return child


def _add_header(root: etree._Element, document: Document, biblio: Biblio) -> None:
    header = _add(root, "teiHeader")
    description = _add(header, "fileDesc")
    titles = _add(description, "titleStmt")
    title = biblio.title or document.title or document.url
    _add(titles, "title", title, type="main")
    for name in biblio.contrib_names or ():
        _add(titles, "author", name)
    publication = _add(description, "publicationStmt")
    if biblio.publisher:
        _add(publication, "publisher", biblio.publisher)
    else:
        _add(publication, "p")
    _add_source(_add(description, "sourceDesc"), document, biblio, title)
    application = _add(_add(_add(header, "encodingDesc"), "appInfo"), "application", ident="tearsheet")
    application.set("version", version("tearsheet"))
    _add(application, "label", AGENT)
    if document.language:
        _add(_add(_add(header, "profileDesc"), "langUsage"), "language", document.language, ident=document.language)


def _add_source(source: etree._Element, document: Document, biblio: Biblio, title: str) -> None:
    entry = _add(source, "bibl")
    _add(entry, "title", title)
    _add(entry, "ptr", type="URL", target=document.url.replace(" ", "%20"))
    if biblio.doi:
        _add(entry, "idno", biblio.doi, type="DOI")
    if biblio.release_date:
        _add(entry, "date", biblio.release_date, when=biblio.release_date)
    elif biblio.release_year:
        _add(entry, "date", str(biblio.release_year))
    if biblio.container_name:
        _add(entry, "title", biblio.container_name, level="j")


def _add_text(body: etree._Element, document: Document) -> None:
    """A division for each heading; consecutive list items form one list."""
    division = _add(body, "div")
    items: etree._Element | None = None
    for kind, line in _lines(document):
        if kind == "head":
            if len(division):
                division = _add(body, "div")
            _add(division, "head", line)
            items = None
        elif kind == "item":
            items = _add(division, "list") if items is None else items
            _add(items, "item", line)
        else:
            _add(division, "p", line)
            items = None
    for empty in [part for part in body if not any(child.tag != _name("head") for child in part)]:
        _add(empty, "p")  # a heading with nothing below it


def _lines(document: Document) -> Iterator[tuple[str, str]]:
    headings = _texts(document, _HEADINGS)
    items = _texts(document, "li") - headings
    for line in document.text.split("\n"):
        if text := " ".join(line.split()):
            yield ("head" if text in headings else "item" if text in items else "p"), text


def _texts(document: Document, selector: str) -> set[str]:
    """The texts of elements. Nested elements repeat their text, so there is a limit to how much is read."""
    found: set[str] = set()
    left = _MAX_TEXT
    for node in document.tree.css(selector)[:_MAX_ELEMENTS]:
        text = node.text()
        left -= len(text) + 1
        if left < 0:
            break
        found.add(" ".join(text.split()))
    return found


def tei_message(sha1hex: str, body: HtmlBody) -> dict[str, str | int]:
    """The message about a text, in the form its topic carries."""
    message: dict[str, str | int] = {"key": sha1hex, "sha1hex": sha1hex, "status": body.status}
    if body.tei_xml is not None:
        message["tei_xml"] = body.tei_xml
    if body.word_count is not None:
        message["word_count"] = body.word_count
    return message
