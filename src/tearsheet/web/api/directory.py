"""`/api/sources/…`: sources, collections and feeds, by the names of Media Cloud's directory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from pydantic import BaseModel, Field

from tearsheet.clock import utc_now
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.feeds.catalogue import (
    Collection,
    Listing,
    NewFeed,
    Source,
    add_feeds,
    list_collections,
    list_feeds,
    list_sources,
)
from tearsheet.web.api import models
from tearsheet.web.api.asking import LARGEST_ID
from tearsheet.web.reach import reach_of
from tearsheet.web.site import site_of

router = APIRouter(prefix="/api/sources", tags=["directory"])
PLATFORM = "online_news"
PAGE, MOST = 100, 1000
MOST_COLLECTIONS, MOST_LETTERS = 100, 500
"""Of one feed that is added: more is a mistake, and would take long."""
Kind = Literal["collections", "sources"]
CollectionName = Annotated[str, Field(max_length=MOST_LETTERS)]
Limit = Annotated[
    int, Query(ge=0, le=LARGEST_ID, description=f"Rows of a page; 0 means {PAGE}, and {MOST} is the most.")
]
Offset = Annotated[int, Query(ge=0, le=LARGEST_ID // 2, description="How many rows to pass over.")]
Id = Annotated[int, PathParameter(ge=0, le=LARGEST_ID, description="Its id.")]
OfSource = Annotated[int | None, Query(ge=0, le=LARGEST_ID, description="Only of this source, by its id.")]
OfCollection = Annotated[int | None, Query(ge=0, le=LARGEST_ID, description="Only of this collection, by its id.")]
Name = Annotated[str, Query(max_length=MOST_LETTERS, description="Part of the name or domain; case does not matter.")]
Platform = Annotated[str, Query(max_length=100, description=f"`{PLATFORM}`, or nothing: there is no other.")]
Since = Annotated[float | None, Query(description="Added or changed at this time or later, in seconds since 1970.")]
Before = Annotated[float | None, Query(description="Last added or changed before this time, in seconds since 1970.")]


@dataclass(slots=True, frozen=True)
class NewFeedReport:
    """What became of a feed to be added."""

    id: int
    added: bool


class FeedToAdd(BaseModel):
    """A feed to be added."""

    url: str
    name: str | None = Field(default=None, max_length=MOST_LETTERS)
    source_id: int | None = Field(default=None, ge=0, le=LARGEST_ID)
    collections: list[CollectionName] = Field(default_factory=list, max_length=MOST_COLLECTIONS)


def page_of(
    request: Request, found: Listing, limit: int, offset: int, shown: Callable[[Any], dict[str, Any]]
) -> dict[str, Any]:
    """A page with the addresses of the next and the previous one."""
    return {
        "count": found.count,
        "next": _address(request, limit, offset + limit) if offset + limit < found.count else None,
        "previous": _address(request, limit, max(0, offset - limit)) if offset else None,
        "results": [shown(row) for row in found.rows],
    }


def _address(request: Request, limit: int, offset: int) -> str:
    asked = dict(request.query_params) | {"limit": str(limit), "offset": str(offset)}
    return f"{request.url.replace(query='')}?{urlencode(asked)}"


def _rows(limit: int) -> int:
    return min(limit or PAGE, MOST)


def _mine(request: Request, kind: Kind) -> frozenset[int] | None:
    """The ids of the collections or sources that the visitor may see; None means all."""
    reach = reach_of(request)
    return None if reach is None else reach.collections if kind == "collections" else reach.sources


def source_shown(source: Source) -> dict[str, Any]:
    """A source as Media Cloud's clients know it: its name is its domain, its label what people call it."""
    return {
        "id": source.id,
        "name": source.domain,
        "label": source.name,
        "homepage": source.homepage,
        "platform": PLATFORM,
        "created_at": source.created_at.isoformat(),
        "collection_count": source.collections,
    }


def collection_shown(collection: Collection) -> dict[str, Any]:
    """A collection as Media Cloud's clients know it."""
    return {
        "id": collection.id,
        "name": collection.name,
        "platform": PLATFORM,
        "public": True,
        "created_at": collection.created_at.isoformat(),
        "source_count": collection.sources,
    }


def feed_shown(feed: dict[str, Any]) -> dict[str, Any]:
    """A feed as Media Cloud's clients know it."""
    return {
        "id": feed["id"],
        "source_id": feed["sources_id"],
        "source": feed["sources_id"],
        "url": feed["url"],
        "name": feed["name"] or feed["rss_title"],
        "admin_rss_enabled": feed["active"],
        "created_at": feed["created_at"].isoformat(),
        "modified_at": (feed["modified_at"] or feed["created_at"]).isoformat(),
    }


