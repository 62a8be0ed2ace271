"""The index port on a search server: OpenSearch or Elasticsearch, which understand the same requests.

Stories are searched through an alias, behind which there are as many indices as were needed; `search_server_writing` fills them.
"""

from __future__ import annotations

import base64
import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import date
from typing import Any

from tearsheet.chunks import chunks
from tearsheet.counts import how_many
from tearsheet.engines.index.dates import by_interval, first_day, in_parts
from tearsheet.engines.index.deadline import QUERY_SECONDS, seconds_left, too_slow
from tearsheet.engines.index.life_cycle import LifeCycle, kept_until
from tearsheet.engines.index.port import MAX_OFFSET, AddResult, IndexedStory, Page, Survey
from tearsheet.engines.index.search_server_clients import (
    PORTS,
    SETTING,
    OutOfTime,
    Patient,
    Refused,
    SearchClient,
    client_for,
    whole,
)
from tearsheet.engines.index.search_server_mapping import MAX_LOT, from_source
from tearsheet.engines.index.search_server_query import to_search
from tearsheet.engines.index.search_server_removing import drop_removed, remove_stories
from tearsheet.engines.index.search_server_writing import BULK_STORIES, StoryWriter
from tearsheet.engines.index.turns import Turns
from tearsheet.engines.server import PATIENCE_SECONDS, parse_server_url
from tearsheet.errors import ConfigError, EngineError
from tearsheet.query import Query, QueryError, cost_of

DEFAULT_ALIAS = "mc_search"
_MAX_BUCKETS = 10_000
_MAX_COUNTS = 60_000
"""The servers return 65,536 at a time, unless configured otherwise."""
_KEEP_ALIVE = "3m"
_GRACE_SECONDS = 1.0
"""How much longer than its deadline we wait for the server, which may still be writing its answer."""
_RUNNING, _WAITING = 16, 8
_SERVER_ERROR = 500
_OPTIONS = {"shards": 1, "replicas": 1}
_INDEXED = {way: [{"indexed_nanos": way}, {"lot": way}] for way in ("desc", "asc")}
_PUBLISHED = {way: [{"publication_date": {"order": way, "missing": "_last"}}, *_INDEXED[way]] for way in _INDEXED}
_BY_DATE = {
    "newest": _PUBLISHED["desc"],
    "oldest": _PUBLISHED["asc"],
    "indexed-newest": _INDEXED["desc"],
    "indexed-oldest": _INDEXED["asc"],
}
_WITHOUT_TEXT = {"excludes": ["text_content"]}


def open_search_server(
    url: str,
    patience: float = PATIENCE_SECONDS,
    query_seconds: float = QUERY_SECONDS,
    life: LifeCycle = LifeCycle(),
) -> SearchServerIndex:
    """The index of `opensearch://HOST:PORT/ALIAS` or `elasticsearch://HOST:PORT/ALIAS`.

    Options follow a question mark: `shards` and `replicas` of a new index.
    """
    server = parse_server_url(url, SETTING, PORTS)
    options = dict(server.options)
    if "rollover" in options:
        raise ConfigError(f"{SETTING}: instead of ?rollover=, write engines.index_rollover_stories")
    try:
        numbers = {name: int(options.pop(name, default)) for name, default in _OPTIONS.items()}
    except ValueError as error:
        raise ConfigError(f"{SETTING}: {', '.join(_OPTIONS)} are numbers") from error
    if options:
        raise ConfigError(f"{SETTING}: unknown option {sorted(options)[0]!r}; there are {', '.join(_OPTIONS)}")
    alias = server.path.strip("/") or DEFAULT_ALIAS
    client = client_for(server)
    return SearchServerIndex(client, alias, patience=patience, query_seconds=query_seconds, life=life, **numbers)


