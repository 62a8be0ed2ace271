"""Save the stories of polls: those that are new by link, by guid and by title, each for whom it was found first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from tearsheet.engines.database import Database
from tearsheet.feeds.polling.dedupe import (
    ADDED,
    DUPLICATE_GUID,
    DUPLICATE_TITLE,
    DUPLICATE_URL,
    ERASED,
    Candidate,
    guid_key,
)
from tearsheet.feeds.polling.details import BEGINNING
from tearsheet.feeds.polling.identity import Sighting, known_by_guid, marks_of
from tearsheet.feeds.polling.poll import PollResult
from tearsheet.feeds.polling.story_store import SeenStories
from tearsheet.feeds.polling.title_window import TitleWindow
from tearsheet.urls import hash_of_normalized

_TOUCH_AFTER = timedelta(days=1)


def save_stories(seen: SeenStories, results: Sequence[PollResult], title_days: int) -> list[Counter[str]]:
    """Add the new stories of every poll; returns for each poll how many were added and skipped, by reason."""
    if not results:
        return []
    saving = _Saving(seen, results, title_days)
    for number, result in enumerate(results):
        for candidate in result.candidates:
            saving.take(number, result, candidate)
    return saving.finish()


def any_known(database: Database, feed_id: int, entries: Sequence[Candidate], title_days: int) -> bool:
    """Whether any of these entries of a feed is a story that was seen before, by its link or, where links rotate, by its guid."""
    with database.read() as connection:
        seen = SeenStories(database, connection)
        if seen.known_urls(entry.normalized_url for entry in entries):
            return True
        document = _sightings(entries)
        history = seen.by_guid({one.guid for one in document}, [feed_id])
    return bool(known_by_guid(document, history[feed_id], title_days))


class _Saving:
    """What is known while the stories of several polls are saved."""

    def __init__(self, seen: SeenStories, results: Sequence[PollResult], title_days: int) -> None:
        self._seen = seen
        self._tallies = [Counter(result.skipped) for result in results]
        self._now = max(result.started_at for result in results)
        self._known = seen.known_urls({c.normalized_url for result in results for c in result.candidates})
        fresh = [(r, c) for r in results for c in r.candidates if c.normalized_url not in self._known]
        self._erased = _erased(seen, fresh)
        self._titles = _title_window(seen, fresh, title_days)
        self._moved = _moved(seen, results, fresh, title_days)
        self._rows: list[dict[str, Any]] = []
        self._owners: dict[str, int] = {}
        self._still_there: set[int] = set()

    def take(self, number: int, result: PollResult, candidate: Candidate) -> None:
        """Add a story, or count why not."""
        url = candidate.normalized_url
        same = self._moved[number].get(url)
        if reason := self._reason(result, candidate, same):
            self._tallies[number][reason] += 1
        else:
            self._owners[url] = number
            self._rows.append(_story_row(candidate, result))
        if same is not None:
            self._still_there.add(same.story)
        elif url in self._known and result.started_at - self._known[url][1] > _TOUCH_AFTER:
            self._still_there.add(self._known[url][0])

    def _reason(self, result: PollResult, candidate: Candidate, same: Sighting | None) -> str | None:
        """Why a story is none to be added, or None. A story without a title is not compared by title."""
        url, title = candidate.normalized_url, candidate.normalized_title_hash
        if url in self._erased:
            return ERASED
        if url in self._known or url in self._owners:
            return DUPLICATE_URL
        if same is not None:
            return DUPLICATE_GUID
        if title:
            scope = _title_scope(result.feed.sources_id, result.feed.id)
            time = candidate.published_at or result.started_at
            if self._titles.has(title, scope, time):
                return DUPLICATE_TITLE
            self._titles.add(title, scope, time)
        return None

    def finish(self) -> list[Counter[str]]:
        """Write everything."""
        added = self._seen.add(self._rows)
        for url, number in self._owners.items():
            self._tallies[number][ADDED if url in added else DUPLICATE_URL] += 1
        self._seen.touch(self._still_there, self._now)
        return self._tallies


def _erased(seen: SeenStories, fresh: Sequence[tuple[PollResult, Candidate]]) -> set[str]:
    """The addresses of stories that were erased and must not come back, also where they come under a new link."""
    if not seen.is_anything_erased():
        return set()
    by_key: defaultdict[str, set[str]] = defaultdict(set)
    for result, candidate in fresh:
        url = candidate.normalized_url
        by_key[hash_of_normalized(url)].add(url)
        for one in _sightings([candidate]):
            for key in marks_of(result.feed.id, one):
                by_key[key].add(url)
    return {url for key in seen.erased(by_key) for url in by_key[key]}


def _title_scope(sources_id: int | None, feed_id: int | None) -> str:
    return f"source {sources_id}" if sources_id is not None else f"feed {feed_id}"


def _title_window(seen: SeenStories, fresh: Sequence[tuple[PollResult, Candidate]], days: int) -> TitleWindow:
    """The titles that new stories may repeat."""
    window, around = TitleWindow(days), timedelta(days=days)
    titled = [(r.started_at, c) for r, c in fresh if c.normalized_title_hash]
    if titled:
        times: list[datetime] = [candidate.published_at or started for started, candidate in titled]
        hashes = {candidate.normalized_title_hash or "" for _, candidate in titled}
        for title, source, feed, time in seen.titles(hashes, min(times) - around, max(times) + around):
            window.add(title, _title_scope(source, feed), time)
    return window


def _moved(
    seen: SeenStories, results: Sequence[PollResult], fresh: Sequence[tuple[PollResult, Candidate]], days: int
) -> list[dict[str, Sighting]]:
    """For each poll, the stories that came under a new link, by that link. Few feeds have any, so few documents are compared."""
    keys: defaultdict[int, set[str]] = defaultdict(set)
    for result, candidate in fresh:
        # A feed that never brought a story has no history.
        if result.feed.state.last_new_stories and (key := guid_key(candidate.guid)):
            keys[result.feed.id].add(key)
    doubtful = set(seen.by_guid({key for some in keys.values() for key in some}, keys)) if keys else set()
    if not doubtful:
        return [{} for _ in results]
    documents = [_sightings(result.candidates) if result.feed.id in doubtful else [] for result in results]
    history = seen.by_guid({one.guid for document in documents for one in document}, doubtful)
    return [
        known_by_guid(document, history[result.feed.id], days) if document else {}
        for result, document in zip(results, documents, strict=True)
    ]


def _sightings(candidates: Iterable[Candidate]) -> list[Sighting]:
    return [
        Sighting(
            key, c.normalized_url, c.normalized_title, c.published_at, text=c.details[:BEGINNING] if c.details else None
        )
        for c in candidates
        if (key := guid_key(c.guid))
    ]


def _story_row(candidate: Candidate, result: PollResult) -> dict[str, Any]:
    return {
        "feed_id": result.feed.id,
        "sources_id": result.feed.sources_id,
        "url": candidate.url,
        "normalized_url": candidate.normalized_url,
        "guid": candidate.guid,
        "published_at": candidate.published_at,
        "fetched_at": result.started_at,
        "domain": candidate.domain,
        "title": candidate.title,
        "normalized_title": candidate.normalized_title,
        "normalized_title_hash": candidate.normalized_title_hash,
        "seen_at": result.started_at,
        "queued_at": None,
        "guid_key": guid_key(candidate.guid),
        "details": candidate.details,
    }
