"""Write what polls found, many at once: new stories, the feeds' columns and one event each, in one transaction."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tearsheet.clock import utc_now
from tearsheet.engines.database import Database
from tearsheet.errors import WorkerError
from tearsheet.feeds.formats import read_skips, skip_text
from tearsheet.feeds.polling import result_store, store, websub_store
from tearsheet.feeds.polling.dedupe import ADDED, DUPLICATE_GUID, DUPLICATE_TITLE, DUPLICATE_URL, ERASED
from tearsheet.feeds.polling.document_store import Failure, keep_documents
from tearsheet.feeds.polling.moves import note_joined, note_move, note_return
from tearsheet.feeds.polling.pace import Freed
from tearsheet.feeds.polling.poll import NOT_MODIFIED, PollResult
from tearsheet.feeds.polling.rhythm import learn, rhythm_text
from tearsheet.feeds.polling.saving import save_stories
from tearsheet.feeds.polling.schedule import (
    SOFT,
    Decision,
    FeedState,
    PollOutcome,
    Rules,
    next_fetch,
)
from tearsheet.feeds.polling.statuses import added_note, note
from tearsheet.feeds.polling.store import LeasedFeed
from tearsheet.feeds.polling.story_store import SeenStories
from tearsheet.feeds.polling.sums import add_sums, poll_reason
from tearsheet.feeds.tables import FETCH_DISABLED, FETCH_FAILED, FETCH_SUCCEEDED
from tearsheet.settings import FeedSettings

log = logging.getLogger(__name__)

MAX_SOURCE_NAME = 200


def rules_of(settings: FeedSettings) -> Rules:
    """The rules of the schedule, from the settings; whoever uses us as a library may have set anything."""
    least = max(1, settings.min_minutes)
    return Rules(
        default_minutes=settings.interval_minutes,
        min_minutes=least,
        max_minutes=max(least, settings.max_minutes),
        max_failures=settings.max_failures,
        disable_failing=settings.disable_failing,
        obey_max_age=settings.obey_max_age,
        eagerness=settings.eagerness,
    )


def record_polls(
    database: Database, results: Sequence[PollResult], settings: FeedSettings, random: Callable[[], float],
    owner: str = "", freed: Sequence[Freed] = (),
) -> Counter[str]:  # fmt: skip
    """Store the results of polls whose leases are still valid; returns counts of what happened to feeds and stories.

    `freed` are sources that the poller `owner` leaves to others. If the database refuses a poll, that is this
    feed's failure and does not affect the others.
    """
    try:
        return _record(database, results, settings, random, owner, freed)
    except WorkerError:
        raise  # the database is down, which is not the fault of any feed
    except Exception as error:
        if len(results) > 1:
            counts = Counter[str]()
            for number, result in enumerate(results, 1):
                done = freed if number == len(results) else ()
                counts += record_polls(database, [result], settings, random, owner, done)
            return counts
        [result] = results
        log.exception("a poll could not be stored", extra={"feed": result.feed.id, "url": result.feed.url})
        detail = repr(getattr(error, "orig", None) or error)
        failure = PollResult(result.feed, result.started_at).failed("fetch error", SOFT, detail)
        return _record(database, [failure], settings, random, owner, freed)


def _record(
    database: Database, results: Sequence[PollResult], settings: FeedSettings, random: Callable[[], float],
    owner: str, freed: Sequence[Freed],
) -> Counter[str]:  # fmt: skip
    counts: Counter[str] = Counter()
    with database.begin() as connection:
        held = store.still_leased(connection, [result.feed for result in results])
        mine = [result for result in results if result.feed.id in held]
        counts["feeds.lost"] += len(results) - len(mine)
        tallies = save_stories(SeenStories(database, connection), mine, settings.title_days)
        now = max((result.started_at for result in mine), default=utc_now())
        websub_store.want(connection, _hubs(mine, settings), now)
        told = websub_store.relied_on(connection, held, now) if settings.callback_url else set()
        rows, events = [], []
        for result, tally in zip(mine, tallies, strict=True):
            result.gap = result.gap or _leaves_gap(result, tally)
            state = replace(_state(result, tally), hub_tells=result.feed.id in told)
            outcome = _outcome(result, tally)
            decision = next_fetch(state, outcome, result.started_at, rules_of(settings), random())
            rows.append(feed_columns(result, decision, tally[ADDED], settings))
            rows[-1]["rhythm"] = rhythm_text(state.rhythm) if state.rhythm else None
            events.append(_event(result, decision, tally))
            counts[f"feeds.{events[-1]['event']}"] += 1
            counts.update({f"feeds.{what}": number for what, number in _beside(result).items()})
            counts.update({f"stories.{reason}": number for reason, number in tally.items()})
        moved = _moved(rows, mine)
        _join_moved(moved, result_store.polled_at(connection, {row["url"] for row, _ in moved}))
        result_store.update_feeds(connection, rows)
        result_store.name_sources(connection, _new_titles(mine))
        result_store.add_events(connection, events)
        keep_documents(connection, _failures(mine))
        store.free_sources(connection, owner, freed)
        reasons = [poll_reason(result.status, result.unchanged) for result in mine]
        add_sums(database, connection, reasons, sum(tallies, Counter()))
    return +counts


def _failures(results: Sequence[PollResult]) -> Iterator[Failure]:
    for result in results:
        if result.unread is not None:
            yield Failure(result.feed.id, result.started_at, note(result.status, result.detail), result.unread)


def _hubs(results: Sequence[PollResult], settings: FeedSettings) -> list[tuple[int, str, str]]:
    """Feeds that have a hub which is to tell of their news: feed, hub, and the address under which the hub knows it."""
    if not settings.callback_url:
        return []
    return [(result.feed.id, *result.hub) for result in results if result.hub and not result.weight]


def _moved(rows: Sequence[dict[str, Any]], results: Sequence[PollResult]) -> list[tuple[dict[str, Any], LeasedFeed]]:
    """The feeds that take another address with this poll."""
    return [(row, result.feed) for row, result in zip(rows, results, strict=True) if row["url"] != result.feed.url]


def _join_moved(moved: Sequence[tuple[dict[str, Any], LeasedFeed]], polled: dict[str, int]) -> None:
    """A feed that has moved to an address at which another is polled is not polled beside it: the two have become one.

    `joined_feeds` undoes it when the old address works again, or nobody polls the new one any more.
    """
    for row, feed in moved:
        other = polled.setdefault(row["url"], feed.id)
        if other != feed.id:
            note_joined(row, feed.columns)
            row["next_fetch_reason"] = (
                f"joined with another: it has moved to the address of feed {other}, which is polled"
            )


def _new_titles(results: Sequence[PollResult]) -> Iterator[tuple[int, str]]:
    """By source, the titles of its feeds that were not known before."""
    for result in results:
        title, source = result.parsed.title if result.parsed else None, result.feed.sources_id
        if title and title.strip() and source is not None and title != result.feed.columns["rss_title"]:
            yield source, " ".join(title.split())[:MAX_SOURCE_NAME]


def _state(result: PollResult, tally: Counter[str]) -> FeedState:
    """What was known of the feed before, and what its document says about its update period and its rhythm."""
    state = result.feed.state
    if result.weight:
        return state
    dates = [candidate.published_at for candidate in result.candidates if candidate.published_at]
    room = tally[ADDED] + _known(tally)
    state = replace(state, rhythm=learn(state.rhythm, dates, tally[ADDED], room, result.started_at))
    if result.parsed is None:
        return state
    return replace(state, update_minutes=advertised_minutes(result.parsed.update_minutes, result.fresh_minutes))


def _leaves_gap(result: PollResult, tally: Counter[str]) -> bool:
    """Whether a document without older pages has nothing that was known, so that stories may have come and gone unseen."""
    had_stories = result.feed.state.last_new_stories is not None
    return had_stories and tally[ADDED] > 0 and not _known(tally) and not result.pages


def _known(tally: Counter[str]) -> int:
    return sum(tally[reason] for reason in (DUPLICATE_URL, DUPLICATE_GUID, DUPLICATE_TITLE, ERASED))


def _outcome(result: PollResult, tally: Counter[str]) -> PollOutcome:
    parsed = result.parsed
    hours, days = (parsed.skip_hours, parsed.skip_days) if parsed else read_skips(result.feed.skip_times)
    return PollOutcome(
        weight=result.weight,
        added=tally[ADDED],
        duplicates=_known(tally),
        unchanged=result.unchanged is not None,
        http_status=result.http_status,
        retry_after=result.retry_after,
        fresh_minutes=result.fresh_minutes,
        skip_hours=hours,
        skip_days=days,
    )


def _event(result: PollResult, decision: Decision, tally: Counter[str]) -> dict[str, Any]:
    event = FETCH_SUCCEEDED if not result.weight else FETCH_FAILED if decision.system_enabled else FETCH_DISABLED
    detail = result.detail
    counts = Counter(tally) | _beside(result)
    if not result.weight and not result.unchanged:
        detail = added_note(tally.total() - tally[ADDED], tally[ADDED])
    return {
        "feed_id": result.feed.id,
        "event": event,
        "note": note(result.status, detail),
        "created_at": result.started_at,
        "counts": json.dumps(counts, sort_keys=True) if counts else None,
    }


def _beside(result: PollResult) -> Counter[str]:
    """What is counted of a poll beside its entries."""
    beside = Counter(
        gaps=int(result.gap), pages=result.pages, sitemaps_left=result.sitemaps_left,
        sitemaps_failed=result.sitemaps_failed, returned=int(result.returned),
    )  # fmt: skip
    return +beside


# ----------------------------------------------------------------------------------------------------- feed columns


def feed_columns(result: PollResult, decision: Decision, added: int, settings: FeedSettings) -> dict[str, Any]:
    """The feed's columns after a poll, based on those before it."""
    row = {"id": result.feed.id, **result.feed.columns}
    started = result.started_at
    row |= {
        "last_fetch_attempt": started,
        "last_fetch_failures": decision.failures,
        "system_enabled": decision.system_enabled,
        "system_status": result.status,
        "poll_minutes": decision.poll_minutes,
        "next_fetch_reason": "; ".join([decision.reason, *_remarks(result)]),
        "due_at": decision.next_fetch_attempt or started,
        "gone_seen": decision.gone_seen,
    }
    if decision.next_fetch_attempt:
        row["next_fetch_attempt"] = decision.next_fetch_attempt
    if result.retrieved:
        row["last_fetch_success"] = started
    if added:
        row["last_new_stories"] = started
    if result.sitemaps:
        row["sitemaps"] = result.sitemaps
    if result.former_tried:
        row["former_checked"] = started
    if result.weight == 0:
        _after_success(row, result, added)
        if result.returned:
            note_return(row)
        elif result.parsed or result.moved_to:
            note_move(row, result.moved_to, started, settings.move_days, announced=result.announced)
    return row


