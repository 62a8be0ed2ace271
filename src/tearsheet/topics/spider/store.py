"""The spider's statements. Each function is one transaction, and the same twice does no harm: jobs may be delivered twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import zstandard
from sqlalchemy import Connection, Row, and_, bindparam, exists, func, select, update

from tearsheet.engines.database import Database
from tearsheet.topics import model, tables
from tearsheet.topics.spider.dedupe import parent_media
from tearsheet.topics.spider.generate import WebStory
from tearsheet.topics.spider.links import MinedLink
from tearsheet.topics.spider.relevance import calendar_week
from tearsheet.topics.spider.routing import wait_for_media
from tearsheet.topics.store import chunks

T = tables
_MATCH = select(T.story_urls.c.url_key, T.story_urls.c.stories_id).where(
    T.story_urls.c.url_key.in_(bindparam("keys", expanding=True))
)
"""Made once: it is asked for every story whose links are mined."""


@dataclass(slots=True, frozen=True)
class Candidate:
    """A story of the topic's table with its content."""

    story: WebStory
    iteration: int
    state: str
    spidered: bool
    assume_match: bool


@dataclass(slots=True, frozen=True)
class StoredPage:
    """The page of a story, as it was received."""

    html: bytes
    charset: str | None


def _story(row: Row[Any]) -> WebStory:
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


def save_story(
    database: Database, story: WebStory, page: bytes | None, charset: str | None, addresses: Iterable[tuple[str, str]]
) -> WebStory:
    """Keep a story of the web, and every address (key, url) that led to it. The first copy wins. Its source is the parent's."""
    with database.begin() as connection:
        _save_stories(database, connection, [story], [{"page": page, "charset": charset}])
        _save_addresses(database, connection, story.id, addresses)
        own = T.web_stories.c.stories_id == story.id
        return _story(connection.execute(select(T.web_stories).where(own)).one())


def save_stories(database: Database, stories: Sequence[WebStory]) -> None:
    """Keep stories whose pages are elsewhere, in one transaction."""
    with database.begin() as connection:
        _save_stories(database, connection, stories, [{"page": None, "charset": None}] * len(stories))