_KINDS: dict[Kind, tuple[Callable[..., Listing], Callable[[Any], dict[str, Any]]]] = {
    "collections": (list_collections, collection_shown),
    "sources": (list_sources, source_shown),
}


def _listed(request: Request, kind: Kind, of: dict[str, Any], platform: str, limit: int, offset: int) -> dict[str, Any]:
    """A page of the collections or sources that the visitor may see; none on another platform than ours."""
    find, shown = _KINDS[kind]
    found, rows = Listing([], 0), _rows(limit)
    if platform in ("", PLATFORM):
        found = find(site_of(request).services.database, ids=_mine(request, kind), limit=rows, offset=offset, **of)
    return page_of(request, found, rows, offset, shown)


def _one(request: Request, kind: Kind, number: int) -> dict[str, Any]:
    """A collection or source. Raises NotFoundError, also when the visitor may not see it."""
    find, shown = _KINDS[kind]
    found, mine = find(site_of(request).services.database, ids=[number]).rows, _mine(request, kind)
    if not found or (mine is not None and number not in mine):
        raise NotFoundError(f"there is no {kind.removesuffix('s')} {number}")
    return shown(found[0])


_DETAILS = (
    "id", "sources_id", "name", "url", "active", "system_enabled", "system_status", "last_fetch_attempt", "last_fetch_success",
    "last_fetch_failures", "next_fetch_attempt", "next_fetch_reason", "last_new_stories", "poll_minutes", "update_minutes",
    "rss_title", "created_at",
)  # fmt: skip


@router.get("/collections/", response_model=models.CollectionPage, response_model_exclude_unset=True)
def collections(
    request: Request,
    name: Name = "",
    platform: Platform = "",
    source_id: OfSource = None,
    limit: Limit = 0,
    offset: Offset = 0,
) -> dict[str, Any]:
    """Collections, all or those with a name or a source."""
    of = {"name": name, "source_id": source_id}
    return _listed(request, "collections", of, platform, limit, offset)


@router.get("/collections/{collection_id}/", response_model=models.CollectionRow, response_model_exclude_unset=True)
def collection(request: Request, collection_id: Id) -> dict[str, Any]:
    """One collection."""
    return _one(request, "collections", collection_id)


@router.get("/sources/", response_model=models.SourcePage, response_model_exclude_unset=True)
def sources(
    request: Request,
    name: Name = "",
    platform: Platform = "",
    collection_id: OfCollection = None,
    limit: Limit = 0,
    offset: Offset = 0,
) -> dict[str, Any]:
    """Sources, all or those with a name or of a collection."""
    of = {"name": name, "collection_id": collection_id}
    return _listed(request, "sources", of, platform, limit, offset)


@router.get("/sources/{source_id}/", response_model=models.SourceRow, response_model_exclude_unset=True)
def source(request: Request, source_id: Id) -> dict[str, Any]:
    """One source."""
    return _one(request, "sources", source_id)


@router.get("/feeds/details/", response_model=models.FeedDetails, response_model_exclude_unset=True)
def feed_details(request: Request, source_id: OfSource = None, limit: Limit = 0, offset: Offset = 0) -> dict[str, Any]:
    """Feeds with their polling state."""
    database, mine = site_of(request).services.database, _mine(request, "sources")
    found = list_feeds(database, source_id=source_id, source_ids=mine, limit=_rows(limit), offset=offset)
    return {"feeds": [{name: row[name] for name in _DETAILS} for row in found.rows]}


@router.get("/feeds/", response_model=models.FeedPage, response_model_exclude_unset=True)
def feeds(
    request: Request,
    source_id: OfSource = None,
    modified_since: Since = None,
    modified_before: Before = None,
    limit: Limit = 0,
    offset: Offset = 0,
) -> dict[str, Any]:
    """Feeds, all or those of a source; the two times are seconds since 1970."""
    found = list_feeds(
        site_of(request).services.database,
        source_id=source_id,
        source_ids=_mine(request, "sources"),
        since=_moment(modified_since, "modified_since"),
        before=_moment(modified_before, "modified_before"),
        limit=_rows(limit),
        offset=offset,
    )
    return page_of(request, found, _rows(limit), offset, feed_shown)


@router.post("/feeds/", status_code=201)
def add_feed(request: Request, feed: FeedToAdd) -> NewFeedReport:
    """Add a feed; it is polled at once. Needs a token that may write."""
    site = site_of(request)
    new = NewFeed(feed.url, feed.name, feed.source_id, collections=tuple(feed.collections))
    report = add_feeds(site.services.database, [new], utc_now(site.clock))
    if report.refused:
        raise UsageError(f"{report.refused[0][0][:200]}: {report.refused[0][1]}")
    return NewFeedReport((report.added or report.known)[0], bool(report.added))


def _moment(seconds: float | None, name: str) -> datetime | None:
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f"{name}: {seconds} is no time; give seconds since 1970") from error