def _remarks(result: PollResult) -> Iterator[str]:
    """What else whoever looks at the feed should know."""
    if result.sitemaps_failed:
        yield f"{result.sitemaps_failed} sitemaps of its index could not be read"
    if result.sitemaps_left:
        yield f"{result.sitemaps_left} sitemaps of its index are still to be read"
    if result.gap:
        yield "nothing of the last document was known: stories before it may have been missed"


def _after_success(row: dict[str, Any], result: PollResult, added: int) -> None:
    if result.unchanged == NOT_MODIFIED:
        row["http_304"] = True
        row |= {"http_etag": result.http_etag, "http_last_modified": result.http_last_modified}
        return
    row["http_lies"] = row["http_lies"] or has_lied(result, added)
    row |= {
        "http_etag": result.http_etag,
        "http_last_modified": result.http_last_modified,
        "last_fetch_hash": result.body_hash,
        "entries_hash": result.entries_hash,
    }
    if result.parsed:
        row["last_full_fetch"] = result.started_at
        row["rss_title"] = result.parsed.title or row["rss_title"]
        row["update_minutes"] = advertised_minutes(result.parsed.update_minutes, result.fresh_minutes)
        row["skip_times"] = skip_text(result.parsed.skip_hours, result.parsed.skip_days)


def advertised_minutes(in_feed: int | None, by_http: int | None) -> int | None:
    """`update_minutes`: what the feed says, and no less than what HTTP says. HTTP alone sets no interval."""
    return max(in_feed, by_http or 0) if in_feed else None


def has_lied(result: PollResult, added: int) -> bool:
    """Whether an unconditional request brought new stories under the very validators that would have given `not modified`."""
    feed = result.feed
    if result.conditional or not feed.http_304 or not added:
        return False
    same_tag = feed.http_etag is not None and feed.http_etag == result.http_etag
    same_date = feed.http_last_modified is not None and feed.http_last_modified == result.http_last_modified
    return same_tag or (feed.http_etag is None and same_date)
