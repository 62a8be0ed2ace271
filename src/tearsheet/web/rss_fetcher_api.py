"""The HTTP API of Media Cloud's rss-fetcher under the same paths, with honest status codes.

Answers are `{"duration": ms, "version": …, "status": "OK", "results": …}`. Times are UTC and have no zone: the original's clients
add it. What does not exist is a 404, what cannot be done now is a 409, what makes no sense is a 400; the original answered 200 to
all of them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi import Path as PathParameter
from fastapi.responses import FileResponse
from pydantic import AfterValidator
from starlette.convertors import IntegerConvertor, register_url_convertor

from tearsheet import __version__
from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines.database import Database
from tearsheet.errors import BusyError
from tearsheet.feeds.catalogue import (
    days_of_stories,
    feeds_of_source,
    fetch_history,
    fetch_soon,
    fetch_source_soon,
    newest_stories,
    no_feed,
    no_source,
    read_feed,
    read_source,
    stories_by_day,
    stories_from,
    top_counts,
)
from tearsheet.web.reach import collections_of, read_reach
from tearsheet.web.rss_fetcher_rows import (
    BySource,
    Day,
    DayCount,
    EntryOfFeed,
    Envelope,
    Feed,
    FetchEvent,
    FoundStory,
    SourceCount,
    TopCount,
)

MAX_ROWS = 10_000
"""The most rows of an answer; whoever asks for more gets these, and goes on after them."""
DAYS_SHOWN = 30
_RSS_FILE = re.compile(r"mc-\d{4}-\d\d-\d\d\.rss\.gz")
T = TypeVar("T")

Id = Annotated[int, PathParameter(ge=0, lt=2**63, description="The id of a feed, of a source, or of the first story.")]
FileName = Annotated[str, PathParameter(max_length=100, description="As `mc-2026-11-14.rss.gz`.")]
Column = Annotated[Literal["domain", "feed_id", "sources_id"], Query(description="What stories are counted by.")]
Days = Annotated[float, Query(gt=0, le=365, description="How many days back.")]
_ROWS = Query(
    alias="_limit", ge=1, lt=2**63, description=f"The most rows to return; never more than {MAX_ROWS:,} come."
)
Most = Annotated[int, _ROWS, AfterValidator(lambda rows: min(rows, MAX_ROWS))]
GZIP: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file.", "content": {"application/gzip": {"schema": {"type": "string"}}}}
}
Limit = Annotated[int | None, _ROWS, AfterValidator(lambda rows: rows and min(rows, MAX_ROWS))]


class _Number(IntegerConvertor):
    """A number in a path, as long as any id: Python refuses to read one of thousands of digits."""

    regex = "[0-9]{1,40}"


register_url_convertor("int", _Number())


def router(database: Database, rss_folder: Path, clock: Clock = wall_clock) -> APIRouter:
    """The routes; `rss_folder` is where the daily RSS files are."""
    api = APIRouter(tags=["rss-fetcher"])
    _add_files(api, rss_folder)
    _add_feeds(api, database, clock)
    _add_sources(api, database, clock)
    _add_stories(api, database, clock)
    return api


def _plain(found: Any) -> Any:
    """What was found with its times as the original has them, in UTC and without a zone: its clients add one."""
    if isinstance(found, datetime):
        return found.astimezone(UTC).replace(tzinfo=None)
    if isinstance(found, dict):
        return {name: _plain(value) for name, value in found.items()}
    return [_plain(one) for one in found] if isinstance(found, list) else found


def _answer(work: Callable[[], T]) -> Envelope[T]:
    started = time.perf_counter()
    results = _plain(work())
    return Envelope(
        duration=round(1000 * (time.perf_counter() - started)), version=__version__, status="OK", results=results
    )


def _feed(request: Request, database: Database, feed_id: int) -> dict[str, Any]:
    """A feed that the visitor may see. Raises NotFoundError."""
    found = read_feed(database, feed_id)
    if not _sees(request, database, found["sources_id"]):
        raise no_feed(feed_id)
    return found


def _check_source(request: Request, database: Database, source_id: int) -> None:
    """Raises NotFoundError for a source that the visitor may not see."""
    read_source(database, source_id)
    if not _sees(request, database, source_id):
        raise no_source(source_id)


def _sees(request: Request, database: Database, source_id: int | None) -> bool:
    names = collections_of(request)
    return names is None or source_id in read_reach(database, names).sources


def _days(counts: list[tuple[str, int]]) -> list[Day]:
    return [Day(day=day, stories=count) for day, count in reversed(counts)]


def _add_files(api: APIRouter, folder: Path) -> None:
    @api.get(
        "/rss/{name}",
        response_class=FileResponse,
        responses=GZIP,
        operation_id="rss_fetcher_daily_rss_at_its_old_place",
    )
    @api.get("/api/rss/{name}", response_class=FileResponse, responses=GZIP)
    def daily_rss(name: FileName) -> FileResponse:
        """The stories of one day as `mc-YYYY-MM-DD.rss.gz`."""
        path = folder / name
        if not _RSS_FILE.fullmatch(name) or not path.is_file():
            raise HTTPException(404, "there is no such file; names are mc-YYYY-MM-DD.rss.gz")
        return FileResponse(path, media_type="application/gzip", filename=name)


def _add_feeds(api: APIRouter, database: Database, clock: Clock) -> None:
    @api.get("/api/feeds/{feed_id:int}", response_model=Envelope[Feed])
    def feed(request: Request, feed_id: Id) -> Envelope[dict[str, Any]]:
        """A feed's columns."""
        return _answer(lambda: _feed(request, database, feed_id))

    @api.get("/api/feeds/{feed_id:int}/history", response_model=Envelope[list[FetchEvent]])
    def feed_history(request: Request, feed_id: Id, limit: Limit = None) -> Envelope[list[dict[str, Any]]]:
        """A feed's fetch events: the newest ones first with a limit, all from the oldest on without one."""
        _feed(request, database, feed_id)
        events = fetch_history(database, feed_id, limit or MAX_ROWS)
        return _answer(lambda: events if limit else events[::-1])

    @api.get("/api/feeds/{feed_id:int}/stories", response_model=Envelope[list[FoundStory]])
    def feed_stories(request: Request, feed_id: Id) -> Envelope[list[dict[str, Any]]]:
        """The 50 stories that were seen last in a feed."""
        _feed(request, database, feed_id)
        return _answer(lambda: newest_stories(database, feed_id=feed_id))

    @api.post("/api/feeds/{feed_id:int}/fetch-soon")
    def feed_soon(request: Request, feed_id: Id) -> Envelope[int]:
        """Poll a feed soon: its failures are forgotten, and a disabled feed is enabled. 409 while it is being fetched."""
        _feed(request, database, feed_id)
        try:
            fetch_soon(database, feed_id, utc_now(clock))
        except BusyError as error:
            raise HTTPException(409, str(error)) from error
        return _answer(lambda: 1)


