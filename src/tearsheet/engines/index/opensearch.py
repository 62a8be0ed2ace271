"""The story index on OpenSearch or Elasticsearch.

Stories are written to the newest of the indices `ALIAS-000001`, `ALIAS-000002`, … and searched in all of them through the alias.
The first copy of a story wins across all of them: older indices are closed to writing and refreshed before a new one begins,
so that a search sees all they hold; in the newest, the server itself refuses a second story of the same id.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from tearsheet.engines.index.clean_stories import clean_story
from tearsheet.engines.index.dates import by_interval, first_day, in_parts
from tearsheet.engines.index.port import AddResult, IndexedStory, Page, Survey
from tearsheet.engines.index.search_mapping import MAX_LOT, from_source, template, to_source
from tearsheet.engines.index.search_query import to_search
from tearsheet.engines.index.search_server import ElasticsearchServer, OpenSearchServer, Patient, Refused, SearchServer
from tearsheet.errors import ConfigError, EngineError
from tearsheet.query import Query, QueryError

DEFAULT_ALIAS = "mc_search"
_BULK_BYTES = 5_000_000
_BULK_STORIES = 500
_MAX_OFFSET = 10_000
_MAX_BUCKETS = 10_000
_MAX_COUNTS = 60_000
"""The servers give 65,536 at a time, unless they are told otherwise."""
_KEEP_ALIVE = "3m"
_ROLLOVER_CHECK = 50_000
_BY_DATE = {order: [{"indexed_nanos": way}, {"lot": way}] for order, way in (("newest", "desc"), ("oldest", "asc"))}
_WITHOUT_TEXT = {"excludes": ["text_content"]}


def open_search_index(url: str, patience: float = 60.0) -> SearchIndex:
    """The index of `opensearch://HOST:PORT/ALIAS` or `elasticsearch://HOST:PORT/ALIAS`.

    Options stand behind a question mark: `shards` and `replicas` of a new index, `rollover` (stories in one index).
    """
    parts = urlsplit(url)
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    try:
        numbers = {name: int(options.pop(name, default)) for name, default in _OPTIONS.items()}
    except ValueError as error:
        raise ConfigError(f"engines.index: {', '.join(_OPTIONS)} are numbers") from error
    if options:
        raise ConfigError(f"engines.index: unknown option {sorted(options)[0]!r}; there are {', '.join(_OPTIONS)}")
    server = ElasticsearchServer(url) if parts.scheme.startswith("elasticsearch") else OpenSearchServer(url)
    return SearchIndex(server, parts.path.strip("/") or DEFAULT_ALIAS, patience=patience, **numbers)


_OPTIONS = {"shards": 1, "replicas": 1, "rollover": 200_000_000}


class SearchIndex:
    """The `Index` port on a search server."""

    def __init__(
        self,
        server: SearchServer,
        alias: str = DEFAULT_ALIAS,
        *,
        shards: int = 1,
        replicas: int = 1,
        rollover: int = 200_000_000,
        patience: float = 60.0,
    ) -> None:
        self._server = server
        self._patient = Patient(server, patience)
        self.alias = alias
        self._rollover = rollover
        self._added = 0
        self._unseen = False
        self._encode = msgspec.json.Encoder().encode
        self._prepare(shards, replicas)

    def _prepare(self, shards: int, replicas: int) -> None:
        """The template, the first index and its alias, unless they are there."""
        for url_type in ("wildcard", "keyword"):  # small builds of the servers lack the first
            try:
                body = template(self.alias, shards=shards, replicas=replicas, url_type=url_type)
                self._ask("PUT", f"/_index_template/{self.alias}_template", None, body)
                break
            except Refused as error:
                if error.status != 400 or url_type == "keyword":
                    raise EngineError(f"{self._server.name} refuses our mapping: {error.reason}") from error
        if not self._indices():
            with suppress(Refused):  # another process was quicker
                aliases = {self.alias: {"is_write_index": True}}
                self._ask("PUT", f"/{self.alias}-000001", None, {"aliases": aliases})

    # --------------------------------------------------------------------------------------------------- writing

    def add(self, stories: Sequence[IndexedStory]) -> list[AddResult]:
        """Add stories, durably, and say for each what became of it, in order."""
        results: list[AddResult] = []
        for chunk in self._chunks(stories):
            settled: dict[int, AddResult] = {}
            self._patient.insist(partial(self._add_chunk, chunk, settled))
            results += [settled[place] for place in range(len(chunk))]
        self._added += len(stories)
        self._unseen = self._unseen or bool(stories)
        if self._added >= min(_ROLLOVER_CHECK, self._rollover):
            self._added = 0
            self.roll_over(self._rollover)
        return results

    def _chunks(self, stories: Sequence[IndexedStory]) -> Iterator[list[tuple[IndexedStory, bytes]]]:
        chunk: list[tuple[IndexedStory, bytes]] = []
        size = 0
        for story in stories:
            clean = clean_story(story)
            line = self._encode(to_source(clean))
            if chunk and (size + len(line) > _BULK_BYTES or len(chunk) == _BULK_STORIES):
                yield chunk
                chunk, size = [], 0
            chunk.append((clean, line))
            size += len(line)
        if chunk:
            yield chunk

    def _add_chunk(self, chunk: list[tuple[IndexedStory, bytes]], settled: dict[int, AddResult]) -> None:
        """Check the older indices, then create in the newest by its own name: if that is closed meanwhile, all is done again.

        What is settled stays so when the server had room for a part only and the rest is tried again.
        """
        newest, older = self._indices_by_age()
        places = [place for place in range(len(chunk)) if place not in settled]
        known = self._first_copies(older, [chunk[place][0].id for place in places]) if older else {}
        for place in places:
            story = chunk[place][0]
            if story.id in known:
                settled[place] = _copy(story, known[story.id])
        places = [place for place in places if place not in settled]
        if not places:
            return
        lines = [
            line
            for place in places
            for line in (self._encode({"create": {"_id": chunk[place][0].id}}), chunk[place][1])
        ]
        answer = self._server.ask("POST", f"/{newest}/_bulk", None, b"\n".join(lines) + b"\n")
        items = [item["create"] for item in answer["items"]]
        first = self._story_ids(newest, [item["_id"] for item in items if item["status"] == 409])
        trouble: dict[str, Any] | None = None
        for place, item in zip(places, items, strict=True):
            story = chunk[place][0]
            if item["status"] == 201:
                settled[place] = AddResult("created", story.story_id)
            elif item["status"] == 409:
                settled[place] = _copy(story, first.get(story.id, ""))
            else:
                trouble = item
        if trouble is not None:
            raise _item_error(trouble)

    def roll_over(self, most: int = 0) -> bool:
        """Begin a new index when the newest has `most` stories. The old one is closed to writing and refreshed before."""
        newest, _ = self._indices_by_age()
        self._ask("POST", f"/{newest}/_refresh")
        if int(self._ask("GET", f"/{newest}/_count")["count"]) < most:
            return False
        self._ask("PUT", f"/{newest}/_block/write")
        self._ask("POST", f"/{newest}/_refresh")
        following = f"{self.alias}-{int(newest.rsplit('-', 1)[1]) + 1:06}"
        with suppress(Refused):  # it exists when another process began it; then only the alias is missing
            self._ask("PUT", f"/{following}")
        actions = [
            {"add": {"index": newest, "alias": self.alias, "is_write_index": False}},
            {"add": {"index": following, "alias": self.alias, "is_write_index": True}},
        ]
        self._ask("POST", "/_aliases", None, {"actions": actions})
        return True

    def refresh(self) -> None:
        """Make everything that was added visible to searches now."""
        self._ask("POST", f"/{self.alias}/_refresh")
        self._unseen = False

    def close(self) -> None:
        """Make what was added visible, and let go."""
        try:
            if self._unseen:
                self.refresh()
        finally:
            self._server.close()

    def _indices(self) -> dict[str, bool]:
        """The indices behind the alias, and whether each is the one that is written to."""
        try:
            answer = self._ask("GET", f"/_alias/{self.alias}")
        except Refused as error:
            if error.status == 404:
                return {}
            raise
        return {name: bool(entry["aliases"][self.alias].get("is_write_index")) for name, entry in answer.items()}

    def _indices_by_age(self) -> tuple[str, list[str]]:
        indices = self._indices()
        newest = [name for name, writing in indices.items() if writing] or sorted(indices)[-1:]
        if not newest:
            raise EngineError(
                f"{self._server.name} has no index behind the alias {self.alias}; start again to make one"
            )
        return newest[0], sorted(name for name in indices if name != newest[0])

    def _first_copies(self, indices: Sequence[str], ids: Sequence[str]) -> dict[str, str]:
        """Stories that are in older indices: who was first, by id."""
        body = {"query": {"ids": {"values": list(ids)}}, "size": len(ids), "_source": ["story_id"]}
        hits = self._ask("POST", f"/{','.join(indices)}/_search", None, body)["hits"]["hits"]
        return {hit["_id"]: hit["_source"].get("story_id", "") for hit in hits}

    def _story_ids(self, index: str, ids: Sequence[str]) -> dict[str, str]:
        if not ids:
            return {}
        answer = self._ask("POST", f"/{index}/_mget", {"_source": "story_id"}, {"ids": list(dict.fromkeys(ids))})
        return {one["_id"]: one["_source"].get("story_id", "") for one in answer["docs"] if one.get("found")}

    # --------------------------------------------------------------------------------------------------- reading

    def get(self, ids: Sequence[str]) -> list[IndexedStory | None]:
        """Stories by id (the hash of the normalised URL), in order."""
        found: dict[str, IndexedStory] = {}
        for start in range(0, len(ids), _BULK_STORIES):
            some = list(ids[start : start + _BULK_STORIES])
            answer = self._search({"query": {"ids": {"values": some}}, "size": len(some)})
            found |= {hit["_id"]: from_source(hit["_id"], hit["_source"]) for hit in answer["hits"]["hits"]}
        return [found.get(identifier) for identifier in ids]

    def count(self, query: Query) -> int:
        """How many stories match."""
        with _query_errors(self._server.name):
            return int(self._ask("POST", f"/{self.alias}/_count", None, {"query": to_search(query.tree)})["count"])

    def search(
        self, query: Query, *, limit: int = 20, token: str | None = None, order: str = "newest", text: bool = True
    ) -> Page:
        """A page of stories, `newest` or `oldest` (by indexed date) or `relevance` first. `text=False` leaves the text out."""
        if limit < 1:
            return Page([])
        limit = min(limit, _MAX_OFFSET)
        body: dict[str, Any] = {"query": to_search(query.tree), "size": limit, "track_total_hits": False}
        if not text:
            body["_source"] = _WITHOUT_TEXT
        return self._page(body, limit, token, order)[0]

    def survey(
        self, query: Query, *, limit: int = 20, token: str | None = None, order: str = "newest", top: int = 20
    ) -> Survey:
        """What `search`, `count`, `over_time` by day and `top` would say, asked at once; `limit` and `top` may be 0."""
        limit = max(0, min(limit, _MAX_OFFSET))
        asked = {"days": _histogram("day")}
        if top > 0:
            asked |= {name: _terms(name, top) for name in ("canonical_domain", "language")}
        body = {"query": to_search(query.tree), "size": limit, "track_total_hits": True, "aggs": asked}
        page, answer = self._page(body, limit, token, order) if limit else (Page([]), self._search(body))
        found = answer["aggregations"]
        sources, languages = (_values(found[name]) if top > 0 else [] for name in ("canonical_domain", "language"))
        days = by_interval(_days(found["days"]["buckets"]), "day")
        return Survey(page, int(answer["hits"]["total"]["value"]), days, sources, languages)

    def _page(self, body: dict[str, Any], limit: int, token: str | None, order: str) -> tuple[Page, Any]:
        """A page, and all that the server answered."""
        if order == "relevance":
            return self._by_relevance(body, limit, token)
        return self._by_date(body | {"sort": _BY_DATE[order]}, limit, token)

    def _by_relevance(self, body: dict[str, Any], limit: int, token: str | None) -> tuple[Page, Any]:
        offset = 0
        if token is not None:
            offset = _read_token(token)
            if not isinstance(offset, int) or offset < 0:
                raise _bad_token()
        if offset + limit > _MAX_OFFSET:
            raise QueryError(
                f"the order by relevance ends after {_MAX_OFFSET:,} stories; ask for the newest first instead"
            )
        answer = self._search(body | {"from": offset, "sort": ["_score", {"lot": "desc"}]})
        hits = answer["hits"]["hits"]
        more = len(hits) == limit and offset + 2 * limit <= _MAX_OFFSET
        return Page(_stories(hits), _make_token(offset + limit) if more else None), answer

    def _by_date(self, body: dict[str, Any], limit: int, token: str | None) -> tuple[Page, Any]:
        """By `search_after`. From the second page on in a point in time, which is only opened for those who turn the page."""
        view: str | None = None
        if token is not None:
            body["search_after"], view = _read_place(token)
            view = view or self._point_in_time()
        try:
            answer = self._search(body, view)
        except Refused as error:
            if view is None or error.status != 404:
                raise
            view = self._point_in_time()  # it had ended; places stay valid without it
            answer = self._search(body, view)
        hits = answer["hits"]["hits"]
        if len(hits) == limit:
            return Page(_stories(hits), _make_token([hits[-1]["sort"][:2], answer.get("pit_id", view)])), answer
        if view is not None:
            with suppress(EngineError):  # it ends by itself
                self._server.close_point_in_time(answer.get("pit_id", view))
        return Page(_stories(hits)), answer

    def _point_in_time(self) -> str:
        view: str = self._patient.insist(lambda: self._server.open_point_in_time(self.alias, _KEEP_ALIVE))
        return view

    def sample(self, query: Query, limit: int) -> list[IndexedStory]:
        """Some of the matching stories at random."""
        start = random.randrange(MAX_LOT)
        stories: list[IndexedStory] = []
        for limits in ({"gte": start}, {"lt": start}):
            wanted = min(limit - len(stories), _MAX_OFFSET)
            if wanted < 1:
                break
            both = {"bool": {"must": [to_search(query.tree)], "filter": [{"range": {"lot": limits}}]}}
            answer = self._search({"query": both, "size": wanted, "sort": [{"lot": "asc"}], "track_total_hits": False})
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
        """How many days, weeks or months there are; not asked for when there are few counts anyway."""
        histogram = _histogram(interval)
        if len(values) + sum(count for _, count in values) <= _MAX_COUNTS:
            return _MAX_COUNTS - 1
        return len(self._aggregate(query, histogram))

    def _aggregate(self, query: Query, question: dict[str, Any]) -> list[dict[str, Any]]:
        body = {"query": to_search(query.tree), "size": 0, "track_total_hits": False, "aggs": {"answer": question}}
        buckets: list[dict[str, Any]] = self._search(body)["aggregations"]["answer"]["buckets"]
        return buckets

    def _search(self, body: dict[str, Any], view: str | None = None) -> Any:
        with _query_errors(self._server.name):
            if view is None:
                return self._ask("POST", f"/{self.alias}/_search", None, body)
            return self._ask("POST", "/_search", None, body | {"pit": {"id": view, "keep_alive": _KEEP_ALIVE}})

    def _ask(self, method: str, path: str, params: dict[str, Any] | None = None, body: Any = None) -> Any:
        return self._patient.ask(method, path, params, body)


def _copy(story: IndexedStory, first: str) -> AddResult:
    return AddResult("own" if story.story_id and first == story.story_id else "duplicate", first)


def _item_error(item: dict[str, Any]) -> Exception:
    """No room, or an index that was just closed to writing: again. Anything else is ours to mend."""
    error = item.get("error", {})
    kind, reason = str(error.get("type", "")), str(error.get("reason", ""))
    if item["status"] == 429 or item["status"] >= 500 or kind == "cluster_block_exception":
        return Refused(429, kind, reason)
    return EngineError(f"story {item.get('_id')} was refused: {kind}: {reason[:200]}")


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


def _read_place(token: str) -> tuple[list[int], str | None]:
    match _read_token(token):
        case [[int(moment), int(lot)], None | str() as view]:
            return [moment, lot], view
    raise _bad_token()


def _bad_token() -> QueryError:
    return QueryError("this is no token for a next page; use the one that came with the page before")


@contextmanager
def _query_errors(name: str) -> Iterator[None]:
    """What the server finds wrong with a query is the asker's to mend; nothing else of ours is refused with 400."""
    try:
        yield
    except Refused as error:
        if error.status == 404:
            raise
        raise QueryError(f"{name} cannot answer this query: {error.reason[:200]}") from error
