"""`/api/search/…`: the questions of Media Cloud's search, by the same names."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi import Query as Parameter
from fastapi.responses import StreamingResponse

from tearsheet.app import index_for
from tearsheet.engines.index import Index, IndexedStory, one_deadline
from tearsheet.errors import UsageError
from tearsheet.index import Attention, Question, WordCount, answers
from tearsheet.query import Query
from tearsheet.tables import csv_lines
from tearsheet.web.api import models
from tearsheet.web.api.asking import SearchParameters
from tearsheet.web.asking import LONGEST, ask
from tearsheet.web.charts import filled
from tearsheet.web.export import CSV_FILE, download
from tearsheet.web.reach import reach_of
from tearsheet.web.site import site_of
from tearsheet.web.stories import find_story, moment

router = APIRouter(prefix="/api/search", tags=["search"])
Parameters = Annotated[SearchParameters, Depends()]
Limit = Annotated[int, Parameter(ge=1, le=1000, description="How many rows at most.")]
PageSize = Annotated[int, Parameter(ge=1, le=1000, description="Stories of a page.")]
Token = Annotated[
    str | None, Parameter(max_length=LONGEST, description="The token of the answer before, for the stories after it.")
]
SortOrder = Annotated[
    str, Parameter(max_length=10, description="By the time they were indexed: `desc`, the newest first, or `asc`.")
]
Expanded = Annotated[bool, Parameter(description="With the full text.")]
Randomize = Annotated[bool, Parameter(description="One page at random instead.")]
Interval = Annotated[str, Parameter(max_length=10, description="`day`, `week` or `month`.")]
StoryId = Annotated[str, Parameter(alias="storyId", max_length=500, description="The id of a story.")]
INTERVALS = ("day", "week", "month")
CSV_COLUMNS = (
    "id",
    "mediacloud_id",
    "indexed_date",
    "language",
    "media_name",
    "media_url",
    "publish_date",
    "title",
    "url",
    "text",
)
MAX_DAYS = 20_000
_MAX_SOURCES = 1000


def _ask(request: Request, question: Question) -> tuple[Index, Query, Query]:
    """The index, the query with its filters, and the filters alone."""
    site = site_of(request)
    asked = ask(site, question, reach_of(request))
    return index_for(site.services, question), asked.query, asked.everything


def as_story(story: IndexedStory, *, text: bool = False) -> dict[str, Any]:
    """A story by the names that clients of Media Cloud know."""
    shown = {
        "id": story.id,
        "mediacloud_id": story.mediacloud_id,
        "media_name": story.canonical_domain,
        "media_url": story.canonical_domain,
        "title": story.article_title,
        "publish_date": story.publication_date,
        "url": story.url,
        "language": story.language,
        "indexed_date": moment(story.indexed_date).isoformat(),
    }
    return shown | {"text": story.text_content} if text else shown


def as_word(found: WordCount) -> dict[str, Any]:
    """A word by the names that clients of Media Cloud know; `ratio` is how often it occurs in a story, on average."""
    ratio = found.count / found.looked_at
    return {
        "term": found.word,
        "count": found.count,
        "ratio": ratio,
        "term_count": found.count,
        "term_ratio": ratio,
        "doc_count": found.stories,
        "doc_ratio": found.stories / found.looked_at,
        "sample_size": found.looked_at,
    }


@router.get("/total-count", response_model=models.TotalCount, response_model_exclude_unset=True)
def total_count(request: Request, parameters: Parameters) -> dict[str, Any]:
    """How many stories match, and how many there are in total in these days and sources."""
    index, query, everything = _ask(request, parameters.question())
    found = answers.count(index, query, everything)
    return {"count": {"relevant": found.count, "total": found.total}}


@router.get("/count-over-time", response_model=models.CountOverTime, response_model_exclude_unset=True)
def count_over_time(request: Request, parameters: Parameters) -> dict[str, Any]:
    """Matching stories and all stories of each day."""
    question = parameters.question()
    index, query, everything = _ask(request, question)
    with one_deadline(), site_of(request).heavy.turn():
        found = {point.date: point for point in answers.attention(index, query, "day", everything)}
        ends = [day.isoformat() for day in (question.start, question.end) if day]
        days = _every_day([*ends, *found])
        points = [found.get(day) or Attention(day, 0, 0) for day in days]
    counts = [
        {"date": point.date, "count": point.count, "total_count": point.total, "ratio": point.share} for point in points
    ]
    return {"count_over_time": {"counts": counts, "total": sum(point.count for point in points)}}


def _every_day(some: list[str]) -> list[str]:
    """All days from the first to the last. Raises UsageError if they are more than a client can use."""
    known = [date.fromisoformat(day) for day in some]
    if known and max(known) - min(known) > timedelta(days=MAX_DAYS):
        raise UsageError(
            f"start and end: {min(known)} to {max(known)} are more than {MAX_DAYS:,} days to count one by one"
        )
    return [day for day, _ in filled([(day, 0) for day in some], "day")]


@router.get("/count-by-source-week", response_model=models.SourceWeeks, response_model_exclude_unset=True)
def count_by_source_week(request: Request, parameters: Parameters) -> dict[str, Any]:
    """Matching stories and all stories of each source and week; a week is named by its Monday."""
    rows = _by_source(request, parameters, "week")
    return {
        "source-week-attention": [
            {name: row[name] for name in row if name not in ("interval", "bucket")} | {"week": row["bucket"]}
            for row in rows
        ]
    }


@router.get("/count-by-source-over-interval", response_model=models.SourceIntervals, response_model_exclude_unset=True)
def count_by_source_over_interval(
    request: Request, parameters: Parameters, interval: Interval = "week"
) -> dict[str, Any]:
    """Matching stories and all stories of each source and day, week or month."""
    if interval not in INTERVALS:
        raise UsageError(f"interval: {interval!r} is not one of {', '.join(INTERVALS)}")
    return {"source-interval-attention": _by_source(request, parameters, interval)}


def _by_source(request: Request, parameters: SearchParameters, interval: str) -> list[dict[str, Any]]:
    index, query, everything = _ask(request, parameters.question())
    with one_deadline(), site_of(request).heavy.turn():
        rows = answers.sources_over_time(index, query, interval, _MAX_SOURCES, everything)
    return [
        {
            "media_name": row.source,
            "interval": interval,
            "bucket": row.date,
            "matching_stories": row.count,
            "total_stories": row.total,
            "ratio": row.share,
        }
        for row in rows
    ]


@router.get("/story-list", response_model=models.StoryList, response_model_exclude_unset=True)
def story_list(
    request: Request,
    parameters: Parameters,
    page_size: PageSize = 1000,
    pagination_token: Token = None,
    sort_order: SortOrder = "desc",
    expanded: Expanded = False,
    randomize: Randomize = False,
) -> dict[str, Any]:
    """Stories by the time they were indexed, `desc` or `asc`; `randomize` gives one page at random; `expanded` the text."""
    index, query, _ = _ask(request, parameters.question())
    if randomize:
        found, token = index.sample(query, page_size), None
    else:
        orders = {"desc": "indexed-newest", "asc": "indexed-oldest"}
        if sort_order not in orders:
            raise UsageError(f"sort_order: {sort_order!r} is not one of asc, desc")
        some = index.search(
            query, limit=page_size, token=pagination_token or None, order=orders[sort_order], text=expanded
        )
        found, token = some.stories, some.next_token
    return {"stories": [as_story(story, text=expanded) for story in found], "pagination_token": token}


@router.get("/sample", response_model=models.Sample, response_model_exclude_unset=True)
def sample(request: Request, parameters: Parameters, limit: Limit = 10, expanded: Expanded = False) -> dict[str, Any]:
    """A random sample of the matching stories."""
    index, query, _ = _ask(request, parameters.question())
    found = answers.sample(index, query, limit)
    return {"sample": [as_story(story, text=expanded) for story in found]}


@router.get("/story", response_model=models.OneStory, response_model_exclude_unset=True)
def story(request: Request, story_id: StoryId) -> dict[str, Any]:
    """One story by its id, with its full text."""
    return {"story": as_story(find_story(site_of(request), story_id, reach_of(request)), text=True)}


@router.get("/sources", response_model=models.TopSources, response_model_exclude_unset=True)
def sources(request: Request, parameters: Parameters, limit: Limit = 10) -> dict[str, Any]:
    """The sources with the most matching stories."""
    index, query, _ = _ask(request, parameters.question())
    return {"sources": [{"source": name, "count": count} for name, count in answers.top_sources(index, query, limit)]}


@router.get("/languages", response_model=models.TopLanguages, response_model_exclude_unset=True)
def languages(request: Request, parameters: Parameters, limit: Limit = 10) -> dict[str, Any]:
    """The languages of the matching stories; `ratio` is their share of these."""
    index, query, _ = _ask(request, parameters.question())
    with one_deadline():
        total = index.count(query)
        found = answers.languages(index, query, limit)
    return {"languages": [{"language": name, "value": count, "ratio": count / total} for name, count in found]}


@router.get("/words", response_model=models.Words, response_model_exclude_unset=True)
def words(request: Request, parameters: Parameters, limit: Limit = 100) -> dict[str, Any]:
    """The most frequent words of the matching stories, or of a random sample when there are very many."""
    index, query, _ = _ask(request, parameters.question())
    with one_deadline(), site_of(request).heavy.turn():
        found = answers.words(index, query, limit)
    return {"words": [as_word(word) for word in found]}


@router.get("/download-all-content-csv", response_class=StreamingResponse, responses=CSV_FILE)
def download_all_content_csv(request: Request, parameters: Parameters) -> StreamingResponse:
    """Every matching story as a row of CSV, with its full text."""
    index, query, _ = _ask(request, parameters.question())
    stories = (as_story(one, text=True) for one in answers.all_stories(index, query, order="indexed-newest"))
    rows = ([story[name] for name in CSV_COLUMNS] for story in stories)
    return download(csv_lines(CSV_COLUMNS, rows), "text/csv; charset=utf-8", "content.csv")