class SearchServerIndex:
    """The `Index` port on a search server."""

    def __init__(
        self,
        client: SearchClient,
        alias: str = DEFAULT_ALIAS,
        *,
        shards: int = 1,
        replicas: int = 1,
        life: LifeCycle = LifeCycle(),
        patience: float = PATIENCE_SECONDS,
        query_seconds: float = QUERY_SECONDS,
    ) -> None:
        self.alias = alias
        self._query_seconds = query_seconds
        self._turns = Turns(_RUNNING, _WAITING, query_seconds)
        self._client = client
        self._patient = Patient(client, patience)
        self._ask = self._patient.ask
        self._unseen = False
        self.writer = StoryWriter(self._patient, alias, life)
        self.writer.prepare(shards, replicas)

    def add(self, stories: Sequence[IndexedStory]) -> list[AddResult]:
        """Add stories, durably, and say for each what became of it, in order. Raises ItemRefused for one that cannot be taken."""
        self._unseen = self._unseen or bool(stories)
        return self.writer.add(stories)

    def remove(self, ids: Sequence[str]) -> int:
        """Remove stories from all indices behind the alias."""
        return remove_stories(self._patient, self.writer.indices(), ids)

    def scrub(self) -> None:
        """Have the server merge the segments that hold removed stories."""
        drop_removed(self._patient, self.writer.indices())

    def refresh(self) -> None:
        """Make everything that was added visible to searches now."""
        self._ask("POST", f"/{self.alias}/_refresh")
        self._unseen = False

    def close(self) -> None:
        """Make what was added visible, and close."""
        try:
            if self._unseen:
                self.refresh()
        finally:
            self._client.close()

    def describe(self) -> str:
        """How many indices there are, and until when the oldest is kept."""
        parts = self.writer.parts()
        ends = kept_until(self.writer.life, parts)
        kept = f"; the oldest is kept until {date.fromtimestamp(min(ends.values()))}" if ends else ""
        return f"{how_many(sum(part.stories for part in parts), 'story')}, indices: {len(parts)}{kept}"

    # --------------------------------------------------------------------------------------------------- reading

    def get(self, ids: Sequence[str]) -> list[IndexedStory | None]:
        """Stories by id (the hash of the normalised URL), in order."""
        found: dict[str, IndexedStory] = {}
        for some in chunks(ids, BULK_STORIES):
            answer = whole(
                self._ask(
                    "POST", f"/{self.alias}/_search", None, {"query": {"ids": {"values": some}}, "size": len(some)}
                )
            )
            found |= {hit["_id"]: from_source(hit["_id"], hit["_source"]) for hit in answer["hits"]["hits"]}
        return [found.get(identifier) for identifier in ids]

    def count(self, query: Query) -> int:
        """How many stories match."""
        body = {"query": to_search(query.tree), "size": 0, "track_total_hits": True}
        with self._asking(query):
            return _total(self._search(body))

    def search(
        self, query: Query, *, limit: int = 20, token: str | None = None, order: str = "newest", text: bool = True
    ) -> Page:
        """A page of stories in one of the orders of the port. `text=False` leaves the text out."""
        if limit < 1:
            return Page([])
        limit = min(limit, MAX_OFFSET)
        body: dict[str, Any] = {"query": to_search(query.tree), "size": limit, "track_total_hits": False}
        if not text:
            body["_source"] = _WITHOUT_TEXT
        with self._asking(query):
            return self._page(body, limit, token, order)[0]

    def survey(
        self, query: Query, *, limit: int = 20, token: str | None = None, order: str = "newest", top: int = 20
    ) -> Survey:
        """What `search`, `count`, `over_time` by day and `top` would return, in one request; `limit` and `top` may be 0."""
        limit = max(0, min(limit, MAX_OFFSET))
        asked = {"days": _histogram("day")}
        if top > 0:
            asked |= {name: _terms(name, top) for name in ("canonical_domain", "language")}
        body = {"query": to_search(query.tree), "size": limit, "track_total_hits": True, "aggs": asked}
        with self._asking(query):
            page, answer = self._page(body, limit, token, order) if limit else (Page([]), self._search(body))
        found = answer["aggregations"]
        sources, languages = (_values(found[name]) if top > 0 else [] for name in ("canonical_domain", "language"))
        days = by_interval(_days(found["days"]["buckets"]), "day")
        return Survey(page, _total(answer), days, sources, languages)

    def _page(self, body: dict[str, Any], limit: int, token: str | None, order: str) -> tuple[Page, Any]:
        """A page, and the server's whole answer."""
        if order == "relevance":
            return self._by_relevance(body, limit, token)
        return self._by_date(body | {"sort": _BY_DATE[order]}, limit, token)

    def _by_relevance(self, body: dict[str, Any], limit: int, token: str | None) -> tuple[Page, Any]:
        offset = 0
        if token is not None:
            offset = _read_token(token)
            if not isinstance(offset, int) or offset < 0:
                raise _bad_token()
        if offset + limit > MAX_OFFSET:
            raise QueryError(
                f"the order by relevance ends after {MAX_OFFSET:,} stories; ask for the newest first instead"
            )
        answer = self._search(body | {"from": offset, "sort": ["_score", {"lot": "desc"}]})
        hits = answer["hits"]["hits"]
        more = len(hits) == limit and offset + 2 * limit <= MAX_OFFSET
        return Page(_stories(hits), _make_token(offset + limit) if more else None), answer

    def _by_date(self, body: dict[str, Any], limit: int, token: str | None) -> tuple[Page, Any]:
        """By `search_after`. A point in time is opened only from the second page on, because few readers turn the page."""
        view: str | None = None
        values = len(body["sort"])
        if token is not None:
            body["search_after"], view = _read_position(token, values)
            view = view or self._point_in_time()
        try:
            answer = self._search(body, view)
        except Refused as error:
            if view is None or error.status != 404:
                raise
            view = self._point_in_time()  # it had expired; positions stay valid without it
            answer = self._search(body, view)
        hits = answer["hits"]["hits"]
        if len(hits) == limit:
            return Page(_stories(hits), _make_token([hits[-1]["sort"][:values], answer.get("pit_id", view)])), answer
        if view is not None:
            with suppress(EngineError):  # it expires by itself
                self._client.close_point_in_time(answer.get("pit_id", view))
        return Page(_stories(hits)), answer

    def _point_in_time(self) -> str:
        view: str = self._patient.insist(lambda: self._client.open_point_in_time(self.alias, _KEEP_ALIVE))
        return view

    def sample(self, query: Query, limit: int) -> list[IndexedStory]:
        """A random sample of the matching stories."""
        start = random.randrange(MAX_LOT)
        stories: list[IndexedStory] = []
        for limits in ({"gte": start}, {"lt": start}):
            wanted = min(limit - len(stories), MAX_OFFSET)
            if wanted < 1:
                break
            both = {"bool": {"must": [to_search(query.tree)], "filter": [{"range": {"lot": limits}}]}}
            body = {"query": both, "size": wanted, "sort": [{"lot": "asc"}], "track_total_hits": False}
            with self._asking(query):
                answer = self._search(body)
            stories += _stories(answer["hits"]["hits"])
        random.shuffle(stories)
        return stories

    def over_time(self, query: Query, interval: str = "day") -> list[tuple[str, int]]:
        """Matching stories by publication `day`, `week` (from Monday) or `month`: (YYYY-MM-DD of its first day, count)."""
        buckets = self._aggregate(query, _histogram(interval))
        return by_interval(_days(buckets), interval)

    def top(self, query: Query, field: str, limit: int = 20) -> list[tuple[str, int]]:
        """The most frequent values of `canonical_domain` or `language` among the matching stories."""
        return _values({"buckets": self._aggregate(query, _terms(field, limit))})

    def top_over_time(
        self, query: Query, field: str, interval: str = "week", limit: int = 20
    ) -> list[tuple[str, str, int]]:
        """The same by `day`, `week` or `month` of publication: (value, first day, count), the most frequent values first."""
        values = self.top(query, field, limit)
        found: dict[str, list[tuple[str, int]]] = {}
        for part in in_parts(values, self._periods(query, interval, values), _MAX_COUNTS):
            terms = _terms(field, len(part))
            terms["terms"]["include"] = part
            for bucket in self._aggregate(query, terms | {"aggs": {"answer": _histogram(interval)}}):
                found[bucket["key"]] = by_interval(_days(bucket["answer"]["buckets"]), interval)
        return [(value, first, count) for value, _ in values for first, count in found.get(value, [])]

    def _periods(self, query: Query, interval: str, values: Sequence[tuple[str, int]]) -> int:
        """How many days, weeks or months there are; the server is not asked when the counts are few anyway."""
        histogram = _histogram(interval)
        if len(values) + sum(count for _, count in values) <= _MAX_COUNTS:
            return _MAX_COUNTS - 1
        return len(self._aggregate(query, histogram))

    def _aggregate(self, query: Query, question: dict[str, Any]) -> list[dict[str, Any]]:
        body = {"query": to_search(query.tree), "size": 0, "track_total_hits": False, "aggs": {"answer": question}}
        with self._asking(query):
            buckets: list[dict[str, Any]] = self._search(body)["aggregations"]["answer"]["buckets"]
        return buckets

    @contextmanager
    def _asking(self, query: Query) -> Iterator[None]:
        """Wait for a turn, unless the query has no words, and say what was expensive in one that takes too long."""
        try:
            with self._turns.turn() if self._query_seconds and cost_of(query.tree) else nullcontext():
                yield
        except OutOfTime as error:
            raise too_slow(query, self._query_seconds) from error

    def _search(self, body: dict[str, Any], view: str | None = None) -> Any:
        """Ask within the deadline, and take whole answers only. Raises OutOfTime."""
        path, seconds, late_at = f"/{self.alias}/_search", None, math.inf
        if self._query_seconds:
            allowed = seconds_left(self._query_seconds)
            body = body | {"timeout": f"{max(1, round(allowed * 1000))}ms"}
            seconds, late_at = allowed + _GRACE_SECONDS, time.monotonic() + allowed
        if view is not None:
            path, body = "/_search", body | {"pit": {"id": view, "keep_alive": _KEEP_ALIVE}}
        with _query_errors(self._client.name):
            try:
                answer = self._ask("POST", path, None, body, seconds)
            except Refused as error:
                if error.status >= _SERVER_ERROR and time.monotonic() >= late_at:
                    raise OutOfTime(error.reason) from error  # it had not even a part of the answer
                raise
        return whole(answer, late=time.monotonic() >= late_at)


