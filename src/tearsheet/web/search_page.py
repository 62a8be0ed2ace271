"""`/search`: one box, the query explained, attention over time, sources, languages and stories with their matches marked."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from tearsheet.app import index_for
from tearsheet.engines.index import IndexedStory
from tearsheet.errors import BusyError, NotFoundError, TooSlow, UsageError
from tearsheet.feeds.catalogue import list_collections
from tearsheet.index import ORDERS, Attention, Question, answers
from tearsheet.query import QueryError
from tearsheet.tables import can_write_parquet
from tearsheet.topics import store
from tearsheet.web.asking import LONGEST, SearchForm, ask
from tearsheet.web.charts import interval_for
from tearsheet.web.highlight import highlighters, mark, passage
from tearsheet.web.reach import Reach, reach_of
from tearsheet.web.render import page
from tearsheet.web.site import Site, site_of
from tearsheet.web.stories import StoryLine, story_line

router = APIRouter()
data_router = APIRouter(tags=["pages as data"])
PAGE = 20
TOP = 15
MOST_COLLECTIONS = 1000
SHARE = "share"
MAX_ADDRESS = 16_000
"""How long the address of a question may be: dozens of links repeat it."""
Form = Annotated[SearchForm, Depends()]
Token = Annotated[
    str, Query(max_length=LONGEST, description="`next_token` of the answer before, for the stories after it.")
]


@dataclass(slots=True, frozen=True)
class Hit:
    """A story that matches, with the passage that does."""

    story: StoryLine
    title: str
    """HTML: escaped, matches in `<mark>`."""
    passage: str
    """HTML: escaped, matches in `<mark>`."""


@dataclass(slots=True)
class Answer:
    """What the search page shows."""

    explanation: str
    count: int
    all_stories: int
    interval: str
    attention: list[Attention] = field(default_factory=list)
    undated: int = 0
    sources: list[tuple[str, int]] = field(default_factory=list)
    languages: list[tuple[str, int]] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)
    next_token: str | None = None


@router.get("/search", include_in_schema=False)
def search_page(request: Request, form: Form, token: str = "", by: str = "") -> HTMLResponse:
    """The page for people. Without a query, it explains how to ask."""
    form = form.filled_in()
    values: dict[str, Any] = {"form": form, "orders": ORDERS, "by": by, "token": token}
    reach = reach_of(request)
    values |= {"collections": _collections(site_of(request), form, reach), "wrong_query": False, "pointer": ""}
    values |= {"topics": _topics(site_of(request), form, reach)}
    if "q" not in request.query_params:
        return page(request, "search.html", answer=None, error=None, **values)
    try:
        question = form.question(token)
        _check_length(question)
        found = answer(site_of(request), question, reach)
    except (UsageError, NotFoundError, TooSlow, BusyError) as error:
        status = 404 if isinstance(error, NotFoundError) else 400 if isinstance(error, UsageError) else 503
        if isinstance(error, QueryError):
            values |= {"wrong_query": True, "pointer": error.pointer()}
        return page(request, "search.html", status_code=status, answer=None, error=error, **values)
    return page(
        request,
        "search.html",
        answer=found,
        error=None,
        points=points_of(found, by),
        question=question,
        parquet=can_write_parquet(),
        **values,
    )


def _check_length(question: Question) -> None:
    """Raises UsageError for a question that is too long for the page."""
    if (length := len(question.address())) > MAX_ADDRESS:
        raise UsageError(
            f"this page takes questions of up to {MAX_ADDRESS:,} characters as an address, and this one has {length:,}; "
            "shorten it, or use `tearsheet search`"
        )


@data_router.get("/search.json")
def search_data(request: Request, form: Form, token: Token = "") -> Answer:
    """A search: the query in English, counts over time, sources, languages, and a page of stories."""
    return answer(site_of(request), form.question(token), reach_of(request))


def answer(site: Site, question: Question, reach: Reach | None = None) -> Answer:
    """Ask the index. Raises QueryError, NotFoundError, TooSlow or BusyError."""
    asked = ask(site, question, reach)
    found = answers.outline(index_for(site.services, question), question, asked, TOP)
    interval = _interval(question, found.days)
    return Answer(
        explanation=question.explain(),
        count=found.total.count,
        all_stories=found.total.total,
        interval=interval,
        attention=between_matches(found.attention(interval)),
        undated=found.undated,
        sources=found.sources,
        languages=found.languages,
        hits=_hits(question, found.page.stories),
        next_token=found.page.next_token,
    )


def _collections(site: Site, form: SearchForm, reach: Reach | None) -> list[str]:
    """The collections to choose from, by name. The one that was asked for stays in the form even if it does not exist."""
    ids = None if reach is None else reach.collections
    names = {one.name for one in list_collections(site.services.database, ids=ids, limit=MOST_COLLECTIONS).rows}
    return sorted(names | ({form.collection} if form.collection else set()), key=str.casefold)


def _topics(site: Site, form: SearchForm, reach: Reach | None) -> list[str]:
    """The topics to choose from, by name; none for one who sees some collections only."""
    names = {topic.name for topic in store.list_topics(site.services.database)} if reach is None else set()
    return sorted(names | ({form.topic} if form.topic else set()), key=str.casefold)


def between_matches(points: list[Attention]) -> list[Attention]:
    """From the first point with a match to the last: stories before and after are not what was asked for."""
    matching = [index for index, point in enumerate(points) if point.count]
    return points[matching[0] : matching[-1] + 1] if matching else []


def points_of(found: Answer, by: str) -> list[tuple[str, float]]:
    """The chart's points: counts, or percent of all stories."""
    if by == SHARE:
        return [(point.date, round(100 * point.share, 2)) for point in found.attention]
    return [(point.date, point.count) for point in found.attention]


def _interval(question: Question, days: list[tuple[str, int]]) -> str:
    known = [date.fromisoformat(day) for day, _ in days]
    if not known:
        return "day"
    return interval_for(question.start or min(known), question.end or max(known))


def _hits(question: Question, stories: list[IndexedStory]) -> list[Hit]:
    marks = highlighters(question.parsed)
    hits = []
    for story in stories:
        line = story_line(story)
        title = mark(line.title, marks["title"].spans(line.title))
        spans = marks["text"].spans(story.text_content)
        shown = passage(story.text_content, spans) if spans else Markup.escape(line.lead)
        hits.append(Hit(line, str(title), str(shown)))
    return hits
