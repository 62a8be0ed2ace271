"""`/outcomes`: every story that was dropped, quarantined or is to be retried, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse

from tearsheet.errors import UsageError
from tearsheet.web.asking import LONGEST
from tearsheet.web.reasons import describe_reason
from tearsheet.web.render import page
from tearsheet.web.site import Site, site_of
from tearsheet.work import DROPPED, QUARANTINED, RETRYING, Count, Explanation

router = APIRouter()
data_router = APIRouter(tags=["pages as data"])
STATUSES = (DROPPED, QUARANTINED, RETRYING)
PAGE = 50
Token = Annotated[
    str, Query(max_length=500, description="`next_token` of the answer before, for the outcomes after it.")
]


@dataclass(slots=True, frozen=True)
class Filters:
    """What is asked for; an empty value means everything."""

    status: Annotated[str, Query(max_length=50, description="`dropped`, `quarantined` or `retrying`.")] = DROPPED
    stage: Annotated[str, Query(max_length=100, description="A stage, as `fetcher`.")] = ""
    reason: Annotated[str, Query(max_length=100, description="A reason, as `http-404`.")] = ""
    domain: Annotated[str, Query(max_length=500, description="A domain, as `example.com`.")] = ""
    url: Annotated[
        str, Query(max_length=LONGEST, description="An address, exactly: as the story was queued, or as it was found.")
    ] = ""

    def given(self) -> dict[str, str]:
        """Those that are not empty."""
        every = {name: str(getattr(self, name)).strip() for name in self.__slots__}
        return {name: value for name, value in every.items() if value}


@dataclass(slots=True, frozen=True)
class EarlierOutcome:
    """What a story met before at the same stage."""

    status: str
    reason: str
    words: str
    detail: str
    happened_at: datetime


@dataclass(slots=True, frozen=True)
class Outcome:
    """What became of one story at one stage."""

    url: str
    domain: str
    stage: str
    status: str
    reason: str
    words: str
    detail: str
    happened_at: datetime
    story_id: str
    link: str
    """The address that was queued, where it is another one."""
    earlier: list[EarlierOutcome]


@dataclass(slots=True, frozen=True)
class OutcomePage:
    """Some outcomes, newest first, and a token for the next page (None if this is the last)."""

    outcomes: list[Outcome]
    next_token: str | None


@router.get("/outcomes", include_in_schema=False)
def outcomes_page(request: Request, filters: Annotated[Filters, Depends()], token: str = "") -> HTMLResponse:
    """The list for people."""
    site = site_of(request)
    found = find_outcomes(site, filters, token)
    counts = site.services.ledger.counts()
    return page(
        request,
        "outcomes.html",
        filters=filters,
        found=found,
        statuses=STATUSES,
        choices=choices(counts),
        reasons=[count for count in counts if count.status == filters.status],
        next_url=_next_url(filters, found.next_token),
    )


@data_router.get("/outcomes.json")
def outcomes_data(request: Request, filters: Annotated[Filters, Depends()], token: Token = "") -> OutcomePage:
    """Stories that were dropped, put aside or are to be tried again, the newest first, each with its reason."""
    return find_outcomes(site_of(request), filters, token)


def find_outcomes(site: Site, filters: Filters, token: str = "") -> OutcomePage:
    """A page of outcomes. Raises UsageError for an invalid token."""
    ledger = site.services.ledger
    rows = ledger.find(filters.given(), limit=PAGE + 1, after=_read_token(token))
    more = len(rows) > PAGE
    shown = rows[:PAGE]
    tries = ledger.tries([row.story_id for row in shown])
    return OutcomePage([_outcome(row, tries) for row in shown], _make_token(rows[PAGE - 1]) if more else None)


def choices(counts: list[Count]) -> dict[str, list[str]]:
    """The stages and reasons that occur, for the form."""
    return {
        "stage": sorted({count.stage for count in counts}),
        "reason": sorted({count.reason for count in counts if count.reason}),
    }


def _outcome(row: Explanation, tries: Sequence[Explanation]) -> Outcome:
    mine = [one for one in tries if (one.story_id, one.stage) == (row.story_id, row.stage) and one != row]
    return Outcome(
        row.url,
        row.domain,
        row.stage,
        row.status,
        row.reason,
        describe_reason(row.reason),
        row.detail,
        row.happened_at,
        row.story_id,
        row.link,
        [
            EarlierOutcome(one.status, one.reason, describe_reason(one.reason), one.detail, one.happened_at)
            for one in mine
        ],
    )


def _make_token(row: Explanation) -> str:
    return f"{row.happened_at.isoformat()}~{row.story_id}~{row.stage}"


def _read_token(token: str) -> tuple[datetime, str, str] | None:
    if not token:
        return None
    try:
        moment, story_id, stage = token.split("~")
        when = datetime.fromisoformat(moment)
        if when.tzinfo is None:
            raise ValueError("no zone")
    except ValueError as error:
        raise UsageError("this token for the next page is not one of ours: start at the first page") from error
    return when, story_id, stage


def _next_url(filters: Filters, token: str | None) -> str | None:
    if token is None:
        return None
    every = {name: getattr(filters, name) for name in filters.__slots__}
    return "/outcomes?" + urlencode(every | {"token": token})
