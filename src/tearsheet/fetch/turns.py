"""Turns: who may ask which host now. The waiting and remembering around the pure rules of `manners`.

A story whose turn comes soon is held here. One whose turn is far off is told when to come back, so that the stories of
one large host never fill the places that all the others need.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Protocol

from tearsheet.clock import Clock, wall_clock
from tearsheet.errors import ConfigError, StoryError
from tearsheet.fetch.manners import (
    LONGEST_CRAWL_DELAY,
    MANNERS,
    HostRules,
    HostState,
    answered,
    earliest,
    failed,
    failing_for,
    promise,
    reserve,
    rules_for,
)
from tearsheet.fetch.slots import Slots
from tearsheet.settings import FetchSettings

HOLD_SECONDS = 15.0
"""A turn that comes within this time is waited for in memory."""
SHORT_HOLD_SECONDS = 1.0
"""The same when half of all places are taken by those who wait: the rest is for stories that can go."""
SAVE_SECONDS = 2.0
FORGET_SECONDS = 86_400.0
_FORGET_EVERY = 600.0


class HostBusy(StoryError):
    """The host's turn is too far off to be waited for: come back after so many seconds."""

    def __init__(self, after: float) -> None:
        super().__init__(f"come back in {after:.0f} s")
        self.after = after


class HostFailing(HostBusy):
    """The host could not be reached lately and is left alone for so many seconds."""


class StateStore(Protocol):
    """Where states outlive the process."""

    def load(self) -> dict[str, HostState]:
        """Every state that is kept."""
        ...

    def save(self, states: dict[str, HostState]) -> None:
        """Keep these states."""
        ...

    def forget(self, before: float) -> None:
        """Drop states that were not touched since."""
        ...


@dataclass(slots=True)
class _Host:
    """A host as this process sees it."""

    rules: HostRules
    state: HostState
    free: Slots
    held: int = 0
    promised: float = 0.0


class Turn:
    """Leave to make one request. Say how it went: the next turns depend on it."""

    def __init__(self, manners: Manners, host: str) -> None:
        self._manners = manners
        self.host = host

    async def __aenter__(self) -> Turn:
        await self._manners.take(self.host)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._manners.give_back(self.host)

    def answered(self, status: int, seconds: float, retry_after: float | None = None) -> None:
        """The host answered, after so many seconds; `retry_after` is what it said about coming back."""
        self._manners.note_answer(self.host, status, seconds, retry_after)

    def failed(self) -> None:
        """The host could not be reached."""
        self._manners.note_failure(self.host)


