"""The poller: leases due feeds, fetches each in its turn, and writes what was found. Several pollers may share a database."""

from __future__ import annotations

import asyncio
import heapq
import logging
import uuid
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from random import random as roll

from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines import repeated
from tearsheet.engines.database import Database
from tearsheet.feeds.polling import store
from tearsheet.feeds.polling.advice import plain_words, what_to_do
from tearsheet.feeds.polling.asking import Asking, FeedClient
from tearsheet.feeds.polling.dedupe import Candidate
from tearsheet.feeds.polling.pace import Booking, Freed, Gate, Holdings
from tearsheet.feeds.polling.poll import PollResult, poll_feed
from tearsheet.feeds.polling.reading import READ_FEED
from tearsheet.feeds.polling.record import record_polls
from tearsheet.feeds.polling.saving import any_known
from tearsheet.feeds.polling.schedule import SOFT
from tearsheet.feeds.polling.statuses import note
from tearsheet.feeds.polling.store import LeasedFeed, PutOff
from tearsheet.feeds.polling.under_way import UnderWay
from tearsheet.fetch import HostBusy, HostFailing, HostPaused
from tearsheet.masking import without_login
from tearsheet.settings import FeedSettings
from tearsheet.telemetry import timed
from tearsheet.work import Reader

log = logging.getLogger(__name__)

LEASE = timedelta(minutes=3)
"""How long a feed may wait beyond its turn. A dead poller's feeds are due again after this and the time of two polls."""
HORIZON = timedelta(seconds=30)
ONCE_HORIZON = timedelta(hours=1)
"""With `once`, how long to wait for the turn of a busy host's feeds; later turns are left for the next run."""
TURN_SECONDS = 20.0
"""How long a poll may wait for its host's turn before the time limit of its request starts."""
IDLE_SECONDS = 5.0
LINGER_SECONDS = 0.1
WRITE_BATCH = 200
_REASONS: dict[type[HostBusy], str] = {HostPaused: store.PAUSED, HostFailing: store.FAILING}
"""Why a feed is postponed, by what its host's record says."""


