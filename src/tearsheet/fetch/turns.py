"""Turns: which request may go to which host now. This is the waiting around the pure rules of `manners` and the record of `hosts`.

A request whose turn comes soon waits here. One whose turn is far off is told when to come back, so that the requests to
one large host never fill the slots that all the others need.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from tearsheet.clock import Clock, wall_clock
from tearsheet.errors import ConfigError, StoryError
from tearsheet.fetch.hosts import FORGET_EVERY, FORGET_SECONDS, HostRecord
from tearsheet.fetch.manners import (
    MANNERS,
    SLACK,
    HostRules,
    HostState,
    Refusal,
    Start,
    answered,
    delayed,
    failed,
    is_too_late,
    promise,
    rules_for,
    take_turn,
)
from tearsheet.fetch.slots import Slots
from tearsheet.settings import FetchSettings

HOLD_SECONDS = 15.0
"""A request waits in memory for a turn that comes within this time."""
SHORT_HOLD_SECONDS = 1.0
"""The same when waiting requests fill half of all slots: the rest is for requests that can start."""
REDIRECT_HOLD_SECONDS = 60.0
"""The same for the next hop of a request that is under way: coming back later would mean asking the first host again."""
_NO_LIMIT = 1_000_000


class HostBusy(StoryError):
    """The host's turn is too far off to wait for: come back after this many seconds."""

    def __init__(self, after: float) -> None:
        super().__init__(f"come back in {after:.0f} s")
        self.after = after


class HostPaused(HostBusy):
    """The host told us to stay away for this many seconds."""


class HostFailing(HostBusy):
    """The host could not be reached recently and is left alone for this many seconds."""


@dataclass(slots=True)
class _Host:
    """A host as this process sees it."""

    name: str
    rules: HostRules
    free: Slots
    held: int = 0
    promised: float = 0.0
    started: float = 0.0


class Turn:
    """Permission for one request, from `HostTurns.take`. Report how it went, and end it."""

    def __init__(self, turns: HostTurns, host: _Host) -> None:
        self._turns = turns
        self._host: _Host | None = host
        self.host = host.name

    def answered(self, status: int, seconds: float, retry_after: float | None = None) -> None:
        """The host answered after this many seconds; `retry_after` is what it said about coming back."""
        self._turns.note_answer(self.host, status, seconds, retry_after)

    def failed(self) -> None:
        """The host could not be reached."""
        self._turns.note_failure(self.host)

    def end(self) -> None:
        """Release the slots. May be called more than once."""
        if self._host is not None:
            self._turns.give_back(self._host)
            self._host = None


