"""Whose token it is, what the rate limit is, and which version is running."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from tearsheet import __version__
from tearsheet.app import WRITE
from tearsheet.web.api import models
from tearsheet.web.guard import Visitor
from tearsheet.web.site import site_of

router = APIRouter(prefix="/api", tags=["account"])
PLATFORM = "onlinenews-mediacloud"


@router.get("/search/api-params", response_model=models.ApiParameters, response_model_exclude_unset=True)
def api_params(request: Request) -> dict[str, Any]:
    """What a client should know before it asks: how many requests a minute are answered."""
    per_minute = site_of(request).services.settings.web.requests_per_minute
    rate = {"query-rate": f"{per_minute}/m"} if per_minute else {}
    return {"params": {**rate, "platforms": [PLATFORM], "max-page-size": 1000}}


@router.get("/auth/profile", response_model=models.Profile, response_model_exclude_unset=True)
def profile(request: Request) -> dict[str, Any]:
    """Whose token this is, and what it may do."""
    visitor: Visitor = request.scope["visitor"]
    return {
        "username": visitor.name,
        "rights": visitor.rights,
        "is_staff": visitor.rights == WRITE,
        "local": visitor.local,
        "roles": [visitor.rights],
        "collections": visitor.collections,
    }


@router.get("/version", response_model=models.Version, response_model_exclude_unset=True)
def version(request: Request) -> dict[str, Any]:
    """The version of this server, and its clock; by the names of Media Cloud's search and of its rss-fetcher."""
    searching = {"GIT_REV": __version__, "version": __version__, "now": site_of(request).clock()}
    return searching | {"duration": 0, "status": "OK", "results": __version__}