def _save_stories(
    database: Database, connection: Connection, stories: Sequence[WebStory], pages: Sequence[dict[str, Any]]
) -> None:
    if not stories:
        return
    parents = {media: _parent(connection, media) for media in sorted({story.media for story in stories})}
    for media in sorted(set(parents.values())):
        connection.execute(database.insert(T.media).values(media_id=media, name=media).on_conflict_do_nothing())
    rows = [
        {
            "stories_id": story.id,
            "url": story.url,
            "media_id": parents[story.media],
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
    connection.execute(database.insert(T.web_stories).on_conflict_do_nothing(), rows)
    own = [{"url_key": story.id, "url": story.url, "stories_id": story.id} for story in stories]
    connection.execute(database.insert(T.story_urls).on_conflict_do_nothing(), own)
    _prefer_simple_urls(connection, {story.id: story.url for story in stories})


def _prefer_simple_urls(connection: Connection, urls: dict[str, str]) -> None:
    web = T.web_stories
    for some in chunks(sorted(urls)):
        known = connection.execute(
            select(web.c.stories_id, web.c.url).where(web.c.stories_id.in_(some)).with_for_update()
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
        connection.execute(database.insert(T.story_urls).on_conflict_do_nothing(), rows)


def simplest(urls: Iterable[str]) -> str:
    """Which of a page's addresses stands for it: the shortest, of equals the first. So it does not matter which came first."""
    return min(urls, key=lambda url: (len(url), url))


def _parent(connection: Connection, media: str) -> str:
    known: dict[str, str | None] = {}
    current: str | None = media
    while current is not None and current not in known:
        known[current] = connection.execute(
            select(T.media.c.dup_media_id).where(T.media.c.media_id == current)
        ).scalar()
        current = known[current]
    return parent_media(media, known)


def get_story(database: Database, stories_id: str) -> WebStory | None:
    """A story of the web."""
    with database.read() as connection:
        row = connection.execute(select(T.web_stories).where(T.web_stories.c.stories_id == stories_id)).one_or_none()
    return _story(row) if row else None


def get_page(database: Database, stories_id: str) -> StoredPage | None:
    """The page of a story; None when only its text is known."""
    with database.read() as connection:
        row = connection.execute(
            select(T.web_stories.c.page, T.web_stories.c.charset).where(T.web_stories.c.stories_id == stories_id)
        ).one_or_none()
    return StoredPage(zstandard.decompress(row.page), row.charset) if row and row.page is not None else None


def match_stories(database: Database, keys: Sequence[str]) -> dict[str, str]:
    """Which addresses are those of known stories: stories_id by key."""
    found: dict[str, str] = {}
    with database.read() as connection:
        for some in chunks(list(keys)):
            found.update(connection.execute(_MATCH, {"keys": some}).all())
    return found


def unprocessed_seeds(database: Database, topic_id: int, limit: int) -> list[Row[Any]]:
    """Seeds that have not been routed, in a fixed order."""
    seeds = T.topic_seed_urls
    with database.read() as connection:
        return list(
            connection.execute(
                select(seeds)
                .where(seeds.c.topics_id == topic_id, seeds.c.processed.is_(False))
                .order_by(seeds.c.url_key)
                .limit(limit)
            )
        )


def route_seeds(
    database: Database,
    topic_id: int,
    to_add: Sequence[tuple[str, bool]],
    to_fetch: Sequence[Row[Any]],
    keys: Sequence[str],
) -> None:
    """Note what becomes of seeds: stories (id, assume_match) that wait to be added, addresses that are to be fetched."""
    with database.begin() as connection:
        _add_fetches(
            database, connection, topic_id, 0, [(seed.url_key, seed.url, seed.assume_match) for seed in to_fetch]
        )
        _add_waiting(database, connection, topic_id, 0, to_add)
        for some in chunks(list(keys)):
            connection.execute(
                update(T.topic_seed_urls)
                .where(T.topic_seed_urls.c.topics_id == topic_id, T.topic_seed_urls.c.url_key.in_(some))
                .values(processed=True)
            )


def _add_waiting(
    database: Database, connection: Connection, topic_id: int, iteration: int, stories: Iterable[tuple[str, bool]]
) -> None:
    """Stories (id, assume_match) that wait to be added.

    In the order of their ids, and after what is to be fetched: of two workers that add the same in different orders, each would
    wait for the other.
    """
    rows = [
        {
            "topics_id": topic_id,
            "stories_id": stories_id,
            "iteration": iteration,
            "state": model.WAITING,
            "spidered": False,
            "why": "",
            "assume_match": assume_match,
        }
        for stories_id, assume_match in sorted(stories)
    ]
    if rows:
        connection.execute(database.insert(T.topic_stories).on_conflict_do_nothing(), rows)


def _add_fetches(
    database: Database, connection: Connection, topic_id: int, iteration: int, urls: Iterable[tuple[str, str, bool]]
) -> None:
    """Addresses (key, url, assume_match) that are to be fetched, in the order of their keys."""
    rows = [
        {
            "topics_id": topic_id,
            "url_key": key,
            "url": url,
            "iteration": iteration,
            "state": model.PENDING,
            "message": "",
            "assume_match": assume_match,
        }
        for key, url, assume_match in sorted(urls)
    ]
    if rows:
        connection.execute(database.insert(T.topic_fetch_urls).on_conflict_do_nothing(), rows)


def get_fetch(database: Database, topic_id: int, key: str) -> Row[Any] | None:
    """An address that is, or was, to be fetched."""
    with database.read() as connection:
        return connection.execute(
            select(T.topic_fetch_urls).where(
                T.topic_fetch_urls.c.topics_id == topic_id, T.topic_fetch_urls.c.url_key == key
            )
        ).one_or_none()


def finish_fetch(
    database: Database,
    topic_id: int,
    key: str,
    state: str,
    *,
    code: int | None = None,
    message: str = "",
    stories_id: str | None = None,
) -> None:
    """Note what became of an address; a story goes on to wait for being added."""
    fetches = T.topic_fetch_urls
    with database.begin() as connection:
        row = connection.execute(select(fetches).where(fetches.c.topics_id == topic_id, fetches.c.url_key == key)).one()
        if row.state != model.PENDING:
            return
        connection.execute(
            update(fetches)
            .where(fetches.c.topics_id == topic_id, fetches.c.url_key == key)
            .values(state=state, code=code, message=message[:500], stories_id=stories_id)
        )
        if stories_id is not None:
            _add_waiting(database, connection, topic_id, row.iteration, [(stories_id, row.assume_match)])


def keep_sentences(database: Database, topic_id: int, story: WebStory, iteration: int, prints: Sequence[int]) -> None:
    """Remember which sentences a story uses."""
    week = calendar_week(story.day)
    rows = [
        {
            "topics_id": topic_id,
            "stories_id": story.id,
            "fingerprint": number,
            "media_id": story.media,
            "week": week,
            "iteration": iteration,
        }
        for number in sorted(set(prints))
    ]
    if not rows:
        return
    with database.begin() as connection:
        for some in chunks(rows, 100):
            connection.execute(database.insert(T.topic_sentences).values(list(some)).on_conflict_do_nothing())


def other_users(
    database: Database, topic_id: int, story: WebStory, iteration: int, prints: Sequence[int]
) -> dict[int, set[str]]:
    """Which other stories of the same source and week use a sentence, up to this iteration: ids by fingerprint."""
    used: dict[int, set[str]] = {}
    sentences = T.topic_sentences
    with database.read() as connection:
        for some in chunks(sorted(set(prints))):
            rows = connection.execute(
                select(sentences.c.fingerprint, sentences.c.stories_id).where(
                    sentences.c.topics_id == topic_id,
                    sentences.c.media_id == story.media,
                    sentences.c.week == calendar_week(story.day),
                    sentences.c.fingerprint.in_(some),
                    sentences.c.stories_id != story.id,
                    sentences.c.iteration <= iteration,
                )
            )
            for number, other in rows:
                used.setdefault(number, set()).add(other)
    return used


def titles_of(database: Database, ids: Sequence[str]) -> dict[str, tuple[str, str | None]]:
    """Title and day of stories."""
    found = {}
    with database.read() as connection:
        for some in chunks(sorted(ids)):
            for row in connection.execute(
                select(T.web_stories.c.stories_id, T.web_stories.c.title, T.web_stories.c.publish_date).where(
                    T.web_stories.c.stories_id.in_(some)
                )
            ):
                found[row.stories_id] = (row.title, row.publish_date)
    return found


def get_candidate(database: Database, topic_id: int, stories_id: str) -> Candidate | None:
    """A story of the topic's table, whatever its state."""
    stories = T.topic_stories
    with database.read() as connection:
        row = connection.execute(
            select(T.web_stories, stories.c.iteration, stories.c.state, stories.c.spidered, stories.c.assume_match)
            .join(stories, stories.c.stories_id == T.web_stories.c.stories_id)
            .where(stories.c.topics_id == topic_id, stories.c.stories_id == stories_id)
        ).one_or_none()
    return Candidate(_story(row), row.iteration, row.state, row.spidered, row.assume_match) if row else None


def decide(database: Database, topic_id: int, stories_id: str, *, relevant: bool, why: str, mined: bool) -> None:
    """Take a story into the topic, or leave it out, and keep why."""
    stories = T.topic_stories
    with database.begin() as connection:
        connection.execute(
            update(stories)
            .where(
                stories.c.topics_id == topic_id,
                stories.c.stories_id == stories_id,
                stories.c.state.in_((model.ADDING, model.WAITING)),
            )
            .values(state=model.IN if relevant else model.OUT, why=why, spidered=mined)
        )


def save_links(
    database: Database,
    topic_id: int,
    stories_id: str,
    iteration: int,
    links: Sequence[MinedLink],
    matched: dict[str, str],
    error: str | None = None,
) -> None:
    """Keep a story's links, note what they lead to next, and mark the story as spidered: all or nothing."""
    rows = [
        {
            "topics_id": topic_id,
            "stories_id": stories_id,
            "url_key": link.key,
            "url": link.url,
            "kind": link.kind,
            "fetched": link.key in matched,
            "ref_stories_id": matched.get(link.key),
        }
        for link in links
    ]
    unknown = [(link.key, link.url, False) for link in links if link.key not in matched]
    targets = {matched[link.key] for link in links if link.key in matched}
    with database.begin() as connection:
        if rows:
            connection.execute(database.insert(T.topic_links).on_conflict_do_nothing(), rows)
        _add_fetches(database, connection, topic_id, iteration + 1, unknown)
        _add_waiting(database, connection, topic_id, iteration + 1, [(target, False) for target in targets])
        connection.execute(
            update(T.topic_stories)
            .where(T.topic_stories.c.topics_id == topic_id, T.topic_stories.c.stories_id == stories_id)
            .values(spidered=True, link_mine_error=error)
        )


def pending_links_of(database: Database, topic_id: int, stories_id: str) -> list[str]:
    """The keys of a story's links that are still to be fetched."""
    links, fetches = T.topic_links, T.topic_fetch_urls
    with database.read() as connection:
        return list(
            connection.execute(
                select(links.c.url_key)
                .join(fetches, and_(fetches.c.topics_id == links.c.topics_id, fetches.c.url_key == links.c.url_key))
                .where(
                    links.c.topics_id == topic_id,
                    links.c.stories_id == stories_id,
                    fetches.c.state == model.PENDING,
                )
                .order_by(links.c.url_key)
            ).scalars()
        )


def resolve_links(database: Database, topic_id: int) -> None:
    """Mark links as fetched whose address has a result by now."""
    links, fetches = T.topic_links, T.topic_fetch_urls
    same = and_(fetches.c.topics_id == links.c.topics_id, fetches.c.url_key == links.c.url_key)
    done = and_(same, fetches.c.state != model.PENDING)
    with database.begin() as connection:
        connection.execute(
            update(links)
            .where(links.c.topics_id == topic_id, links.c.fetched.is_(False), exists(select(1).where(done)))
            .values(fetched=True, ref_stories_id=select(fetches.c.stories_id).where(same).scalar_subquery())
        )


def release(database: Database, topic_id: int, max_stories: int) -> tuple[list[str], bool]:
    """Let the stories of the lowest iteration be added, once all its pages are there: their ids, and whether the topic is full.

    A story that is added before another page of its iteration arrives might be judged by a sentence that turns out to be
    repeated. Waiting makes the result the same whatever the order in which pages arrive. No more are let go than the size
    budget has room for.
    """
    stories, fetches = T.topic_stories, T.topic_fetch_urls
    mine = stories.c.topics_id == topic_id
    with database.begin() as connection:
        level = connection.execute(
            select(func.min(stories.c.iteration)).where(mine, stories.c.state == model.WAITING)
        ).scalar()
        if level is None:
            return [], False
        unready = connection.execute(
            select(func.count()).where(
                fetches.c.topics_id == topic_id, fetches.c.state == model.PENDING, fetches.c.iteration <= level
            )
        ).scalar_one()
        busy = connection.execute(
            select(func.count()).where(
                mine,
                (stories.c.state == model.ADDING)
                | and_(stories.c.state == model.IN, stories.c.spidered.is_(False), stories.c.iteration < level),
            )
        ).scalar_one()
        if unready or busy:
            return [], False
        room = (
            max_stories - connection.execute(select(func.count()).where(mine, stories.c.state == model.IN)).scalar_one()
        )
        if room <= 0:
            return [], True
        ids = list(
            connection.execute(
                select(stories.c.stories_id)
                .where(mine, stories.c.state == model.WAITING, stories.c.iteration == level)
                .order_by(stories.c.stories_id)
                .limit(room)
            ).scalars()
        )
        for some in chunks(ids):
            connection.execute(update(stories).where(mine, stories.c.stories_id.in_(some)).values(state=model.ADDING))
    return ids, False


def stop_spidering(database: Database, topic_id: int, why: str) -> None:
    """Leave out what is not in the topic yet, and say why: its size budget is used up."""
    stories, fetches, links = T.topic_stories, T.topic_fetch_urls, T.topic_links
    with database.begin() as connection:
        connection.execute(
            update(stories)
            .where(stories.c.topics_id == topic_id, stories.c.state.in_((model.WAITING, model.ADDING)))
            .values(state=model.OUT, why=why)
        )
        connection.execute(
            update(stories).where(stories.c.topics_id == topic_id, stories.c.spidered.is_(False)).values(spidered=True)
        )
        connection.execute(
            update(fetches)
            .where(fetches.c.topics_id == topic_id, fetches.c.state == model.PENDING)
            .values(state=model.SKIPPED, message=why)
        )
        connection.execute(
            update(links).where(links.c.topics_id == topic_id, links.c.fetched.is_(False)).values(fetched=True)
        )


def unfinished(database: Database, topic_id: int) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    """What jobs there should be: addresses to fetch (key, url), stories to add, stories to mine."""
    stories, fetches = T.topic_stories, T.topic_fetch_urls
    with database.read() as connection:
        to_fetch = connection.execute(
            select(fetches.c.url_key, fetches.c.url)
            .where(fetches.c.topics_id == topic_id, fetches.c.state == model.PENDING)
            .order_by(fetches.c.url_key)
        ).all()  # fmt: skip
        to_add = connection.execute(
            select(stories.c.stories_id)
            .where(stories.c.topics_id == topic_id, stories.c.state == model.ADDING)
            .order_by(stories.c.stories_id)
        ).scalars().all()  # fmt: skip
        to_mine = connection.execute(
            select(stories.c.stories_id)
            .where(stories.c.topics_id == topic_id, stories.c.state == model.IN, stories.c.spidered.is_(False))
            .order_by(stories.c.stories_id)
        ).scalars().all()  # fmt: skip
    return list(to_fetch), list(to_add), list(to_mine)


def take_turn(database: Database, media: str, now: float, seconds: float) -> float:
    """Reserve the next fetch from a source: how many seconds from now it may be. `media_fetches` holds the last one given."""
    if seconds <= 0:
        return 0.0
    fetches = T.media_fetches
    with database.begin() as connection:
        # The insert locks the row on every engine, so that two workers cannot take the same turn.
        connection.execute(
            database.insert(fetches)
            .values(media_id=media, fetched_at=0.0)
            .on_conflict_do_update(index_elements=["media_id"], set_={"media_id": media})
        )
        last = connection.execute(select(fetches.c.fetched_at).where(fetches.c.media_id == media)).scalar_one()
        wait = wait_for_media(last, now, seconds)
        connection.execute(update(fetches).where(fetches.c.media_id == media).values(fetched_at=now + wait))
    return wait
