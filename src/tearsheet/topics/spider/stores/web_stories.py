"""Stories from the web, their pages and every address that leads to them. All topics share them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import zstandard
from sqlalchemy import Connection, Row, bindparam, select, update

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.topics import tables
from tearsheet.topics.model import simplest
from tearsheet.topics.spider.web_story import WebStory

_MATCH = select(tables.story_urls.c.url_key, tables.story_urls.c.stories_id).where(
    tables.story_urls.c.url_key.in_(bindparam("keys", expanding=True))
)
"""Built once, because it runs for every story whose links are mined."""


@dataclass(slots=True, frozen=True)
class StoredPage:
    """The page of a story, as it was received."""

    html: bytes
    charset: str | None


def save_story(
    database: Database,
    story: WebStory,
    page: bytes | None,
    charset: str | None,
    addresses: Iterable[tuple[str, str]],
    fetched: bytes | None = None,
) -> WebStory:
    """Store a story and every address (key, url) that led to it. The first copy wins.

    `fetched` says how its page was fetched, if that is to be archived.
    """
    with database.begin() as connection:
        new = _save_stories(database, connection, [story], [{"page": page, "charset": charset}])
        if new and fetched is not None:
            connection.execute(database.insert(tables.unarchived_pages).values(stories_id=story.id, fetched=fetched))
        _save_addresses(database, connection, story.id, addresses)
        own = tables.web_stories.c.stories_id == story.id
        return story_of(connection.execute(select(tables.web_stories).where(own)).one())


def save_stories(database: Database, stories: Sequence[WebStory]) -> None:
    """Store stories whose pages are elsewhere, in one transaction."""
    with database.begin() as connection:
        _save_stories(database, connection, stories, [{"page": None, "charset": None}] * len(stories))


def _save_stories(
    database: Database, connection: Connection, stories: Sequence[WebStory], pages: Sequence[dict[str, Any]]
) -> int:
    """Returns how many of them are new."""
    if not stories:
        return 0
    rows = [
        {
            "stories_id": story.id,
            "url": story.url,
            "media_id": story.media,
            "title": story.title,
            "title_method": story.title_method,
            "publish_date": story.day.isoformat() if story.day else None,
            "date_method": story.date_method,
            "description": story.description,
            "language": story.language,
            "text": zstandard.compress(story.text.encode("utf-8", "replace"), 3),
            "page": zstandard.compress(page["page"], 3) if page["page"] is not None else None,
            "charset": page["charset"],
        }
        for story, page in zip(stories, pages, strict=True)
    ]
    insert = database.insert(tables.web_stories).on_conflict_do_nothing().returning(tables.web_stories.c.stories_id)
    new = len(
        connection.execute(insert, rows).all()
    )  # PostgreSQL's client counts no rows where several may be inserted
    own = [{"url_key": story.id, "url": story.url, "stories_id": story.id} for story in stories]
    connection.execute(database.insert(tables.story_urls).on_conflict_do_nothing(), own)
    _prefer_simple_urls(connection, {story.id: story.url for story in stories})
    return new


def _prefer_simple_urls(connection: Connection, urls: dict[str, str]) -> None:
    web = tables.web_stories
    for chunk in chunks(sorted(urls)):
        known = connection.execute(
            select(web.c.stories_id, web.c.url).where(web.c.stories_id.in_(chunk)).with_for_update()
        ).all()
        for stories_id, url in known:
            if simplest([url, urls[stories_id]]) != url:
                connection.execute(update(web).where(web.c.stories_id == stories_id).values(url=urls[stories_id]))


def _save_addresses(
    database: Database, connection: Connection, stories_id: str, addresses: Iterable[tuple[str, str]]
) -> None:
    rows = [
        {"url_key": key, "url": url, "stories_id": stories_id} for key, url in sorted(addresses) if key != stories_id
    ]
    if rows:
        connection.execute(database.insert(tables.story_urls).on_conflict_do_nothing(), rows)


def get_story(database: Database, stories_id: str) -> WebStory | None:
    """A story from the web by its id."""
    with database.read() as connection:
        row = connection.execute(
            select(tables.web_stories).where(tables.web_stories.c.stories_id == stories_id)
        ).one_or_none()
    return story_of(row) if row else None


def stories_by_id(database: Database, ids: Sequence[str]) -> dict[str, WebStory]:
    """Stories from the web by their ids; those that are not known are left out."""
    found: dict[str, WebStory] = {}
    with database.read() as connection:
        for chunk in chunks(ids):
            query = select(tables.web_stories).where(tables.web_stories.c.stories_id.in_(chunk))
            found.update((row.stories_id, story_of(row)) for row in connection.execute(query))
    return found


def get_page(database: Database, stories_id: str) -> StoredPage | None:
    """The page of a story; None if only its text is stored."""
    with database.read() as connection:
        row = connection.execute(
            select(tables.web_stories.c.page, tables.web_stories.c.charset).where(
                tables.web_stories.c.stories_id == stories_id
            )
        ).one_or_none()
    return StoredPage(zstandard.decompress(row.page), row.charset) if row and row.page is not None else None


def match_stories(database: Database, keys: Sequence[str]) -> dict[str, str]:
    """Which addresses belong to known stories: stories_id by key."""
    found: dict[str, str] = {}
    with database.read() as connection:
        for chunk in chunks(keys):
            found.update(connection.execute(_MATCH, {"keys": chunk}).all())
    return found


def titles_of(database: Database, ids: Sequence[str]) -> dict[str, tuple[str, str | None]]:
    """The titles and days of stories, by id."""
    found = {}
    with database.read() as connection:
        for chunk in chunks(sorted(ids)):
            for row in connection.execute(
                select(
                    tables.web_stories.c.stories_id, tables.web_stories.c.title, tables.web_stories.c.publish_date
                ).where(tables.web_stories.c.stories_id.in_(chunk))
            ):
                found[row.stories_id] = (row.title, row.publish_date)
    return found


def story_of(row: Row[Any]) -> WebStory:
    """The story in a row of `web_stories`."""
    return WebStory(
        id=row.stories_id,
        url=row.url,
        media=row.media_id,
        title=row.title,
        title_method=row.title_method,
        day=date.fromisoformat(row.publish_date) if row.publish_date else None,
        date_method=row.date_method,
        description=row.description,
        text=zstandard.decompress(row.text).decode("utf-8"),
        language=row.language,
    )
