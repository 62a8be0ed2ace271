"""A story from the web, made from a page that a link led to: its source, date and title are guessed, each by a named method."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from urllib.parse import unquote

from tearsheet.engines.index import IndexedStory
from tearsheet.extract import Document
from tearsheet.topics.model import UNDATEABLE
from tearsheet.topics.spider.addresses import media_of, url_key
from tearsheet.topics.spider.platform_pages import is_post, source_of, text_of
from tearsheet.urls import is_homepage, registered_domain, split_http_url

_MAX_TITLE = 1_024
_UNDATED_SEGMENTS = frozenset({"search", "tag", "tags"})
_UNDATED_DOMAINS = frozenset({"wikipedia.org"})
_TITLE_METAS = ("og:title", "twitter:title", "dc.title", "dcterms.title")


@dataclass(slots=True, frozen=True)
class WebStory:
    """A story from the web, not tied to a topic."""

    id: str
    url: str
    media: str
    title: str
    title_method: str
    day: date | None
    date_method: str
    """Where the day was found, or `undateable`."""
    description: str = ""
    text: str = ""
    language: str = ""


def generate_story(document: Document) -> WebStory:
    """The story of a page. Its address is the page's canonical one, if that is an article of the same source."""
    url = document.url
    stated = document.canonical_url
    if stated and not is_homepage(stated) and media_of(stated) in (media_of(url), source_of(document)):
        url = stated
    title, title_method = guess_title(document)
    day, date_method = guess_date(document)
    return WebStory(
        id=url_key(url),
        url=url,
        media=source_of(document) if media_of(url) == registered_domain(url) else media_of(url),
        title=title,
        title_method=title_method,
        day=day,
        date_method=date_method,
        description="" if is_post(document.url) else document.description or "",
        text=text_of(document),
        language=document.language or "",
    )


def guess_title(document: Document) -> tuple[str, str]:
    """The title and where it comes from: the name of a `meta` element, the `page`, or the `url` if the page has no title."""
    title = " ".join((document.title or "").split())[:_MAX_TITLE]
    if not title:
        slug = unquote(split_http_url(document.url).path.rstrip("/").rpartition("/")[2])
        from_slug = re.sub(r"[-_+.]+", " ", re.sub(r"\.\w{2,5}$", "", slug)).strip()
        return (from_slug or document.url)[:_MAX_TITLE], "url"
    for name in _TITLE_METAS:
        if any(" ".join(value.split()) == title for value in document.head.meta.get(name, ())):
            return title, name
    return title, "page"


def guess_date(document: Document) -> tuple[date | None, str]:
    """The day and where it was found. Front pages, searches, tags and pages that never stop changing are undateable."""
    if is_undateable(document.url):
        return None, UNDATEABLE
    found = document.publication_date
    return (found[0], found[1]) if found else (None, UNDATEABLE)


def is_undateable(url: str) -> bool:
    """Whether the page at this address cannot have a publication day."""
    segments = {segment.lower() for segment in split_http_url(url).path.split("/")}
    return is_homepage(url) or bool(segments & _UNDATED_SEGMENTS) or media_of(url) in _UNDATED_DOMAINS


def story_of_index(story: IndexedStory) -> WebStory:
    """A collected story as a story from the web, with the parser's guesses."""
    day = date.fromisoformat(story.publication_date) if story.publication_date else None
    method = str(story.extra.get("publication_date_source") or "index") if day else UNDATEABLE
    return WebStory(
        id=story.id,
        url=story.url,
        media=_media_of_index(story),
        title=story.article_title,
        title_method="index",
        day=day,
        date_method=method,
        description=str(story.extra.get("description") or ""),
        text=story.text_content,
        language=story.language,
    )


def _media_of_index(story: IndexedStory) -> str:
    """The source of a collected story. One that was collected before accounts were sources has its platform's domain."""
    now = media_of(story.url)
    return now if story.canonical_domain in ("", registered_domain(story.url)) else story.canonical_domain
