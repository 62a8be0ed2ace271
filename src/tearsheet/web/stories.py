"""Stories as they are shown: as a line in a list, or whole, with the proof."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from unicodedata import east_asian_width

from tearsheet.app import CaptureRecord, capture_record, find_capture, story_by_id
from tearsheet.archive import ArchivedStory, OutOfReach, ReplayPage, StoredCapture
from tearsheet.engines.index import IndexedStory
from tearsheet.errors import NotFoundError, TearsheetError, WorkerError
from tearsheet.feeds.catalogue import list_feeds, list_sources
from tearsheet.feeds.polling import ShownDetails, entry_details
from tearsheet.web.reach import Reach
from tearsheet.web.site import Site
from tearsheet.work import Explanation

log = logging.getLogger(__name__)
LEAD_LENGTH = 220
_BLANKS = re.compile(r"\s+")
_STAGES = ("fetcher", "parser", "importer", "archiver")

DATE_SOURCE_WORDS: dict[str, str] = {
    "json-ld": "the page's structured data (JSON-LD)",
    "meta": "a meta tag of the page",
    "url": "the page's address",
    "time": "a <time> element of the page",
    "text": "the text of the page",
    "feed": "the feed in which it was found",
    "page": "the page",
}


@dataclass(slots=True, frozen=True)
class StoryLine:
    """A story in a list."""

    id: str
    title: str
    url: str
    domain: str
    language: str
    publication_date: str | None
    indexed: datetime
    lead: str


@dataclass(slots=True)
class StoryView:
    """Everything that is known about one story."""

    id: str
    story_id: str
    title: str
    url: str
    original_url: str
    domain: str
    language: str
    publication_date: str | None
    publication_date_source: str | None
    indexed: datetime
    text: str
    source_id: int | None = None
    source_name: str | None = None
    feed_id: int | None = None
    feed_url: str | None = None
    entry: ShownDetails | None = None
    """What its feed says of it."""
    extra: dict[str, Any] = field(default_factory=dict)
    capture: CaptureRecord | None = None
    journey: list[Explanation] = field(default_factory=list)


@dataclass(slots=True, frozen=True)
class CapturedPage:
    """A captured page, and whether its bytes are still those that were recorded."""

    page: ReplayPage
    captured_at: datetime
    sha256: str
    genuine: bool


def moment(nanoseconds: int) -> datetime:
    """An indexed date as a time."""
    return datetime.fromtimestamp(nanoseconds // 1_000_000_000, UTC).replace(
        microsecond=nanoseconds // 1000 % 1_000_000
    )


def story_line(story: IndexedStory) -> StoryLine:
    """A story as it stands in a list."""
    return StoryLine(
        story.id,
        story.article_title or story.url,
        story.url,
        story.canonical_domain,
        story.language,
        story.publication_date,
        moment(story.indexed_date),
        lead_of(story),
    )


def lead_of(story: IndexedStory) -> str:
    """The first words of a story: its own description, or the beginning of its text."""
    text = _BLANKS.sub(" ", str(story.extra.get("description") or story.text_content[: 4 * LEAD_LENGTH])).strip()
    # A Chinese or Japanese character takes up the room of two letters, and says as much.
    wide = sum(east_asian_width(character) in "WF" for character in text[:LEAD_LENGTH])
    length = LEAD_LENGTH - wide // 2
    if len(text) <= length:
        return text
    end = text.rfind(" ", length // 2, length + 1)
    return text[: end if end > 0 else length].rstrip(" ,;:–-") + "…"


def find_story(site: Site, identifier: str, reach: Reach | None = None) -> IndexedStory:
    """A story of the index by its id. Raises NotFoundError, also for one that the visitor may not see."""
    found = story_by_id(site.services, identifier)
    if found is None or (reach is not None and not reach.has_story(found)):
        raise NotFoundError(f"there is no story {identifier}")
    return found


def view_of(site: Site, identifier: str, reach: Reach | None = None) -> StoryView:
    """Everything about one story. Raises NotFoundError."""
    story = find_story(site, identifier, reach)
    capture = find_capture(site.services, story)
    extra = dict(story.extra)
    return StoryView(
        id=story.id,
        story_id=story.story_id,
        title=story.article_title,
        url=story.url,
        original_url=story.original_url,
        domain=story.canonical_domain,
        language=story.language,
        publication_date=story.publication_date,
        publication_date_source=extra.pop("publication_date_source", None),
        indexed=moment(story.indexed_date),
        text=story.text_content,
        source_id=story.source_id,
        source_name=_source_name(site, story.source_id),
        feed_id=story.feed_id,
        feed_url=_feed_url(site, story.feed_id),
        entry=entry_details(site.services.database, filter(None, (story.original_url, story.url))),
        extra=extra,
        capture=capture_record(site.services, capture) if capture else None,
        journey=_journey(site, story.story_id),
    )


def _source_name(site: Site, source_id: int | None) -> str | None:
    found = list_sources(site.services.database, ids=[source_id], limit=1).rows if source_id is not None else []
    return found[0].name if found else None


def _feed_url(site: Site, feed_id: int | None) -> str | None:
    found = list_feeds(site.services.database, ids=[feed_id], limit=1).rows if feed_id is not None else []
    return found[0]["url"] if found else None


def _journey(site: Site, story_id: str) -> list[Explanation]:
    """What each stage did with a story, in order."""
    if not story_id:
        return []
    return sorted(
        site.services.ledger.tries([story_id]),
        key=lambda step: (step.happened_at, _STAGES.index(step.stage) if step.stage in _STAGES else 0),
    )


def read_capture(site: Site, story: IndexedStory) -> tuple[StoredCapture, ArchivedStory]:
    """Where the proof of a story is, and what is there now, read from its WARC file. Raises NotFoundError."""
    capture = find_capture(site.services, story)
    if capture is None:
        raise NotFoundError("this story is not archived yet: it waits for its WARC file to be finished")
    try:
        return capture, site.services.captures.read(capture)
    except TearsheetError as error:
        # The names of the stores belong in the log, not in front of every visitor.
        log.warning("capture cannot be read", extra={"file": capture.file.name, "error": str(error)})
        away = isinstance(error, (OutOfReach, WorkerError))
        raise (OutOfReach if away else NotFoundError)(
            f"the WARC file {capture.file.name} cannot be read{' now' if away else ''}; the server's log says why"
        ) from error


def captured_page(site: Site, story: IndexedStory) -> CapturedPage:
    """The page of a story as it was captured, read from its WARC file. Raises NotFoundError."""
    capture, found = read_capture(site, story)
    if found.story.raw_html.html is None:
        raise NotFoundError(f"the WARC file {capture.file.name} holds no page at offset {capture.offset}")
    return CapturedPage(site.services.shown.capture(found), capture.time, found.sha256, found.sha256 == capture.sha256)