class Poller:
    """Polls feeds until it is stopped. `counters` counts what happened, by `feeds.EVENT` and `stories.REASON`.

    With `only`, it polls just the feeds with these ids. While `has_room` says no, it finds none due.
    """

    def __init__(
        self,
        database: Database,
        client: FeedClient,
        reader: Reader,
        settings: FeedSettings,
        clock: Clock = wall_clock,
        random: Callable[[], float] = roll,
        only: Sequence[int] = (),
        has_room: Callable[[], bool] = lambda: True,
    ) -> None:
        self._database = database
        self._client = client
        self._reader = reader
        self._settings = settings
        self._clock = clock
        self._random = random
        self._only = only
        self._has_room = has_room
        self._id = uuid.uuid4().hex
        self._gap = timedelta(seconds=settings.interval_seconds)
        self._margin = timedelta(seconds=settings.timeout_seconds + TURN_SECONDS)
        self._lease = LEASE + 2 * self._margin
        self._gate = Gate(settings.per_host, settings.interval_seconds)
        self._plan = Booking({}, {})
        self._waiting: list[tuple[float, int, LeasedFeed]] = []
        self._parked: dict[str, deque[LeasedFeed]] = defaultdict(deque)
        self._parked_count = 0
        self._running: set[asyncio.Task[None]] = set()
        self._begun: dict[str, float] = {}
        self._held = Holdings()
        self._found_none = False
        self._look_at = 0.0
        self._finished: list[PollResult] = []
        self._put_off: list[PutOff] = []
        self._changed = asyncio.Event()
        self._ended = asyncio.Event()
        self._number = 0
        self.counters: Counter[str] = Counter()

    async def run(self, stop: asyncio.Event, once: bool = False) -> None:
        """Poll until `stop` is set; with `once`, poll every feed that is due now and return."""
        due = utc_now(self._clock) if once else None
        helpers = [asyncio.create_task(self._wake_at(stop)), asyncio.create_task(self._keep_writing())]
        for helper in helpers:
            helper.add_done_callback(lambda _: self._changed.set())
        taking: asyncio.Task[bool] | None = None
        idle = False
        try:
            while not stop.is_set():
                self._changed.clear()
                if taking and taking.done():
                    found, taking = taking.result(), None
                    if once and idle and not found:
                        break
                if taking is None and self._wants_more(once):
                    idle, self._look_at = not self._in_hand(), self._clock() + IDLE_SECONDS
                    taking = asyncio.create_task(self._take(due))
                    taking.add_done_callback(lambda _: self._changed.set())
                self._start_those_whose_turn_it_is()
                await self._pause(once)
                if helpers[1].done():
                    helpers[1].result()
        finally:
            for helper in helpers:
                helper.cancel()
            await asyncio.wait([*helpers, *([taking] if taking else [])])
            await self._wind_up()

    @property
    def under_way(self) -> UnderWay:
        """How far it has got."""
        taken = self.counters["feeds.queued"]
        url, since = next(iter(self._begun.items()), ("", 0.0))  # the first to begin stands first
        seconds = self._clock() - since if url else 0.0
        longest = self._settings.timeout_seconds + (READ_FEED.seconds or 0.0)
        return UnderWay(taken - self._in_hand(), taken, without_login(url), seconds, longest)

    # ------------------------------------------------------------------------------------------------------ taking

    def _in_hand(self) -> int:
        waiting = len(self._waiting) + self._parked_count
        return waiting + len(self._running) + len(self._finished) + len(self._put_off)

    def _wants_more(self, once: bool) -> bool:
        """Whether to check for due feeds: when there is capacity for them, and not too often when there were none.

        A source that another poller held may be free by the time that all is done, so polling once checks again then.
        """
        if self._found_none:
            return not self._in_hand() if once else self._clock() >= self._look_at
        return self._in_hand() < 8 * self._settings.concurrency

    async def _take(self, due: datetime | None) -> bool:
        """Lease more feeds; False when none was due, or there is no room for what they bring."""
        if not await asyncio.to_thread(self._has_room):
            self._found_none = True
            return False
        now = utc_now(self._clock)
        terms = store.LeaseTerms(
            self._id,
            4 * self._settings.concurrency,
            self._gap,
            ONCE_HORIZON if due else HORIZON,
            self._lease,
            self._only,
            self._plan,
        )
        lease = partial(store.lease_due, self._database, terms, now, due or now)
        leased, seen = await asyncio.to_thread(
            repeated, lease
        )  # feeds leased in vain are due again when the lease ends
        self.counters["feeds.queued"] += len(leased)
        for feed in leased:
            self._held.take(feed.source_keys, feed.lease_until)
            self._wait_until(feed.start_at.timestamp(), feed)
        self._found_none = seen == 0
        return seen > 0

    def _wait_until(self, when: float, feed: LeasedFeed) -> None:
        self._number += 1
        heapq.heappush(self._waiting, (when, self._number, feed))

    # ---------------------------------------------------------------------------------------------------- starting

    def _start_those_whose_turn_it_is(self) -> None:
        now = self._clock()
        while self._waiting and self._waiting[0][0] <= now and len(self._running) < self._settings.concurrency:
            feed = heapq.heappop(self._waiting)[2]
            if feed.lease_until - self._margin < utc_now(self._clock):
                self.counters["feeds.late"] += 1  # the lease expires, and the feed is due again
                self._held.give(feed.source_keys)
                self._unpark(feed)
            elif blocked := self._gate.blocked_by(feed.keys):
                self._parked[blocked].append(feed)
                self._parked_count += 1
            elif (earliest := self._gate.earliest(feed.keys)) > now:
                self._wait_or_put_off(earliest, feed, store.PUT_OFF)
            else:
                self._gate.start(feed.keys, now)
                task = asyncio.create_task(self._poll(feed))
                self._running.add(task)
                task.add_done_callback(self._running.discard)

    def _wait_or_put_off(self, when: float, feed: LeasedFeed, reason: str) -> None:
        """The feed may not be fetched before `when`: wait if that is soon, else postpone the feed."""
        moment = datetime.fromtimestamp(when, UTC)
        if moment <= feed.lease_until - self._margin:
            self._wait_until(when, feed)
        else:
            self._put_off.append(PutOff(feed, moment, reason))
            self._unpark(feed)
            self._ended.set()

    async def _poll(self, feed: LeasedFeed) -> None:
        now = utc_now(self._clock)
        self._begun[feed.url] = self._clock()
        try:
            with timed("poll"):
                asking = Asking(self._client, self._reader, feed, self._settings, now, self._any_known)
                result = await poll_feed(asking)
        except asyncio.CancelledError:
            raise
        except HostBusy as busy:
            self._wait_or_put_off(self._clock() + busy.after, feed, _REASONS.get(type(busy), store.PUT_OFF))
            self._changed.set()
            return
        except Exception as error:
            # An error in one feed, even a bug of ours, must not stop the others.
            log.exception("poll failed", extra={"feed": feed.id, "url": feed.url})
            result = PollResult(feed, now).failed("fetch error", SOFT, repr(error))
        finally:
            self._begun.pop(feed.url, None)
            self._gate.finish(feed.keys)
            self._unpark(feed)
        self._finished.append(result)
        self._ended.set()
        self._changed.set()

    async def _any_known(self, feed_id: int, entries: Sequence[Candidate]) -> bool:
        return await asyncio.to_thread(any_known, self._database, feed_id, entries, self._settings.title_days)

    def _unpark(self, feed: LeasedFeed) -> None:
        """The feed has finished, or did not start: let the next feed of its host and source try."""
        for key in feed.keys:
            if line := self._parked.get(key):
                self._wait_until(self._clock(), line.popleft())
                self._parked_count -= 1
                if not line:
                    del self._parked[key]

    # ----------------------------------------------------------------------------------------- writing and waiting

    async def _keep_writing(self) -> None:
        """Write finished polls, many in one transaction: a busy poller fills it, an idle one waits only a moment."""
        while True:
            await self._ended.wait()
            await asyncio.sleep(LINGER_SECONDS)
            self._ended.clear()
            await self._write()
            self._changed.set()

    async def _write(self) -> None:
        """Store finished polls and postponed feeds."""
        if put_off := self._put_off[:]:
            freed = self._freed_by([one.feed for one in put_off])
            await asyncio.to_thread(store.put_off, self._database, put_off, self._id, freed)
            self.counters["feeds.put_off"] += len(put_off)
            del self._put_off[: len(put_off)]
        while batch := self._finished[:WRITE_BATCH]:
            freed = self._freed_by([result.feed for result in batch])
            # Shielded: we wait for a transaction that has begun, so that its polls are never written twice.
            writing = asyncio.ensure_future(
                asyncio.to_thread(record_polls, self._database, batch, self._settings, self._random, self._id, freed)
            )
            try:
                counts = await asyncio.shield(writing)
            except asyncio.CancelledError:
                self.counters.update(await writing)
                del self._finished[: len(batch)]
                raise
            self.counters.update(counts)
            _tell_first_failures(batch)
            del self._finished[: len(batch)]

    def _freed_by(self, done: Sequence[LeasedFeed]) -> list[Freed]:
        """The sources that other pollers may use once these feeds are written."""
        held = {key: until for feed in done for key, until in self._held.give(feed.source_keys).items()}
        return [
            Freed(key, datetime.fromtimestamp(self._gate.earliest([key]), UTC), until)
            for key, until in sorted(held.items())
        ]

    async def _pause(self, once: bool) -> None:
        """Sleep until a turn comes, a poll ends, or it is time to check again."""
        seconds = IDLE_SECONDS
        if self._found_none and not once:
            seconds = max(0.0, min(seconds, self._look_at - self._clock()))
        if self._waiting and len(self._running) < self._settings.concurrency:
            seconds = min(seconds, max(0.0, self._waiting[0][0] - self._clock()))
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), seconds)

    async def _wake_at(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._changed.set()

    async def _wind_up(self) -> None:
        """Let running polls finish, write them, and release the feeds that were not started."""
        if self._running:
            await asyncio.wait(self._running, timeout=self._settings.timeout_seconds)
            for task in self._running:
                task.cancel()
        await self._write()
        left = [feed for _, _, feed in self._waiting] + [feed for line in self._parked.values() for feed in line]
        now = utc_now(self._clock)
        await asyncio.to_thread(store.give_back, self._database, left, now)
        await asyncio.to_thread(store.let_sources_go, self._database, self._id, now, self._gap)
        self._waiting.clear()
        self._parked.clear()
        self._parked_count = 0
        self._held.clear()


def _tell_first_failures(results: Sequence[PollResult]) -> None:
    """A feed that was never heard of may be mistyped: whoever added it is watching now, and should not wait for hours."""
    for result in results:
        before = result.feed.columns
        if result.weight and before["last_fetch_success"] is None and not before["last_fetch_failures"]:
            why = plain_words(note(result.status, result.detail))
            log.warning(
                "the first poll of a feed failed",
                extra={"feed": result.feed.id, "url": without_login(result.feed.url), "why": why,
                       "advice": what_to_do(result.status, result.detail)},
            )  # fmt: skip
