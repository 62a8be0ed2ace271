"""What a page says about the work it presents: `citation_*`, Dublin Core, PRISM, eprints, Bepress, Open Graph and JSON-LD."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from tearsheet.extract import Document, find_day
from tearsheet.foreign_text import storable, unescape
from tearsheet.ingest.biblio_names import CONTRIBUTORS, IDENTIFIERS, META, REFERENCES, RELEASE_TYPES
from tearsheet.ingest.fulltext_links import fulltext_html, fulltext_link
from tearsheet.ingest.model import Biblio

_MAX_META = 5_000
_MAX_VALUE = 20_000
_MAX_LIST = 2_000
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]{1,300}")
_YEAR = re.compile(r"(1[5-9]\d\d|20\d\d)")
_YEAR_MONTH = re.compile(r"(1[5-9]\d\d|20\d\d)[-/.](0?[1-9]|1[0-2])")
_ISSN = re.compile(r"(\d{4})-?(\d{3}[\dXx])")
_LANGUAGE = re.compile(r"([A-Za-z]{2})(?:[-_][A-Za-z]{2,4})?")
_PAGES = re.compile(r"\s*([A-Za-z]?\d+)\s*[-–—]+\s*([A-Za-z]?\d+)\s*")

MetaValues = dict[str, list[str]]


def html_biblio(document: Document) -> Biblio:
    """Everything the page states. Values that cannot be understood are left out."""
    meta = read_meta(document)
    stated = _from_meta(meta)
    for name, value in _from_json_ld(document).items():
        if stated.get(name) is None:
            stated[name] = value
    biblio = Biblio(**stated)
    if biblio.first_page and biblio.pages is None:
        biblio.pages = f"{biblio.first_page}-{biblio.last_page}" if biblio.last_page else biblio.first_page
    biblio.html_fulltext_url = fulltext_html(document, _all(meta, META["html"]))
    biblio.pdf_fulltext_url = fulltext_link(document, _all(meta, META["pdf"]), ("application/pdf",))
    biblio.xml_fulltext_url = fulltext_link(document, _all(meta, META["xml"]), ("application/xml", "text/xml"))
    return biblio


def read_meta(document: Document) -> MetaValues:
    """The contents of `meta` elements by lower-case name, property, itemprop or id; `name;scheme` where one is given."""
    found: MetaValues = {}
    for node in document.tree.css("meta")[:_MAX_META]:
        attributes = node.attributes
        content = " ".join((attributes.get("content") or "")[:_MAX_VALUE].split())
        if not content:
            continue
        names = {(attributes.get(key) or "").strip().lower() for key in ("name", "property", "itemprop", "id")} - {""}
        if scheme := (attributes.get("scheme") or "").strip().lower():
            names |= {f"{name};{scheme}" for name in names}
        for name in names:
            found.setdefault(name, []).append(content)
            if ":" in name[:12] and name.startswith(("dc:", "prism:", "eprints:", "dcterms:")):
                found.setdefault(name.replace(":", ".", 1), []).append(content)
    return found


def _all(meta: MetaValues, names: Iterable[str]) -> Iterator[str]:
    for name in names:
        yield from meta.get(name, ())


def _first(meta: MetaValues, field: str) -> str | None:
    return next(_all(meta, META[field]), None)


def _from_meta(meta: MetaValues) -> dict[str, Any]:
    stated: dict[str, Any] = {
        name: _first(meta, name)
        for name in (
            "title", "subtitle", "container_name", "container_abbrev", "first_page", "last_page", "pages", "issue",
            "volume", "number", "publisher", "license",
        )
    }  # fmt: skip
    identifiers = list(_all(meta, IDENTIFIERS))
    stated["abstract"] = plain_text(_first(meta, "abstract"))
    stated["doi"] = _first_of(clean_doi, [*_all(meta, META["doi"]), *(text for text in identifiers if "10." in text)])
    stated["pmid"] = _first_of(_digits, _all(meta, META["pmid"]))
    stated["pmcid"] = _first(meta, "pmcid")
    stated["container_issn"] = _first_of(clean_issn, _all(meta, META["container_issn"]))
    isbns = [*_all(meta, META["isbn"]), *(text[5:] for text in identifiers if text.lower().startswith("isbn:"))]
    stated["isbn13"] = _first_of(clean_isbn13, isbns)
    stated["isbn"] = isbns[0] if isbns else None
    stated["lang"] = _first_of(clean_language, _all(meta, META["lang"]))
    stated["release_type"] = _first_of(release_type, _all(meta, META["type"]))
    stated["release_date"], stated["release_year"] = release_time(_all(meta, META["date"]))
    stated["contrib_names"] = _contributors(meta)
    stated["raw_references"] = _list(meta, REFERENCES)
    if stated["pages"] and not stated["first_page"] and (found := _PAGES.fullmatch(stated["pages"])):
        stated["first_page"], stated["last_page"] = found[1], found[2]
    return stated


def _list(meta: MetaValues, names: tuple[str, ...]) -> list[str] | None:
    """All values of the first name that has any, each once."""
    values = next((meta[name] for name in names if name in meta), [])
    return list(dict.fromkeys(values))[:_MAX_LIST] or None


def _contributors(meta: MetaValues) -> list[str] | None:
    names = _list(meta, CONTRIBUTORS)
    if names and len(names) == 1 and ";" in names[0]:
        names = [name.strip() for name in names[0].split(";") if name.strip()]
    return [name for name in names if not name.startswith(("http://", "https://"))] or None if names else None


def _first_of(clean: Any, values: Iterable[str]) -> Any:
    return next((made for value in values if (made := clean(value))), None)


def release_time(values: Iterable[str]) -> tuple[str | None, int | None]:
    """The day and year of the first statement that has either. A year or a month alone gives no day."""
    for value in values:
        text = value.strip()
        if year := _YEAR.fullmatch(text) or _YEAR_MONTH.fullmatch(text):
            return None, int(year[1])
        if day := find_day(text):
            return day.isoformat(), day.year
        if year := _YEAR.search(text[:40]):
            return None, int(year[1])
    return None, None


def clean_doi(text: str) -> str | None:
    """A DOI in lower case, without what precedes it; None if there is none."""
    found = _DOI.search(unquote(text))
    return found[0].rstrip(".,;)").lower() if found else None


def clean_issn(text: str) -> str | None:
    """`1234-567X`, or None."""
    found = _ISSN.search(text)
    return f"{found[1]}-{found[2].upper()}" if found else None


def clean_isbn13(text: str) -> str | None:
    """Thirteen digits; an ISBN-10 is converted. None if the check digit is wrong."""
    digits = re.sub(r"[^0-9Xx]", "", text[:60]).upper()
    if len(digits) == 10 and digits[:9].isdigit():
        values = [10 if digit == "X" else int(digit) for digit in digits]
        if sum((10 - position) * value for position, value in enumerate(values)) % 11:
            return None
        digits = "978" + digits[:9]
        return digits + str(-_isbn_sum(digits) % 10)
    return digits if len(digits) == 13 and digits.isdigit() and _isbn_sum(digits) % 10 == 0 else None


def _isbn_sum(digits: str) -> int:
    return sum(int(digit) * (3 if position % 2 else 1) for position, digit in enumerate(digits))


def clean_language(text: str) -> str | None:
    """Two letters, or None."""
    found = _LANGUAGE.fullmatch(text.strip())
    return found[1].lower() if found else None


def release_type(text: str) -> str | None:
    """What catalogues call this kind of work; None for kinds they do not have."""
    return RELEASE_TYPES.get(text.strip().lower())


def plain_text(text: str | None) -> str | None:
    """Text without the tags and entities that some publishers leave in their metadata."""
    return " ".join(re.sub(r"<[^<>]{1,100}>", " ", unescape(text)).split()) or None if text else None


def _digits(text: str) -> str | None:
    text = text.strip().lower().removeprefix("pmid:").strip()
    return text if text.isascii() and text.isdigit() and len(text) <= 12 else None


# ---------------------------------------------------------------------------------------------------------- JSON-LD


def _from_json_ld(document: Document) -> dict[str, Any]:
    """What an article in JSON-LD states, by the field names of `Biblio`."""
    if not document.head.articles:
        return {}
    item = document.head.articles[0]
    day, year = release_time(_texts(item.get("datePublished")) or _texts(item.get("dateCreated")))
    identifiers = [*_texts(item.get("identifier")), *_texts(item.get("sameAs")), *_texts(item.get("@id"))]
    part = _first_dict(item.get("isPartOf"))
    whole = _first_dict(part.get("isPartOf")) or part
    kinds = _texts(item.get("@type"))
    stated: dict[str, Any] = {
        "title": _one(item.get("headline")) or _one(item.get("name")),
        "contrib_names": _texts(item.get("author"))[:_MAX_LIST] or None,
        "release_date": day,
        "release_year": year,
        "abstract": plain_text(_one(item.get("abstract")) or _one(item.get("description"))),
        "doi": _first_of(clean_doi, identifiers),
        "lang": _first_of(clean_language, _texts(item.get("inLanguage"))),
        "license": _one(item.get("license")),
        "publisher": _one(item.get("publisher")),
        "container_name": _one(whole.get("name")),
        "container_issn": _first_of(clean_issn, [*_texts(whole.get("issn")), *_texts(part.get("issn"))]),
        "volume": _one(part.get("volumeNumber")) or _one(whole.get("volumeNumber")),
        "issue": _one(part.get("issueNumber")),
        "first_page": _one(item.get("pageStart")),
        "last_page": _one(item.get("pageEnd")),
        "release_type": _first_of(release_type, kinds),
        "raw_references": _texts(item.get("citation"))[:_MAX_LIST] or None,
    }
    return stated


def _texts(value: Any) -> list[str]:
    """The texts of a JSON-LD value: itself, its items, or the names of its objects."""
    found: list[str] = []
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            parts = [part for key in ("givenName", "familyName") if isinstance(part := item.get(key), str)]
            item = item.get("name") or item.get("value") or " ".join(parts) or item.get("@id") or item.get("url")
        if (
            isinstance(item, str | int)
            and not isinstance(item, bool)
            and (text := " ".join(storable(str(item)[:_MAX_VALUE]).split()))
        ):
            found.append(text)
    return found


def _one(value: Any) -> str | None:
    return next(iter(_texts(value)), None)


def _first_dict(value: Any) -> dict[str, Any]:
    items = value if isinstance(value, list) else [value]
    return next((item for item in items if isinstance(item, dict)), {})
