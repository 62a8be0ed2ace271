"""The pages beyond a topic that stories of several sources link to: reports, statistics, videos, whatever they all point at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, func, select

from tearsheet.topics import tables
from tearsheet.topics.model import simplest
from tearsheet.topics.snapshot.frozen import FrozenPage, FrozenStory
from tearsheet.urls import BadURL, canonical_domain

_ROWS = 10_000


def linked_pages(
    connection: Connection,
    topic_id: int,
    stories: Sequence[FrozenStory],
    numbers: Mapping[str, int],
    kept: Mapping[str, str],
    merged_sources: Mapping[str, str],
) -> tuple[FrozenPage, ...]:
    """These pages, in order of id. A page is known by the story that its address led to, or else by its address.

    Links of a merged story count as those of the one that was `kept`, and pages of a merged source as those of the one that it
    was merged into. Links of a source to itself do not count, so each page is
    linked to by two sources at least that are not its own.
    """
    links = tables.topic_links
    page = func.coalesce(links.c.ref_stories_id, links.c.url_key)
    rows = connection.execute(
        select(page, links.c.url, links.c.stories_id)
        .where(links.c.topics_id == topic_id)
        .order_by(page, links.c.stories_id, links.c.url_key),
        execution_options={"yield_per": _ROWS},
    )
    found: list[FrozenPage] = []
    urls: set[str] = set()
    linked_by: set[int] = set()
    last = ""

    def finish() -> None:
        made = _page(last, urls, linked_by, stories, merged_sources) if urls else None
        if made is not None:
            found.append(made)

    for key, url, story in rows:
        if key != last:
            finish()
            last, urls, linked_by = key, set(), set()
        linking = kept.get(story, story)
        if kept.get(key, key) not in numbers and linking in numbers:
            urls.add(url)
            linked_by.add(numbers[linking])
    finish()
    return tuple(sorted(found, key=lambda one: one.id))


def _page(
    key: str, urls: set[str], linked_by: set[int], stories: Sequence[FrozenStory], merged_sources: Mapping[str, str]
) -> FrozenPage | None:
    url = simplest(urls)
    try:
        media = canonical_domain(url).lower()
    except BadURL:
        media = ""
    media = merged_sources.get(media, media)
    others = sorted(number for number in linked_by if stories[number].media != media)
    if len({stories[number].media for number in others}) < 2:
        return None
    return FrozenPage(key, url, media, tuple(others))