def _add_sources(api: APIRouter, database: Database, clock: Clock) -> None:
    @api.get("/api/sources/{source_id:int}/feeds", response_model=Envelope[list[Feed]])
    def source_feeds(request: Request, source_id: Id) -> Envelope[list[dict[str, Any]]]:
        """The feeds of a source."""
        _check_source(request, database, source_id)
        return _answer(lambda: feeds_of_source(database, source_id))

    @api.get("/api/sources/{source_id:int}/stories", response_model=Envelope[list[FoundStory]])
    def source_stories(request: Request, source_id: Id) -> Envelope[list[dict[str, Any]]]:
        """The 50 stories that were seen last in a source's feeds."""
        _check_source(request, database, source_id)
        return _answer(lambda: newest_stories(database, source_id=source_id))

    @api.get("/api/sources/{source_id:int}/stories/fetched-by-day")
    def source_fetched(request: Request, source_id: Id) -> Envelope[list[Day]]:
        """A source's stories by the day they were found."""
        _check_source(request, database, source_id)
        return _answer(lambda: _days(stories_by_day(database, "fetched_at", source_id=source_id)))

    @api.get("/api/sources/{source_id:int}/stories/published-by-day")
    def source_published(request: Request, source_id: Id) -> Envelope[list[Day]]:
        """A source's stories by the day of their publication."""
        _check_source(request, database, source_id)
        return _answer(lambda: _days(stories_by_day(database, "published_at", source_id=source_id)))

    @api.post("/api/sources/{source_id:int}/fetch-soon")
    def source_soon(request: Request, source_id: Id) -> Envelope[int]:
        """Poll the feeds of a source soon, spread over three hours at most; results is how many."""
        _check_source(request, database, source_id)
        return _answer(lambda: fetch_source_soon(database, source_id, utc_now(clock)))


def _add_stories(api: APIRouter, database: Database, clock: Clock) -> None:
    def lately(days: float) -> datetime:
        return utc_now(clock) - timedelta(days=days)

    def by_day(column: str) -> list[DayCount]:
        counts = stories_by_day(database, column, since=lately(DAYS_SHOWN))
        return [DayCount(date=day, count=count, type="stories") for day, count in reversed(counts)]

    @api.get("/api/stories/fetched-by-day")
    def fetched_by_day() -> Envelope[list[DayCount]]:
        """All stories of the last 30 days by the day they were found, the oldest day first."""
        return _answer(lambda: by_day("fetched_at"))

    @api.get("/api/stories/published-by-day")
    def published_by_day() -> Envelope[list[DayCount]]:
        """All stories of the last 30 days by the day of their publication, the oldest day first."""
        return _answer(lambda: by_day("published_at"))

    @api.get("/api/stories/by-source")
    def by_source() -> Envelope[BySource]:
        """How many stories of the last 30 days each source has, and how many days back the oldest of them was found."""
        counts = top_counts(database, "sources_id", lately(DAYS_SHOWN), None)
        days = days_of_stories(database, lately(DAYS_SHOWN), utc_now(clock))
        sources = [SourceCount(sources_id=source, count=count) for source, count in counts]
        return _answer(lambda: BySource(days=days, sources=sources))

    @api.get("/api/stories/count", response_model=Envelope[list[TopCount]], response_model_exclude_unset=True)
    def story_count(
        column: Column = "domain",
        days: Days = 3,
        limit: Most = 10,
    ) -> Envelope[list[dict[str, Any]]]:
        """The domains, feeds or sources with the most stories of the last days."""
        return _answer(
            lambda: [
                {column: value, "count": count} for value, count in top_counts(database, column, lately(days), limit)
            ]
        )

    @api.get("/api/rss_entries/{first_id:int}", response_model=Envelope[list[EntryOfFeed]])
    def rss_entries(first_id: Id, limit: Most = 1) -> Envelope[list[dict[str, Any]]]:
        """Stories with this id or a later one, in order: ask again from the last id plus one, and none is missed."""
        return _answer(lambda: stories_from(database, first_id, limit))
