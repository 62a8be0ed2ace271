"""How far a token reaches: everything, or the sources of some collections.

A route that cannot leave out what a token may not see is refused for it: it is closed to such tokens unless it is named here.
"""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import HTTPException, Request

from tearsheet.engines.database import Database
from tearsheet.engines.index import IndexedStory
from tearsheet.errors import NotFoundError
from tearsheet.feeds.catalogue import find_collection, list_collections, members_of
from tearsheet.index import Asked

NARROWED = frozenset(
    {"/search", "/search.json", "/search.jsonl", "/search.csv", "/search.parquet",
     "/stories/{identifier}", "/stories/{identifier}.json", "/stories/{identifier}/replay", "/stories/{identifier}/capture",
     "/api/search/total-count", "/api/search/count-over-time", "/api/search/count-by-source-week",
     "/api/search/count-by-source-over-interval", "/api/search/story-list", "/api/search/sample", "/api/search/story",
     "/api/search/sources", "/api/search/languages", "/api/search/words", "/api/search/download-all-content-csv",
     "/api/sources/collections/", "/api/sources/collections/{collection_id}/", "/api/sources/sources/",
     "/api/sources/sources/{source_id}/", "/api/sources/feeds/details/", "/api/sources/feeds/",
     "/api/feeds/{feed_id:int}", "/api/feeds/{feed_id:int}/history", "/api/feeds/{feed_id:int}/stories",
     "/api/feeds/{feed_id:int}/fetch-soon", "/api/sources/{source_id:int}/feeds", "/api/sources/{source_id:int}/stories",
     "/api/sources/{source_id:int}/stories/fetched-by-day", "/api/sources/{source_id:int}/stories/published-by-day",
     "/api/sources/{source_id:int}/fetch-soon"}
)  # fmt: skip
"""Routes that show such a token its own collections only."""
UNCONCERNED = frozenset({"/healthz", "/readyz", "/api", "/api/version", "/api/auth/profile", "/api/search/api-params"})
"""Routes that show nothing that was collected."""


@dataclass(slots=True, frozen=True)
class Reach:
    """The sources that a visitor sees, by domain and by id, and their collections."""

    collections: frozenset[int]
    domains: frozenset[str]
    sources: frozenset[int]

    def narrow(self, asked: Asked) -> Asked:
        """The same question, of these sources only: also the whole that shares are computed of."""
        query, everything = (
            whole.within(domains=self.domains, sources=self.sources) for whole in (asked.query, asked.everything)
        )
        return Asked(query, everything)

    def has_story(self, story: IndexedStory) -> bool:
        """Whether a story is of one of these sources."""
        return story.canonical_domain in self.domains or story.source_id in self.sources


def check_route(request: Request) -> None:
    """Refuse a token for some collections where a route cannot be narrowed to them. A dependency of every route."""
    if collections_of(request) is None:
        return
    path = request.scope["route"].path
    adds = path == "/api/sources/feeds/" and request.method == "POST"  # it could put any source into its collections
    if adds or (path not in NARROWED and path not in UNCONCERNED):
        raise HTTPException(403, "this token is for some collections only, and this shows or changes more: see /search")


def collections_of(request: Request) -> tuple[str, ...] | None:
    """The names of the collections that the visitor is confined to; None means no limit."""
    visitor = request.scope.get("visitor")
    return None if visitor is None else visitor.collections


def reach_of(request: Request) -> Reach | None:
    """How far this visitor sees; None means everything."""
    names = collections_of(request)
    return None if names is None else read_reach(request.app.state.site.services.database, names)


def read_reach(database: Database, names: tuple[str, ...]) -> Reach:
    """The members of these collections as they are now. A collection that was removed has none."""
    ids = set()
    for name in names:
        try:
            ids.add(find_collection(database, name))
        except NotFoundError:
            continue
    # By name: a number would also find another collection by its id.
    kept = frozenset(one.id for one in list_collections(database, ids=ids, limit=len(ids)).rows if one.name in names)
    domains, sources = members_of(database, collection_ids=kept)
    return Reach(kept, frozenset(domains), frozenset(sources))
