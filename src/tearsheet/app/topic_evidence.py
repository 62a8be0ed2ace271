"""The evidence of topics: their pages in the archive, and their stories in an index of their own.

What was collected is searched in one index, and the stories of topics in another: so no search counts a page that only a spider
fetched, unless a topic is asked for, and a page that was spidered first and collected later is in both. The database says which
stories a topic has now; the index of topics only has their words, and can be deleted: `fill_topic_index` fills it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from tearsheet.app.services import Services
from tearsheet.archive import SPIDERED, StoredCapture
from tearsheet.chunks import chunks
from tearsheet.clock import utc_now
from tearsheet.engines.index import IndexedStory
from tearsheet.errors import BusyError
from tearsheet.pipeline import Archiver, UnerasedKeeping
from tearsheet.query import EVERYTHING
from tearsheet.topics import Topic, store
from tearsheet.topics.spider import WebStory, spidered_id, stories_by_id

_AT_ONCE = 200
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def topic_archiver(services: Services) -> UnerasedKeeping | None:
    """The archiver of the pages that topics take; None when the settings say that they are kept in the database only."""
    if not services.settings.topics.archive:
        return None
    settings = services.settings.archive
    archiver = Archiver(
        services.archive,
        services.archive_folder,
        prefix=SPIDERED,
        profile=settings.profile,
        max_stories=settings.max_stories,
        max_bytes=settings.max_bytes,
        max_seconds=settings.max_seconds,
        stores=tuple(services.archive_stores),
        only_news=False,
    )
    return UnerasedKeeping(archiver, services.erased)


def captures_in_topic(services: Services, ids: Sequence[str]) -> list[StoredCapture | None]:
    """The capture of each story of a topic: of the page that its spider fetched, or of the story as it was collected."""
    return services.captures.of_stories((spidered_id(stories_id), stories_id) for stories_id in ids)


def make_searchable(services: Services, topic: Topic) -> bool:
    """Have searches find the stories of a topic. False when somebody else is writing to the index of topics."""
    try:
        fill_topic_index(services, [topic])
    except BusyError:
        return False
    return True


def index_topics(services: Services) -> int:
    """Index the stories of all topics that are not in the index of topics yet; returns how many there were. Raises BusyError."""
    topics = store.list_topics(services.database)
    return fill_topic_index(services, topics) if topics else 0


def fill_topic_index(services: Services, topics: Sequence[Topic]) -> int:
    """Index the stories of topics that are not in the index of topics yet; returns how many there were. Raises BusyError."""
    added = 0
    index = services.open_topic_index()
    try:
        index.refresh()
        for topic in topics:
            for ids in chunks(store.story_ids(services.database, topic.id), _AT_ONCE):
                known = index.search(EVERYTHING.within(ids=ids), limit=len(ids), order="indexed-oldest", text=False)
                missing = sorted(set(ids) - {story.id for story in known.stories})
                added += sum(one.status == "created" for one in index.add(list(_to_index(services, missing))))
        index.refresh()
    finally:
        index.close()
    return added


def _to_index(services: Services, ids: Sequence[str]) -> Iterator[IndexedStory]:
    """These stories as they were collected, or as a spider fetched them."""
    collected = services.index.get(ids)
    spidered = stories_by_id(
        services.database, [one for one, known in zip(ids, collected, strict=True) if known is None]
    )
    captures = services.captures.of_ids([spidered_id(one) for one in spidered])
    for stories_id, known in zip(ids, collected, strict=True):
        if known is not None:
            yield known
        elif stories_id in spidered:
            capture = captures.get(spidered_id(stories_id))
            yield _spidered(spidered[stories_id], capture.time if capture else utc_now())


def _spidered(story: WebStory, fetched: datetime) -> IndexedStory:
    extra = {"description": story.description} if story.description else {}
    return IndexedStory(
        id=story.id,
        story_id=spidered_id(story.id),
        url=story.url,
        canonical_domain=story.media,
        indexed_date=(fetched - _EPOCH) // timedelta(microseconds=1) * 1000,
        article_title=story.title,
        text_content=story.text,
        language=story.language,
        publication_date=story.day.isoformat() if story.day else None,
        extra=extra | ({"publication_date_source": story.date_method} if story.day else {}),
    )
