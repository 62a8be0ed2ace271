"""Writing stories to a search server.

They go to the newest of the indices `ALIAS-000001`, `ALIAS-000002`, …. The first copy of a story wins across all of them: older
indices are closed to writing and refreshed before a new one is started, so that a search sees all they hold; in the newest, the
server itself refuses a second story with the same id. `life_cycle` says when a new one is started, and when an old one is removed.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec

from tearsheet.engines.index.clean_stories import clean_story
from tearsheet.engines.index.life_cycle import IndexPart, LifeCycle, expired, is_full
from tearsheet.engines.index.port import AddResult, IndexedStory
from tearsheet.engines.index.search_server_clients import Patient, Refused, whole
from tearsheet.engines.index.search_server_mapping import WORDS_OF, template, to_source
from tearsheet.errors import ConfigError, EngineError, ItemRefused

BULK_STORIES = 500
_BULK_BYTES = 5_000_000
_TEND_STORIES = 50_000
_TEND_SECONDS = 600.0
_log = logging.getLogger(__name__)


class StoryWriter:
    """Adds stories to the indices behind an alias, and starts and removes these as `life` says."""

    def __init__(self, patient: Patient, alias: str, life: LifeCycle, clock: Callable[[], float] = time.time) -> None:
        self._patient = patient
        self._client = patient.client
        self._ask = patient.ask
        self._alias = alias
        self.life = life
        self._clock = clock
        self._added = 0
        self._tended = 0.0
        self._encode = msgspec.json.Encoder().encode

    def prepare(self, shards: int, replicas: int) -> None:
        """Create the template, the first index and its alias, unless they exist. Raises ConfigError if others filled them."""
        indices = self.indices()
        self._refuse_others(indices)
        for url_type in ("wildcard", "keyword"):  # minimal builds of the servers lack the first
            try:
                body = template(self._alias, shards=shards, replicas=replicas, url_type=url_type)
                self._ask("PUT", f"/_index_template/{self._alias}_template", None, body)
                break
            except Refused as error:
                if error.status != 400 or url_type == "keyword":
                    raise EngineError(f"{self._client.name} refuses our mapping: {error.reason}") from error
        if not indices:
            with suppress(Refused):  # another process was quicker
                aliases = {self._alias: {"is_write_index": True}}
                self._ask("PUT", f"/{self._alias}-000001", None, {"aliases": aliases})

    def _refuse_others(self, indices: Iterable[str]) -> None:
        """Our questions would find nothing in an index without the fields that they ask for."""
        mappings = self._ask("GET", f"/{','.join(indices)}/_mapping") if indices else {}
        for name, answer in sorted(mappings.items()):
            if not set(WORDS_OF.values()) <= answer["mappings"].get("properties", {}).keys():
                raise ConfigError(
                    f"engines.index: {name} was filled by another program, as Media Cloud's story-indexer: name a new index, "
                    "and copy its stories with `tearsheet index copy URL`"
                )

    def add(self, stories: Sequence[IndexedStory]) -> list[AddResult]:
        """Add stories, durably, and say for each what became of it, in order."""
        results: list[AddResult] = []
        for chunk in self._chunks(stories):
            settled: dict[int, AddResult] = {}
            self._patient.insist(partial(self._add_chunk, chunk, settled))
            results += [settled[position] for position in range(len(chunk))]
        self._added += len(stories)
        often = min(_TEND_STORIES, self.life.rollover_stories or _TEND_STORIES)
        if self._added >= often or self._clock() - self._tended >= _TEND_SECONDS:
            try:
                self.tend()
            except EngineError as error:  # the stories are in the index; this is tried again
                _log.warning("the index could not be looked after", extra={"error": str(error)})
        return results

    def _chunks(self, stories: Sequence[IndexedStory]) -> Iterator[list[tuple[IndexedStory, bytes]]]:
        chunk: list[tuple[IndexedStory, bytes]] = []
        size = 0
        for story in stories:
            clean = clean_story(story)
            line = self._encode(to_source(clean))
            if chunk and (size + len(line) > _BULK_BYTES or len(chunk) == BULK_STORIES):
                yield chunk
                chunk, size = [], 0
            chunk.append((clean, line))
            size += len(line)
        if chunk:
            yield chunk

    def _add_chunk(self, chunk: list[tuple[IndexedStory, bytes]], settled: dict[int, AddResult]) -> None:
        """Check the older indices, then create in the newest by its own name: if it is closed meanwhile, start over.

        `settled` keeps what is done when the server took only a part and the rest is tried again.
        """
        newest, older = self._indices_by_age()
        positions = [position for position in range(len(chunk)) if position not in settled]
        known = self._first_copies(older, [chunk[position][0].id for position in positions]) if older else {}
        for position in positions:
            story = chunk[position][0]
            if story.id in known:
                settled[position] = _copy(story, known[story.id])
        positions = [position for position in positions if position not in settled]
        if not positions:
            return
        lines = [
            line
            for position in positions
            for line in (self._encode({"create": {"_id": chunk[position][0].id}}), chunk[position][1])
        ]
        answer = self._client.ask("POST", f"/{newest}/_bulk", None, b"\n".join(lines) + b"\n")
        items = [item["create"] for item in answer["items"]]
        first = self._story_ids(newest, [item["_id"] for item in items if item["status"] == 409])
        trouble: dict[str, Any] | None = None
        for position, item in zip(positions, items, strict=True):
            story = chunk[position][0]
            if item["status"] == 201:
                settled[position] = AddResult("created", story.story_id)
            elif item["status"] == 409:
                settled[position] = _copy(story, first.get(story.id, ""))
            else:
                trouble = item
        if trouble is not None:
            raise _item_error(trouble)

    def tend(self) -> None:
        """Start a new index if the newest is full, and remove those that have been kept long enough."""
        self._added, self._tended = 0, self._clock()
        newest, _ = self._indices_by_age()
        self._ask("POST", f"/{newest}/_refresh")
        if is_full(self.life, self._part(newest), self._clock()):
            self.roll_over()
        for name in expired(self.life, self.parts(), self._clock()):
            with suppress(Refused):  # another process was quicker
                self._ask("DELETE", f"/{name}")
                _log.info("an index was removed: its time is over", extra={"index": name})

    def _part(self, name: str) -> IndexPart:
        return next((part for part in self.parts() if part.name == name), IndexPart(name, 0, 0, 0.0))

    def parts(self) -> list[IndexPart]:
        """The indices behind the alias, oldest first and the one that is written to last."""
        newest, older = self._indices_by_age()
        figures = self._ask("GET", f"/{self._alias}/_stats/docs,store")["indices"]
        made = self._ask("GET", f"/{self._alias}/_settings/index.creation_date")
        return [
            IndexPart(
                name,
                int(figures[name]["primaries"]["docs"]["count"]),
                int(figures[name]["primaries"]["store"]["size_in_bytes"]),
                int(made[name]["settings"]["index"]["creation_date"]) / 1000,
            )
            for name in (*older, newest)
            if name in figures and name in made
        ]

    def roll_over(self) -> None:
        """Start a new index. The old one is first closed to writing and refreshed."""
        newest, _ = self._indices_by_age()
        self._ask("PUT", f"/{newest}/_block/write")
        self._ask("POST", f"/{newest}/_refresh")
        following = f"{self._alias}-{int(newest.rsplit('-', 1)[1]) + 1:06}"
        with suppress(Refused):  # it exists if another process started it; then only the alias is missing
            self._ask("PUT", f"/{following}")
        actions = [
            {"add": {"index": newest, "alias": self._alias, "is_write_index": False}},
            {"add": {"index": following, "alias": self._alias, "is_write_index": True}},
        ]
        try:
            self._ask("POST", "/_aliases", None, {"actions": actions})
        except Refused:
            if self._indices_by_age()[0] in (newest, following):
                raise
            return  # others have started one after this already
        _log.info("a new index was started", extra={"index": following})

    def indices(self) -> dict[str, bool]:
        """The indices behind the alias, and whether each is the one that is written to."""
        try:
            answer = self._ask("GET", f"/_alias/{self._alias}")
        except Refused as error:
            if error.status == 404:
                return {}
            raise
        return {name: bool(entry["aliases"][self._alias].get("is_write_index")) for name, entry in answer.items()}

    def _indices_by_age(self) -> tuple[str, list[str]]:
        indices = self.indices()
        newest = [name for name, writing in indices.items() if writing] or sorted(indices)[-1:]
        if not newest:
            raise EngineError(
                f"{self._client.name} has no index behind the alias {self._alias}; start again to make one"
            )
        return newest[0], sorted(name for name in indices if name != newest[0])

    def _first_copies(self, indices: Sequence[str], ids: Sequence[str]) -> dict[str, str]:
        """The first copies of these stories in older indices: story id by id."""
        body = {"query": {"ids": {"values": list(ids)}}, "size": len(ids), "_source": ["story_id"]}
        # One that was just removed has no copies; a part that cannot be searched may have.
        answer = whole(self._ask("POST", f"/{','.join(indices)}/_search", {"ignore_unavailable": "true"}, body))
        hits = answer["hits"]["hits"]
        return {hit["_id"]: hit["_source"].get("story_id", "") for hit in hits}

    def _story_ids(self, index: str, ids: Sequence[str]) -> dict[str, str]:
        if not ids:
            return {}
        answer = self._ask("POST", f"/{index}/_mget", {"_source": "story_id"}, {"ids": list(dict.fromkeys(ids))})
        return {one["_id"]: one["_source"].get("story_id", "") for one in answer["docs"] if one.get("found")}


def _copy(story: IndexedStory, first: str) -> AddResult:
    return AddResult("own" if story.story_id and first == story.story_id else "duplicate", first)


def _item_error(item: dict[str, Any]) -> Exception:
    """An overloaded server or an index just closed to writing is worth a retry; anything else is a fault of the story."""
    error = item.get("error", {})
    kind, reason = str(error.get("type", "")), str(error.get("reason", ""))
    if item["status"] == 429 or item["status"] >= 500 or kind == "cluster_block_exception":
        return Refused(429, kind, reason)
    return ItemRefused(f"story {item.get('_id')} was refused: {kind}: {reason[:200]}")
