"""The pages for people, each with its data as JSON at the same address plus `.json`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi import Path as PathParameter
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from tearsheet.archive import in_frame
from tearsheet.engines.broker import Depth
from tearsheet.web.charts import last_days
from tearsheet.web.overview import Overview, overview
from tearsheet.web.reach import reach_of
from tearsheet.web.remember import Remembered
from tearsheet.web.render import page
from tearsheet.web.site import depths_of, site_of
from tearsheet.web.stories import StoryView, captured_page, find_story, view_of

router = APIRouter(default_response_class=HTMLResponse)
data_router = APIRouter(tags=["pages as data"])

Depths = Annotated[dict[str, Depth], Depends(depths_of)]
StoryId = Annotated[
    str, PathParameter(pattern="^[0-9a-f]{64}$", description="SHA-256 of the story's normalised address.")
]


@router.get("/", include_in_schema=False)
def front_page(request: Request, depths: Depths) -> HTMLResponse:
    """What was collected, what was left out and why, what waits, and the latest stories."""
    found = _overview(request, depths)
    return page(request, "front.html", found=found, window=last_days(found.days, found.at.date()))


@data_router.get("/overview.json")
def front_page_data(request: Request, depths: Depths) -> Overview:
    """The figures of the front page."""
    return _overview(request, depths)


def _overview(request: Request, depths: dict[str, Depth]) -> Overview:
    """The figures, remembered for a while, because pages that refresh themselves ask for them often."""
    remembered: Remembered[Overview] = request.app.state.overview
    return remembered.get(lambda: overview(site_of(request), depths))


@data_router.get("/stories/{identifier}.json")
def story_data(request: Request, identifier: StoryId) -> StoryView:
    """A story with its text, its metadata and its archive record."""
    return view_of(site_of(request), identifier, reach_of(request))


@router.get("/stories/{identifier}", include_in_schema=False)
def story_page(request: Request, identifier: StoryId) -> HTMLResponse:
    """A story with its text, its metadata and its archive record."""
    return page(request, "story.html", story=view_of(site_of(request), identifier, reach_of(request)))


@router.get("/stories/{identifier}/replay", include_in_schema=False)
def replay_page(request: Request, identifier: StoryId) -> HTMLResponse:
    """The captured page, in a frame in which it can do nothing."""
    site = site_of(request)
    story = find_story(site, identifier, reach_of(request))
    return page(request, "replay.html", story=story, capture=captured_page(site, story))


@router.get("/stories/{identifier}/capture", include_in_schema=False)
def capture(request: Request, identifier: StoryId) -> Response:
    """The captured page itself, for that frame only; opened directly, it redirects to the frame."""
    if not in_frame(request.headers.get("sec-fetch-dest")):
        return RedirectResponse(f"/stories/{identifier}/replay", 303)
    site = site_of(request)
    shown = captured_page(site, find_story(site, identifier, reach_of(request))).page
    return Response(shown.body, headers=shown.headers)