class Manners:
    """Gives turns. One for each process that fetches; with several, each host must belong to one of them."""

    def __init__(
        self,
        settings: FetchSettings,
        store: StateStore | None = None,
        *,
        places: int | None = None,
        clock: Clock = wall_clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        _check(settings)
        self._settings = settings
        self._store = store
        self._clock = clock
        self._sleep = sleep
        self._places = places or settings.concurrency
        """How many stories are in flight at once, waiting or fetched."""
        self._waiting = 0
        self._hosts: dict[str, _Host] = {}
        self._changed: set[str] = set()
        self._saving: asyncio.Task[None] | None = None
        self._forget_at = clock() + _FORGET_EVERY
        for host, state in (store.load() if store else {}).items():
            self._hosts[host] = self._new(host, state)

    def turn(self, host: str) -> Turn:
        """`async with manners.turn(host) as turn:` waits for the host's turn and takes it. Raises HostBusy or HostFailing."""
        return Turn(self, host)

    async def take(self, host: str) -> None:
        """Wait for the host's turn and take it; `give_back` must follow. Raises HostBusy or HostFailing."""
        known = self._host(host)
        self._refuse_failing(known)
        now = self._clock()
        crowded = self._waiting >= self._places // 2
        if earliest(known.state, known.rules, now) - now > (SHORT_HOLD_SECONDS if crowded else HOLD_SECONDS):
            raise self._busy(known)
        known.state, start = reserve(known.state, known.rules, now)
        known.held += 1
        self._waiting += 1
        try:
            if start > now:
                await self._sleep(start - now)
                self._refuse_what_changed(known)
            if known.free.full:
                await self._wait_for_place(known)
            else:
                await known.free.take()
        except BaseException:
            known.held -= 1
            raise
        finally:
            self._waiting -= 1

    def give_back(self, host: str) -> None:
        """End a turn."""
        known = self._host(host)
        known.held -= 1
        known.free.give_back()

    def rules(self, host: str) -> HostRules:
        """How a host is treated."""
        return self._host(host).rules

    def state(self, host: str) -> HostState:
        """What is known of a host."""
        return self._host(host).state

    def refuse(self, host: str) -> None:
        """Raise HostBusy or HostFailing when the host must be left alone."""
        self._refuse_what_changed(self._host(host))

    def visit(self, host: str) -> None:
        """A redirect leads to this host: count it against its pace. Raises HostBusy or HostFailing when it must be left alone."""
        self.refuse(host)
        known = self._host(host)
        known.state, _ = reserve(known.state, known.rules, self._clock())

    def note_answer(self, host: str, status: int, seconds: float, retry_after: float | None = None) -> None:
        """A host answered."""
        known = self._host(host)
        known.state = answered(
            known.state, known.rules, self._clock(), status=status, seconds=seconds, retry_after=retry_after
        )
        self._note_change(host)

    def note_failure(self, host: str) -> None:
        """A host could not be reached."""
        known = self._host(host)
        known.state = failed(known.state, self._clock())
        self._note_change(host)

    def note_crawl_delay(self, host: str, seconds: float | None) -> None:
        """What robots.txt says about the pace."""
        known = self._host(host)
        known.state = replace(known.state, crawl_delay=min(max(seconds or 0.0, 0.0), LONGEST_CRAWL_DELAY))

    async def close(self) -> None:
        """Keep what is known."""
        if self._saving:
            await self._saving
        await self._save()

    def _host(self, host: str) -> _Host:
        if host not in self._hosts:
            self._hosts[host] = self._new(host, HostState())
        return self._hosts[host]

    def _new(self, host: str, state: HostState) -> _Host:
        rules = rules_for(host, self._settings)
        at_once = rules.per_host if rules.keeps("pace") else 1_000_000
        return _Host(rules, state, Slots(at_once))

    async def _wait_for_place(self, known: _Host) -> None:
        try:
            async with asyncio.timeout(HOLD_SECONDS):
                await known.free.take()
        except TimeoutError:
            raise self._busy(known) from None
        try:
            self._refuse_what_changed(known)
        except HostBusy:
            known.free.give_back()
            raise

    def _refuse_what_changed(self, known: _Host) -> None:
        """A host that was well when the waiting began may have said something else since."""
        self._refuse_failing(known)
        if known.rules.keeps("retry-after") and known.state.blocked_until > self._clock():
            raise self._busy(known)

    def _refuse_failing(self, known: _Host) -> None:
        if seconds := failing_for(known.state, known.rules, self._clock()):
            raise HostFailing(seconds)

    def _busy(self, known: _Host) -> HostBusy:
        after, known.promised = promise(known.state, known.rules, self._clock(), known.promised)
        return HostBusy(after)

    def _note_change(self, host: str) -> None:
        if self._store is None:
            return
        self._changed.add(host)
        if self._saving is None:
            self._saving = asyncio.create_task(self._save_soon())

    async def _save_soon(self) -> None:
        try:
            await asyncio.sleep(SAVE_SECONDS)
            await self._save()
        finally:
            self._saving = None

    async def _save(self) -> None:
        if self._store is None:
            return
        states = {host: self._hosts[host].state for host in self._changed}
        self._changed.clear()
        if states:
            await asyncio.to_thread(self._store.save, states)
        if self._clock() >= self._forget_at:
            self._forget_at = self._clock() + _FORGET_EVERY
            await asyncio.to_thread(self._store.forget, self._forget_idle())

    def _forget_idle(self) -> float:
        """Drop hosts that nobody asked for a day, so that memory does not grow with every host ever seen."""
        before = self._clock() - FORGET_SECONDS
        for host, known in list(self._hosts.items()):
            state = known.state
            if known.held == 0 and max(state.updated, state.blocked_until, state.failed_until) < before:
                del self._hosts[host]
        return before


def _check(settings: FetchSettings) -> None:
    for host, words in settings.manners_off.items():
        for word in words.replace(",", " ").split():
            if word != "all" and word not in MANNERS:
                raise ConfigError(f"fetch.manners_off: {host!r} has {word!r}; use {', '.join(MANNERS)} or all")
