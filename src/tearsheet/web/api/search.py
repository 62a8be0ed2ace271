"""`/api/search/…`: the questions of Media Cloud's search, by the same names."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse

from tearsheet.engines.ports import Index, IndexedStory
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.web.api.asking import Asked as AskedFor
from tearsheet.web.api.words import top_words
from tearsheet.web.charts import filled
from tearsheet.web.export import all_stories, csv_lines
from tearsheet.web.site import Site, site_of
from tearsheet.web.stories import moment

router = APIRouter(prefix="/api/search", tags=["search"])
Asked = Annotated[AskedFor, Depends()]
Limit = Annotated[int, Query(ge=1, le=1000)]
INTERVALS = ("day", "week", "month")
CSV_COLUMNS = (
    "id", "indexed_date", "language", "media_name", "media_url", "publish_date", "title", "url", "text",
)  # fmt: skip
_MAX_SOURCES = 1000
_WORDS_FROM = 1000
"""Stories from which the most frequent words are counted; of more, a random sample."""


def _index(request: Request) -> Index:
    return site_of(request).services.index


def _site(request: Request) -> Site:
    return site_of(request)


def as_story(story: IndexedStory, *, text: bool = False) -> dict[str, Any]:
    """A story by the names that clients of Media Cloud know."""
    shown = {
        "id": story.id,
        "media_name": story.canonical_domain,
        "media_url": story.canonical_domain,
        "title": story.article_title,
        "publish_date": story.publication_date,
        "url": story.url,
        "language": story.language,
        "indexed_date": moment(story.indexed_date).isoformat(),
    }
    return shown | {"text": story.text_content} if text else shown


def ratio(part: int, whole: int) -> float:
    """A share; 0 of nothing is 0."""
    return part / whole if whole else 0.0


@router.get("/total-count")
def total_count(request: Request, asked: Asked) -> dict[str, Any]:
    """How many stories match, and how many there are at all in these days and sources."""
    index, database = _index(request), _site(request).services.database
    return {
        "count": {
            "relevant": index.count(asked.query(database)),
            "total": index.count(asked.everything(database)),
        }
    }


@router.get("/count-over-time")
def count_over_time(request: Request, asked: Asked) -> dict[str, Any]:
    """Matching stories and all stories of each day."""
    index, database = _index(request), _site(request).services.database
    found = dict(index.over_time(asked.query(database), "day"))
    every = dict(index.over_time(asked.everything(database), "day"))
    first, last = asked.days()
    ends = {day.isoformat(): 0 for day in (first, last) if day}
    days = [day for day, _ in filled(list((ends | every).items()), "day")]
    counts = [
        {"date": day, "count": found.get(day, 0), "total_count": every.get(day, 0),
         "ratio": ratio(found.get(day, 0), every.get(day, 0))}
        for day in days
    ]  # fmt: skip
    return {"count_over_time": {"counts": counts, "total": sum(found.values())}}


@router.get("/count-by-source-week")
def count_by_source_week(request: Request, asked: Asked) -> dict[str, Any]:
    """Matching stories and all stories of each source and week; a week is named by its Monday."""
    rows = _by_source(request, asked, "week")
    return {
        "source-week-attention": [
            {name: row[name] for name in row if name not in ("interval", "bucket")} | {"week": row["bucket"]}
            for row in rows
        ]
    }


@router.get("/count-by-source-over-interval")
def count_by_source_over_interval(request: Request, asked: Asked, interval: str = "week") -> dict[str, Any]:
    """Matching stories and all stories of each source and day, week or month."""
    if interval not in INTERVALS:
        raise UsageError(f"interval: {interval!r} is not one of {', '.join(INTERVALS)}")
    return {"source-interval-attention": _by_source(request, asked, interval)}


def _by_source(request: Request, asked: AskedFor, interval: str) -> list[dict[str, Any]]:
    index, database = _index(request), _site(request).services.database
    found = index.top_over_time(asked.query(database), "canonical_domain", interval, _MAX_SOURCES)
    names = {name for name, _, _ in found}
    everything = asked.everything(database).within(domains=names)
    every = {
        (name, day): count
        for name, day, count in index.top_over_time(everything, "canonical_domain", interval, max(1, len(names)))
    }
    return [
        {
            "media_name": name,
            "interval": interval,
            "bucket": day,
            "matching_stories": count,
            "total_stories": every.get((name, day), count),
            "ratio": ratio(count, every.get((name, day), count)),
        }
        for name, day, count in found
    ]


@router.get("/story-list")
def story_list(
    request: Request,
    asked: Asked,
    page_size: Limit = 1000,
    pagination_token: str | None = None,
    sort_order: str = "desc",
    expanded: bool = False,
    randomize: bool = False,
) -> dict[str, Any]:
    """Stories by the moment of their indexing, `desc` or `asc`; `randomize` gives one page at random; `expanded` the text."""
    index, query = _index(request), asked.query(_site(request).services.database)
    if randomize:
        found, token = index.sample(query, page_size), None
    else:
        orders = {"desc": "newest", "asc": "oldest"}
        if sort_order not in orders:
            raise UsageError(f"sort_order: {sort_order!r} is not one of asc, desc")
        some = index.search(query, limit=page_size, token=pagination_token, order=orders[sort_order], text=expanded)
        found, token = some.stories, some.next_token
    return {"stories": [as_story(story, text=expanded) for story in found], "pagination_token": token}


@router.get("/sample")
def sample(request: Request, asked: Asked, limit: Limit = 10, expanded: bool = False) -> dict[str, Any]:
    """Some of the matching stories at random."""
    found = _index(request).sample(asked.query(_site(request).services.database), limit)
    return {"sample": [as_story(story, text=expanded) for story in found]}


@router.get("/story")
def story(request: Request, story_id: Annotated[str, Query(alias="storyId")]) -> dict[str, Any]:
    """One story by its id, with its full text."""
    found = _index(request).get([story_id])[0]
    if found is None:
        raise NotFoundError(f"there is no story {story_id!r}")
    return {"story": as_story(found, text=True)}


@router.get("/sources")
def sources(request: Request, asked: Asked, limit: Limit = 10) -> dict[str, Any]:
    """The sources with the most matching stories."""
    found = _index(request).top(asked.query(_site(request).services.database), "canonical_domain", limit)
    return {"sources": [{"source": name, "count": count} for name, count in found]}


@router.get("/languages")
def languages(request: Request, asked: Asked, limit: Limit = 10) -> dict[str, Any]:
    """The languages of the matching stories; `ratio` is their share of these."""
    index, query = _index(request), asked.query(_site(request).services.database)
    found, total = index.top(query, "language", limit), index.count(query)
    return {"languages": [{"language": name, "value": count, "ratio": ratio(count, total)} for name, count in found]}


@router.get("/words")
def words(request: Request, asked: Asked, limit: Limit = 100) -> dict[str, Any]:
    """The most frequent words of the matching stories, or of a random sample when there are very many."""
    stories = _index(request).sample(asked.query(_site(request).services.database), _WORDS_FROM)
    return {"words": top_words([one.text_content for one in stories], limit)}


@router.get("/download-all-content-csv", response_class=StreamingResponse)
def download_all_content_csv(request: Request, asked: Asked) -> StreamingResponse:
    """Every matching story as a row of CSV, with its full text."""
    stories = all_stories(_index(request), asked.query(_site(request).services.database))
    lines = csv_lines((as_story(one, text=True) for one in stories), CSV_COLUMNS)
    headers = {"content-disposition": 'attachment; filename="content.csv"'}
    return StreamingResponse(lines, media_type="text/csv; charset=utf-8", headers=headers)