class HostTurns:
    """Gives turns to the requests of one process; `record` is what it shares with others."""

    def __init__(
        self,
        settings: FetchSettings,
        record: HostRecord,
        *,
        in_flight: int | None = None,
        clock: Clock = wall_clock,
    ) -> None:
        _check(settings)
        self._settings = settings
        self._record = record
        self._clock = clock
        self._in_flight = in_flight or settings.concurrency
        """How many requests are waiting or under way at once."""
        self._waiting: set[asyncio.Timeout] = set()
        self.closed = False
        """Whether nobody may wait for a turn any more."""
        self._free = Slots(max(1, settings.concurrency))
        self._hosts: dict[str, _Host] = {}
        self._forget_at = clock() + FORGET_EVERY

    async def take(self, name: str, hold: float = HOLD_SECONDS) -> Turn:
        """Wait up to `hold` seconds for a turn of the host and take it; `Turn.end` must follow. Raises HostBusy or HostFailing."""
        host = self._host(name)
        host.held += 1
        try:
            if host.free.full or self._free.full:
                start = await self._ask(host, hold, queued=False, ready=False)
            else:
                start = await self._try(host, hold, queued=False)
            while not start.begun:
                await self._wait(start.at)
                start = await self._try(host, hold, queued=True)
        except BaseException:
            host.held -= 1
            raise
        return Turn(self, host)

    def send_away(self) -> None:
        """Tell all who wait for a turn, now or later, to come back another time. Requests under way are not disturbed."""
        self.closed = True
        for wait in self._waiting:
            wait.reschedule(asyncio.get_running_loop().time())

    def give_back(self, host: _Host) -> None:
        """End a turn."""
        host.held -= 1
        self._release_slots(host)

    def keeps_pace(self, host: str) -> bool:
        """Whether requests to this host keep an interval."""
        rules = self.rules(host)
        return rules.keeps("pace") and rules.interval > 0

    def rules(self, host: str) -> HostRules:
        """How a host is treated."""
        return self._host(host).rules

    def note_answer(self, host: str, status: int, seconds: float, retry_after: float | None = None) -> None:
        """Note that a host answered."""
        rules = self.rules(host)

        def rule(state: HostState, now: float) -> tuple[HostState, None]:
            return answered(state, rules, now, status=status, seconds=seconds, retry_after=retry_after), None

        self._record.note(host, rule)

    def note_failure(self, host: str) -> None:
        """Note that a host could not be reached."""
        self._record.note(host, lambda state, now: (failed(state, now), None))

    def note_crawl_delay(self, host: str, seconds: float | None) -> None:
        """Note what robots.txt says about the pace."""
        self._record.note(host, lambda state, now: (delayed(state, seconds), None))

    async def _try(self, host: _Host, hold: float, *, queued: bool) -> Start:
        """Take slots, then ask for a turn, so that a request that gets its turn starts at once. Without a turn, release them.

        A turn that was heard of too late is given up: `begun` is false then, and the request asks again.
        """
        await self._take_slots(host)
        begun = False
        try:
            start = await self._ask(host, hold, queued=queued, ready=True)
            if start.begun:
                while (rest := self._rest(host, start.interval)) > SLACK:
                    await asyncio.sleep(rest)
                now = self._clock()
                if is_too_late(start, now):
                    return replace(start, at=now, begun=False)
                host.started = now
            begun = start.begun
            return start
        finally:
            if not begun:
                self._release_slots(host)

    async def _ask(self, host: _Host, hold: float, *, queued: bool, ready: bool) -> Start:
        crowded = not queued and len(self._waiting) >= self._in_flight // 2
        longest = min(hold, SHORT_HOLD_SECONDS) if crowded else hold
        rules = host.rules

        def rule(state: HostState, now: float) -> tuple[HostState, Start | Refusal]:
            return take_turn(state, rules, now, hold=longest, queued=queued, ready=ready)

        turn = await self._record.ask(host.name, rule)
        if isinstance(turn, Refusal):
            raise HostFailing(turn.failing) if turn.failing else self._busy(host, turn.state)
        return turn

    async def _wait(self, until: float) -> None:
        """Wait for a turn. Raises HostBusy when everyone is sent away."""
        seconds = until - self._clock()
        if seconds <= 0:
            return
        try:
            async with self._waits():
                await asyncio.sleep(seconds)
        except TimeoutError:
            raise HostBusy(max(0.0, until - self._clock())) from None

    @asynccontextmanager
    async def _waits(self, longest: float | None = None) -> AsyncIterator[None]:
        """A wait that `send_away` can end. Raises TimeoutError then, and when it is longer than `longest` seconds."""
        async with asyncio.timeout(0.0 if self.closed else longest) as wait:
            self._waiting.add(wait)
            try:
                yield
            finally:
                self._waiting.discard(wait)

    def _rest(self, host: _Host, interval: float) -> float:
        """Seconds for which this process must still wait: of two turns, the answer to the first may arrive later."""
        now = self._clock()
        return min(host.started, now) + interval - now

    async def _take_slots(self, host: _Host) -> None:
        """Take one of the host's slots and one of all. Raises HostBusy when the host's are taken for too long."""
        if not host.free.take_at_once():
            await self._wait_for_slot(host)
        if self._free.take_at_once():
            return
        try:
            await self._free.take()
        except BaseException:
            host.free.give_back()
            raise

    async def _wait_for_slot(self, host: _Host) -> None:
        try:
            async with self._waits(HOLD_SECONDS):
                await host.free.take()
        except TimeoutError:
            state = await self._record.ask(host.name, lambda state, now: (state, state))
            raise self._busy(host, state) from None

    def _release_slots(self, host: _Host) -> None:
        self._free.give_back()
        host.free.give_back()

    def _busy(self, host: _Host, state: HostState) -> HostBusy:
        now = self._clock()
        after, host.promised = promise(state, host.rules, now, host.promised)
        told = host.rules.keeps("retry-after") and state.blocked_until > now
        return HostPaused(after) if told else HostBusy(after)

    def _host(self, name: str) -> _Host:
        known = self._hosts.get(name)
        if known is None:
            self._forget_idle()
            rules = rules_for(name, self._settings)
            at_once = rules.per_host if rules.keeps("pace") else _NO_LIMIT
            known = self._hosts[name] = _Host(name, rules, Slots(at_once))
        return known

    def _forget_idle(self) -> None:
        """Drop hosts that had no request for a day, so that memory does not grow with every host ever seen."""
        now = self._clock()
        if now < self._forget_at:
            return
        self._forget_at = now + FORGET_EVERY
        for name, host in list(self._hosts.items()):
            if host.held == 0 and max(host.started, host.promised) < now - FORGET_SECONDS:
                del self._hosts[name]


def _check(settings: FetchSettings) -> None:
    for host, named in settings.manners_off.items():
        for manner in named.replace(",", " ").split():
            if manner != "all" and manner not in MANNERS:
                raise ConfigError(f"fetch.manners_off: {host!r} has {manner!r}; use {', '.join(MANNERS)} or all")
