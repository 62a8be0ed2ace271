"""What a page is: a full text, the page before it, a front page, a stub, or a wall. Pure functions of what the page shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from tearsheet.extract import Document
from tearsheet.ingest.hops import same_page
from tearsheet.ingest.model import Biblio
from tearsheet.ingest.scope_phrases import (
    CAPTCHA_MARKS,
    CAPTCHA_PHRASES,
    COOKIE_PHRASES,
    ERROR_TITLES,
    LOGIN_PHRASES,
    PAYWALL_PHRASES,
)

STUB_WORDS = 20
BLOG_WORDS = 500
OJS_WORDS = 600
ARTICLE_WORDS = 1200
WALL_WORDS = 300
"""A page with more words than this is not a wall, whatever it says."""

BLOCKED = frozenset({"blocked-captcha", "blocked-cookie", "blocked-forbidden"})
WALLED = frozenset({"blocked-paywall", "blocked-login"})
INGESTED = frozenset({"article-fulltext", "unknown"})
"""Scopes whose pages are captured with their resources."""

_FORBIDDEN = re.compile(r"<(?:h1|title)>\s*403 Forbidden\s*</", re.IGNORECASE)
_SCANNED = 100_000


@dataclass(slots=True, frozen=True)
class PageFeatures:
    """What the scope of a page depends on."""

    url: str
    biblio: Biblio
    platform: str | None
    word_count: int
    """Of the article's text."""
    visible: str
    """The beginning of all text that a reader sees, in lower case."""
    markup: str
    """The beginning of the page as it was received."""
    has_password_field: bool = False
    is_free: bool = True
    """True unless the page says otherwise in JSON-LD."""


def page_features(
    document: Document, markup: str, biblio: Biblio, platform: str | None, word_count: int
) -> PageFeatures:
    """Collect what the scope depends on."""
    body = document.tree.body
    visible = body.text(separator=" ")[:_SCANNED] if body is not None else ""
    title = document.head.title or ""
    return PageFeatures(
        url=document.url,
        biblio=biblio,
        platform=platform,
        word_count=word_count,
        visible=" ".join(f"{title} {visible}".lower().split()),
        markup=markup[:_SCANNED],
        has_password_field=document.tree.css_first("input[type=password]") is not None,
        is_free=not any(str(item.get("isAccessibleForFree")).lower() == "false" for item in document.head.articles),
    )


def scope_of(page: PageFeatures) -> str:
    """The scope, by the first rule that applies."""
    return _by_address(page) or _by_wall(page) or _by_fulltext_link(page) or _by_platform(page) or _by_length(page)


def _by_address(page: PageFeatures) -> str | None:
    url = page.url
    parts = urlsplit(url)
    if parts.path.endswith("/cookieAbsent"):
        return "blocked-cookie"
    if "showcaptcha.asp" in url:
        return "blocked-captcha"
    if "scielo" in url and "sci_abstract" in url:
        return "landingpage"
    if "scielo" in url and "sci_arttext" in url:
        return "article-fulltext"
    if parts.path in ("", "/") and not parts.query:
        return "homepage-domain"
    if "karger.com/Article/Abstract" in url:
        return "landingpage"
    return None


def _by_wall(page: PageFeatures) -> str | None:
    if _FORBIDDEN.search(page.markup) and page.word_count <= WALL_WORDS:
        return "blocked-forbidden"
    if page.word_count > WALL_WORDS:
        return None
    text = page.visible
    if any(phrase in text for phrase in CAPTCHA_PHRASES) or any(mark in page.markup for mark in CAPTCHA_MARKS):
        return "blocked-captcha"
    if any(phrase in text for phrase in COOKIE_PHRASES):
        return "blocked-cookie"
    if not page.is_free or any(phrase in text for phrase in PAYWALL_PHRASES):
        return "blocked-paywall"
    if page.has_password_field or any(phrase in text for phrase in LOGIN_PHRASES):
        return "blocked-login"
    if text.startswith(ERROR_TITLES):
        return "errorpage"
    return None


def _by_fulltext_link(page: PageFeatures) -> str | None:
    target = page.biblio.html_fulltext_url
    if target is None:
        return None
    return "article-fulltext" if same_page(target, page.url) else "landingpage"


def _by_platform(page: PageFeatures) -> str | None:
    """Journals on OJS and journalssystem.com have a page for each article, with or without its text."""
    if page.platform in ("ojs", "ojs3"):
        if page.biblio.title:
            return "article-fulltext" if page.word_count > ARTICLE_WORDS else "landingpage"
        if "/article/view/" in page.url and page.word_count > OJS_WORDS:
            return "article-fulltext"
        return "other"
    if page.platform == "journalssystem.com" and page.biblio.pdf_fulltext_url and page.word_count < 1000:
        return "landingpage"
    return None


def _by_length(page: PageFeatures) -> str:
    words = page.word_count
    if words > (BLOG_WORDS if page.platform in ("wordpress", "blogger", "ghost") else ARTICLE_WORDS):
        return "article-fulltext"
    if page.biblio.pdf_fulltext_url and page.biblio.abstract and page.biblio.title and words <= OJS_WORDS:
        return "article-abstract"
    return "stub" if words < STUB_WORDS else "unknown"
