"""The one polite request. Everything that comes from the web is requested here: stories, feeds, topics and ingested documents.

Each hop of a request obeys robots.txt, waits for a turn of its host, and is noted in that host's record: how long it took,
whether it failed, and what the host said about coming back. The record is shared by all processes with the same database.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Protocol, Self

from tearsheet.clock import Clock, wall_clock
from tearsheet.fetch.client import Client
from tearsheet.fetch.hosts import StateStore, open_record
from tearsheet.fetch.manners import retry_after_seconds
from tearsheet.fetch.model import UNREACHABLE_KINDS, FetchError, FetchRequest, FetchResponse, Redirect
from tearsheet.fetch.robots import Robots, RobotsForbid, RobotsStore
from tearsheet.fetch.turns import HOLD_SECONDS, REDIRECT_HOLD_SECONDS, HostBusy, HostTurns, Turn
from tearsheet.fetch.wire import wire_host, wire_url
from tearsheet.settings import FetchSettings
from tearsheet.urls import BadURL

_TIMEOUT_KINDS = frozenset({"timeout", "read-timeout"})
_TIMED_OUT = 408
"""The status under which a request without an answer is noted."""


class SharedStore(StateStore, RobotsStore, Protocol):
    """Where the record of hosts and their robots.txt files are shared with other processes."""


class PoliteClient:
    """Makes polite requests. One for each event loop; use it in an `async with` block, or close it.

    `in_flight` is how many requests are waiting or under way at once; by default `fetch.concurrency`.
    """

    def __init__(
        self,
        settings: FetchSettings,
        store: SharedStore | None = None,
        *,
        in_flight: int | None = None,
        client: Client | None = None,
        clock: Clock = wall_clock,
    ) -> None:
        self._client = client or Client(settings)
        self._clock = clock
        self._record = open_record(store, clock)
        self._turns = HostTurns(settings, self._record, in_flight=in_flight, clock=clock)
        self._robots = Robots(self.fetch, self._turns, settings, store, clock=clock)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Write what is known of hosts, and close all connections."""
        await self._client.close()
        await self._record.close()

    def send_away(self) -> None:
        """Let nobody wait for a host any more: those who do get HostBusy at once. What is under way goes on."""
        self._turns.send_away()

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        """GET a document, or POST a form, following redirects; any status is a response.

        Raises HostBusy or HostFailing when the host must be left alone for now, RobotsUnavailable when its robots.txt cannot
        be read now, RobotsForbid when that forbids the address, and FetchError when there is no response.
        """
        try:
            first = wire_url(request.url)
        except BadURL as error:
            raise FetchError("bad-url", str(error), url=request.url) from error
        give_up = asyncio.get_running_loop().time() + request.patience
        turn = await self._turn(first, request, give_up, HOLD_SECONDS)
        before = 0.0

        async def follow(redirect: Redirect) -> None:
            nonlocal turn, before
            before += redirect.seconds
            turn.answered(redirect.hop.status, redirect.seconds)
            turn.end()
            if request.on_redirect:
                await request.on_redirect(redirect)
            turn = await self._turn(redirect.target, request, give_up, REDIRECT_HOLD_SECONDS)

        try:
            response = await self._client.fetch(request, follow, self._turns.keeps_pace)
            turn.answered(response.status, response.elapsed - before, self._told_to_wait(response))
            return response
        except FetchError as error:
            _note_error(turn, error)
            raise
        finally:
            turn.end()

    async def _turn(self, url: str, request: FetchRequest, give_up: float, hold: float) -> Turn:
        """The turn of an address: robots.txt allows it, and its host may be asked now."""
        while True:
            try:
                if request.obey_robots and not await self._robots.allows(url):
                    raise RobotsForbid(url)
                return await self._turns.take(wire_host(url), hold)
            except HostBusy as busy:
                if self._turns.closed or asyncio.get_running_loop().time() + busy.after > give_up:
                    raise
                await asyncio.sleep(busy.after)

    def _told_to_wait(self, response: FetchResponse) -> float | None:
        if response.status == 200:
            return None
        return retry_after_seconds(response.header("Retry-After"), self._clock())


def _note_error(turn: Turn, error: FetchError) -> None:
    """Note the failure for the host that failed: the turn belongs to the current hop."""
    if error.kind in UNREACHABLE_KINDS:
        turn.failed()
    elif error.kind in _TIMEOUT_KINDS:
        turn.answered(_TIMED_OUT, error.elapsed)
