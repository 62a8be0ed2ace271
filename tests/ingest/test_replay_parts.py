"""Captured style sheets in a page: each made once, none in itself, and all together no more than a limit."""

from __future__ import annotations

import base64
import re

from tearsheet.extract import Document
from tearsheet.ingest.replay import self_contained
from tearsheet.ingest.replay_parts import Part, Sheets

URL = "http://a.example/"
PAGE = Document(b"<p>x", URL)


def sheets_of(texts: dict[str, str], asked: list[str] | None = None, left: int = 1_000_000) -> Sheets:
    def give(address: str) -> Part | None:
        name = address.removeprefix(URL)
        if asked is not None:
            asked.append(name)
        return Part(address, "text/css", texts[name].encode()) if name in texts else None

    return Sheets(give, left)


def inside(address: str | None) -> str:
    """A sheet with the sheets in it, readable."""
    text = base64.b64decode((address or "").rpartition(",")[2]).decode()
    return re.sub(r'"(data:text/css[^"]*)"', lambda found: f"[{inside(found[1])}]", text)


def test_a_sheet_that_imports_itself_shows_nothing_there():
    for texts in ({"a.css": '@import "a.css";p{}'}, {"a.css": '@import "b.css";p{}', "b.css": '@import "a.css";q{}'}):
        found = inside(sheets_of(texts).address(PAGE, f"{URL}a.css"))
        assert "p{}" in found and found.count("p{}") == 1
        assert ("b.css" not in texts) or found.count("q{}") == 1


def test_a_sheet_is_made_once_however_often_it_is_imported():
    texts = {"a.css": '@import "b.css";' * 10, "b.css": '@import "c.css";' * 10, "c.css": "p{}"}
    asked: list[str] = []
    found = inside(sheets_of(texts, asked).address(PAGE, f"{URL}a.css"))
    assert found.count("p{}") == 100, "it is where it was"
    assert asked == ["a.css", "b.css", "c.css"]


def test_what_sheets_are_together_is_limited():
    texts = {f"{n}.css": f'@import "{n + 1}.css";' * 30 for n in range(5)} | {"5.css": "p{}"}
    found = sheets_of(texts, left=50_000).address(PAGE, f"{URL}0.css")
    assert found is None or len(found) < 50_000


def test_a_page_with_a_sheet_that_imports_itself_hardly_grows():
    sheet = Part(f"{URL}a.css", "text/css", b'@import "a.css";' * 200)
    page = b"<link rel=stylesheet href=a.css>" * 3
    found = self_contained(page, URL, lambda address: sheet if address == sheet.url else None)
    assert len(found) < 20_000
