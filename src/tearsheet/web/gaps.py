"""`/gaps`: days on which a source brought far fewer stories than usual, and why."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from tearsheet.clock import utc_now
from tearsheet.feeds.catalogue import CoverageGap, coverage_gaps
from tearsheet.web.render import page
from tearsheet.web.site import Site, site_of

router = APIRouter()
data_router = APIRouter(tags=["pages as data"])
DAYS = (7, 30, 90, 365)
Days = Annotated[int, Query(ge=1, le=DAYS[-1], description="How many days back, up to yesterday.")]
Domain = Annotated[str, Query(max_length=500, description="Only this source, as `example.com`.")]


@router.get("/gaps", include_in_schema=False)
def gaps_page(request: Request, days: Days = 30, domain: Domain = "") -> HTMLResponse:
    """The list for people."""
    found = find_gaps(site_of(request), days, domain)
    return page(request, "gaps.html", gaps=found, days=days, domain=domain.strip(), choices=sorted({*DAYS, days}))


@data_router.get("/gaps.json")
def gaps_data(request: Request, days: Days = 30, domain: Domain = "") -> list[CoverageGap]:
    """Days on which a source brought far fewer stories than usual, the largest gaps first."""
    return find_gaps(site_of(request), days, domain)


def find_gaps(site: Site, days: int, domain: str) -> list[CoverageGap]:
    """The gaps of the last days up to yesterday."""
    services = site.services
    last = utc_now(site.clock).date() - timedelta(days=1)
    domains = {domain.strip().lower()} if domain.strip() else None
    first = last - timedelta(days=days - 1)
    return coverage_gaps(services.index, services.ledger, services.database, first, last, domains)