def _total(answer: Any) -> int:
    return int(answer["hits"]["total"]["value"])


def _stories(hits: Sequence[dict[str, Any]]) -> list[IndexedStory]:
    return [from_source(hit["_id"], hit["_source"]) for hit in hits]


def _values(answer: dict[str, Any]) -> list[tuple[str, int]]:
    return [(bucket["key"], int(bucket["doc_count"])) for bucket in answer["buckets"]]


def _terms(field: str, limit: int) -> dict[str, Any]:
    return {"terms": {"field": field, "size": max(1, min(limit, _MAX_BUCKETS)), "shard_size": _MAX_BUCKETS}}


def _histogram(interval: str) -> dict[str, Any]:
    first_day(date.min, interval)
    return {
        "date_histogram": {
            "field": "publication_date",
            "calendar_interval": interval,
            "min_doc_count": 1,
            "format": "yyyy-MM-dd",
        }
    }


def _days(buckets: Sequence[dict[str, Any]]) -> list[tuple[date, int]]:
    return [(date.fromisoformat(bucket["key_as_string"]), int(bucket["doc_count"])) for bucket in buckets]


def _make_token(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _read_token(token: str) -> Any:
    try:
        return json.loads(base64.b64decode(token + "=" * (-len(token) % 4), b"-_", validate=True))
    except (ValueError, RecursionError):
        raise _bad_token() from None


def _read_position(token: str, values: int) -> tuple[list[int], str | None]:
    match _read_token(token):
        case [[*position], None | str() as view] if len(position) == values and all(type(n) is int for n in position):
            return position, view
    raise _bad_token()


def _bad_token() -> QueryError:
    return QueryError("this is not a token for the next page; use the one that came with the previous page")


@contextmanager
def _query_errors(name: str) -> Iterator[None]:
    """Turn refusals, except 404, into a QueryError: it is the user's query that is refused, not the rest of our request."""
    try:
        yield
    except Refused as error:
        if error.status == 404:
            raise
        raise QueryError(f"{name} cannot answer this query: {error.reason[:200]}") from error
