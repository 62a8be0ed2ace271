"""robots.txt: fetched once a day for each host, and obeyed (RFC 9309)."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from tearsheet.clock import Clock, wall_clock
from tearsheet.errors import StoryError
from tearsheet.fetch.manners import retry_after_seconds
from tearsheet.fetch.model import CONNECTION_KINDS, FetchError, FetchRequest, FetchResponse
from tearsheet.fetch.robots_rules import RobotsRules
from tearsheet.fetch.turns import HostBusy, HostTurns
from tearsheet.fetch.wire import wire_host, wire_origin
from tearsheet.settings import FetchSettings

MAX_BYTES = 500 * 1024
"""The least that RFC 9309 requires us to read; the rest is cut off."""
MAX_SECONDS = 30.0
FRESH_SECONDS = 86_400.0
STALE_SECONDS = 30 * 86_400.0
"""How long an old copy is obeyed while the server cannot send a new one."""
RETRY_SECONDS = 600.0
_KEPT = 1_000
_SMALL = 10_000
_PRODUCT = re.compile(r"([A-Za-z_-]+)/[0-9]")


@dataclass(slots=True, frozen=True)
class RobotsText:
    """A robots.txt as it was received; an empty text allows everything."""

    text: str
    fetched_at: float


@dataclass(slots=True)
class _Known:
    """The rules of one origin."""

    rules: RobotsRules
    fetched_at: float
    good_until: float


Fetch = Callable[[FetchRequest], Awaitable[FetchResponse]]
"""The polite request."""


class RobotsStore(Protocol):
    """Where robots.txt files outlive the process."""

    def load_robots(self, origin: str) -> RobotsText | None:
        """The stored copy for `scheme://host:port`."""
        ...

    def save_robots(self, origin: str, robots: RobotsText) -> None:
        """Store a copy."""
        ...


class RobotsForbid(StoryError):
    """robots.txt forbids an address."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


class RobotsUnavailable(HostBusy):
    """The server has a robots.txt but cannot send it now, so nothing may be fetched for this many seconds."""


def product_token(user_agent: str) -> str:
    """Our name in robots.txt: the product in the User-Agent that is specific to us."""
    products = [name for name in _PRODUCT.findall(user_agent) if name.lower() != "mozilla"]
    return str(products[0] if products else (user_agent.split() or ["*"])[0]).lower()


class Robots:
    """Says whether an address may be fetched."""

    def __init__(
        self, fetch: Fetch, turns: HostTurns, settings: FetchSettings, store: RobotsStore | None = None,
        *, clock: Clock = wall_clock,
    ) -> None:  # fmt: skip
        self._get = fetch
        self._turns = turns
        self._agent = product_token(settings.user_agent)
        self._store = store
        self._clock = clock
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._asking: dict[str, asyncio.Task[_Known]] = {}

    async def allows(self, url: str) -> bool:
        """Whether robots.txt lets us fetch an address (in wire form).

        Raises HostBusy or HostFailing when the host must be left alone, FetchError when it cannot be reached.
        """
        host = wire_host(url)
        if not self._turns.rules(host).keeps("robots"):
            return True
        origin = wire_origin(url)
        known = self._known.get(origin)
        if known is None or self._clock() >= known.good_until:
            known = await self._ask_once(origin, host)
        else:
            self._known.move_to_end(origin)
        if known.rules.quick(url):
            return known.rules.allows(url)
        return await asyncio.to_thread(known.rules.allows, url)

    async def _ask_once(self, origin: str, host: str) -> _Known:
        """Many stories of a host may come at once: one fetches, and all get the answer."""
        if origin not in self._asking:
            task = asyncio.create_task(self._ask(origin, host))
            self._asking[origin] = task
            task.add_done_callback(lambda done: self._asked(origin, done))
        return await asyncio.shield(self._asking[origin])

    def _asked(self, origin: str, task: asyncio.Task[_Known]) -> None:
        del self._asking[origin]
        if not task.cancelled():
            task.exception()  # retrieved, even if every caller has gone

    async def _ask(self, origin: str, host: str) -> _Known:
        known = self._known.get(origin) or await self._load(origin)
        if known is None or self._clock() >= known.good_until:
            try:
                text = await self._fetch(origin)
            except (HostBusy, FetchError):
                if known is None or self._clock() - known.fetched_at > STALE_SECONDS:
                    raise
                known.good_until = self._clock() + RETRY_SECONDS
            else:
                known = await self._parsed(text)
                if self._store:
                    await asyncio.to_thread(self._store.save_robots, origin, text)
        self._turns.note_crawl_delay(host, known.rules.crawl_delay)
        self._known[origin] = known
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return known

    async def _load(self, origin: str) -> _Known | None:
        text = await asyncio.to_thread(self._store.load_robots, origin) if self._store else None
        return await self._parsed(text) if text else None

    async def _fetch(self, origin: str) -> RobotsText:
        request = FetchRequest(
            f"{origin}/robots.txt",
            headers={"Accept-Encoding": "identity"},
            accept="text/plain,*/*;q=0.5",
            max_bytes=MAX_BYTES,
            timeout=MAX_SECONDS,
            cut=True,
            obey_robots=False,
        )
        try:
            response = await self._get(request)
        except FetchError as error:
            if error.kind in CONNECTION_KINDS or (error.kind == "forbidden-address" and not error.exchanges):
                raise
            return RobotsText("", self._clock())  # redirects that lead nowhere: the same as no robots.txt
        return self._judge(response)

    def _judge(self, response: FetchResponse) -> RobotsText:
        now = self._clock()
        if response.status == 429 or response.status >= 500:
            wait = retry_after_seconds(response.header("Retry-After"), now)
            raise RobotsUnavailable(max(wait or 0.0, RETRY_SECONDS))
        found = 200 <= response.status < 300
        return RobotsText(response.body.decode("utf-8", "replace") if found else "", now)

    async def _parsed(self, text: RobotsText) -> _Known:
        small = len(text.text) < _SMALL
        read = (
            RobotsRules(text.text, self._agent)
            if small
            else await asyncio.to_thread(RobotsRules, text.text, self._agent)
        )
        return _Known(read, text.fetched_at, text.fetched_at + FRESH_SECONDS)
