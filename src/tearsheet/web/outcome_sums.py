"""`/outcomes/sums`: what became of the stories of each source, feed, domain or day."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from tearsheet.app import OutcomeSum, outcome_sums
from tearsheet.clock import utc_now
from tearsheet.web.render import page
from tearsheet.web.site import Site, site_of
from tearsheet.work import By

router = APIRouter()
data_router = APIRouter(tags=["pages as data"])
KINDS: tuple[By, ...] = ("source", "feed", "domain", "day")
DAYS = (1, 7, 30, 365)
MOST = 500
Kind = Annotated[By, Query(description="`source`, `feed`, `domain` or `day`.")]
Days = Annotated[int, Query(ge=0, le=36_500, description="How many days back; 0 means all.")]


@router.get("/outcomes/sums", include_in_schema=False)
def sums_page(request: Request, by: Kind = "source", days: Days = 0) -> HTMLResponse:
    """The table for people."""
    found = find_sums(site_of(request), by, days)
    return page(
        request,
        "outcome_sums.html",
        sums=found,
        most=MOST,
        by=by,
        days=days,
        kinds=KINDS,
        choices=sorted({*DAYS, days} - {0}),
    )


@data_router.get("/outcomes/sums.json")
def sums_data(request: Request, by: Kind = "source", days: Days = 0) -> list[OutcomeSum]:
    """How many stories of each source, feed, domain or day met each outcome: the 500 largest sums, or of the newest days."""
    return find_sums(site_of(request), by, days)


def find_sums(site: Site, by: By, days: int) -> list[OutcomeSum]:
    """The sums of some days up to today, or of all."""
    since = utc_now(site.clock) - timedelta(days=days) if days else None
    return outcome_sums(site.services, by, since, limit=MOST)
