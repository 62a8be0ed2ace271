"""`extract`: everything that a story needs from a page."""

from __future__ import annotations

from tearsheet import urls
from tearsheet.extract.document import Document
from tearsheet.extract.names import normalize_title
from tearsheet.extract.text import METHOD
from tearsheet.story import ContentMetadata


def extract(html: bytes | str, url: str | None = None, *, charset: str | None = None) -> ContentMetadata:
    """Read everything in `content_metadata` from one page. `charset` is what the HTTP header states, if anything.

    Fields that the page does not give are None, and so are those that are made from the address when there is none. Raises
    `tearsheet.urls.BadURL` if the address is not an http(s) address.
    """
    return content_metadata(Document(html, url or "", charset=charset))


def content_metadata(document: Document) -> ContentMetadata:
    """The fields of a story for a page that is already parsed; `document.url` is taken as the story's address, if there is one."""
    url = document.url or None
    dated = document.publication_date
    title = document.title
    language = document.language
    stated = document.stated_language
    return ContentMetadata(
        original_url=url,
        url=url,
        normalized_url=urls.normalize_url(url) if url else None,
        canonical_domain=urls.canonical_domain(url) if url else None,
        publication_date=dated[0].isoformat() if dated else None,
        publication_date_source=dated[1] if dated else None,
        language=language,
        full_language=stated if language and stated and stated[:2] == language else language,
        text_extraction_method=METHOD if document.text else None,
        article_title=title,
        normalized_article_title=normalize_title(title) if title else None,
        text_content=document.text or None,
        text_confidence=round(document.article.confidence, 4) if document.text else None,
        canonical_url=document.canonical_url,
        is_homepage=urls.is_homepage(url) if url else None,
        is_shortened=urls.is_shortened(url) if url else None,
        description=document.description,
        authors=document.authors or None,
        image=document.image,
    )
