"""`/topics`: the progress of each topic, and its snapshots, each as a page with a map and tables."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated

from fastapi import APIRouter, Request
from fastapi import Path as PathParameter
from fastapi.responses import HTMLResponse

from tearsheet.app import Services, searchable_ids
from tearsheet.engines.database import Database
from tearsheet.errors import UsageError
from tearsheet.topics import Topic, store
from tearsheet.topics.snapshot import list_snapshots, load_snapshot
from tearsheet.web.render import page
from tearsheet.web.site import site_of

router = APIRouter(default_response_class=HTMLResponse)
data_router = APIRouter(tags=["pages as data"])
SNAPSHOT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""A snapshot's page has its own script and style inline, so that it opens from disk; here it also gets its own origin."""
_KEPT_PAGES = 8
Number = Annotated[int, PathParameter(ge=1, le=2**53)]


@dataclass(slots=True, frozen=True)
class SnapshotLine:
    """A snapshot in a list."""

    id: int
    created_at: datetime
    note: str
    sha256: str


@dataclass(slots=True, frozen=True)
class TopicView:
    """A topic, its progress, and its snapshots."""

    id: int
    name: str
    query: str
    start: date | None
    end: date | None
    state: str
    message: str
    stories: int
    not_relevant: int
    over_budget: int
    over_cap: int
    left_out: int
    links: int
    iteration: int
    max_iterations: int
    failed_requests: int
    errors: int
    waiting_for: str
    put_off: int
    snapshots: list[SnapshotLine]


@router.get("/topics", include_in_schema=False)
def topics_page(request: Request) -> HTMLResponse:
    """All topics."""
    return page(request, "topics.html", topics=_views(request))


@data_router.get("/topics.json")
def topics_data(request: Request) -> list[TopicView]:
    """All topics, their progress, and their snapshots."""
    return _views(request)


@router.get("/topics/{topic}/snapshots/{snapshot}", include_in_schema=False)
def snapshot_page(request: Request, topic: Number, snapshot: Number) -> HTMLResponse:
    """A snapshot's map, sources, stories and timespans."""
    pages: SnapshotPages = request.app.state.snapshot_pages
    services = site_of(request).services
    html = pages.get(services, store.find_topic(services.database, topic), snapshot)
    return HTMLResponse(html, headers={"content-security-policy": SNAPSHOT_POLICY})


def _views(request: Request) -> list[TopicView]:
    database = site_of(request).services.database
    return [_view(database, topic) for topic in store.list_topics(database)]


def _view(database: Database, topic: Topic) -> TopicView:
    progress = store.progress_of(database, topic)
    return TopicView(
        id=topic.id,
        name=topic.name,
        query=topic.query,
        start=topic.start,
        end=topic.end,
        state=topic.state,
        message=topic.message,
        stories=progress.stories,
        not_relevant=progress.not_relevant,
        over_budget=progress.over_budget,
        over_cap=progress.over_cap,
        left_out=progress.left_out,
        links=progress.links,
        iteration=progress.iteration,
        max_iterations=topic.max_iterations,
        failed_requests=progress.failed_requests,
        errors=progress.errors,
        waiting_for=progress.describe_waiting(),
        put_off=progress.put_off,
        snapshots=[
            SnapshotLine(row.id, row.created_at, row.note, row.digest)
            for row in reversed(list_snapshots(database, topic.id))
        ],
    )


class SnapshotPages:
    """The pages of snapshots, which never change: each is made once, one at a time, and the last few are kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, int], str] = OrderedDict()

    def get(self, services: Services, topic: Topic, snapshot: int) -> str:
        """A page. Raises NotFoundError, and UsageError for a topic that is too large to be drawn while somebody waits."""
        from tearsheet.topics.snapshot import (
            LARGE,
            page_of,  # these import numpy, which no other page needs
        )

        key = (topic.id, snapshot)
        with self._lock:
            if key not in self._kept:
                frozen = load_snapshot(services.database, topic, snapshot)
                if len(frozen.stories) + len(frozen.links) >= LARGE:
                    raise UsageError(
                        f"this topic is too large to be drawn while you wait: `tearsheet topic map {topic.name!r} map.html` does it"
                    )
                self._kept[key] = page_of(frozen, searchable_ids(services, [story.id for story in frozen.stories]))
                while len(self._kept) > _KEPT_PAGES:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]
