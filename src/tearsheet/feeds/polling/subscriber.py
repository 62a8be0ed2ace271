"""Ask hubs to tell of news, before their leases end again, and tell them when they need not any more."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from datetime import timedelta
from urllib.parse import urlencode

from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines.database import Database
from tearsheet.feeds.polling import websub_store
from tearsheet.feeds.polling.asking import FeedClient
from tearsheet.feeds.polling.websub import (
    ACTIVE,
    ASKED,
    CALLED_AT,
    ENDING,
    LEASE,
    REFUSED,
    REFUSED_FOR,
    ask_again_at,
)
from tearsheet.feeds.polling.websub_store import Subscription
from tearsheet.fetch import FetchError, FetchRequest, HostBusy
from tearsheet.masking import shown_url
from tearsheet.settings import FeedSettings

log = logging.getLogger(__name__)

EVERY_SECONDS = 60.0
HUB_SECONDS = 30.0
HUB_BYTES = 64 * 1024
_ACCEPTED = range(200, 300)


class Subscriber:
    """Keeps the subscriptions of all feeds. Without `feeds.callback_url` it ends those that there are."""

    def __init__(
        self, database: Database, client: FeedClient, settings: FeedSettings, clock: Clock = wall_clock
    ) -> None:
        self._database = database
        self._client = client
        self._settings = settings
        self._clock = clock

    async def run(self, stop: asyncio.Event) -> None:
        """Do what is due every minute until `stop` is set."""
        while not stop.is_set():
            await self.once()
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), EVERY_SECONDS)

    async def once(self) -> int:
        """Ask the hubs whose turn it is; returns how many were asked."""
        now = utc_now(self._clock)
        off = not self._settings.callback_url
        await asyncio.to_thread(websub_store.end_unwanted, self._database, now, all_of_them=off)
        due = await asyncio.to_thread(websub_store.due_subscriptions, self._database, now)
        for subscription in due:
            await self._ask(subscription)
        return len(due)

    async def _ask(self, subscription: Subscription) -> None:
        """Ask one hub. What it answers only means that it has heard us: it calls when it has made up its mind."""
        now = utc_now(self._clock)
        ending = subscription.state == ENDING
        if ending and (subscription.asked or not self._settings.callback_url):
            # A hub that did not call back, or cannot, stops when the lease ends.
            await asyncio.to_thread(websub_store.drop, self._database, subscription)
            return
        try:
            problem = await self._request(subscription, "unsubscribe" if ending else "subscribe")
        except HostBusy as busy:
            later = now + timedelta(seconds=max(busy.after, EVERY_SECONDS))
            await asyncio.to_thread(websub_store.change, self._database, subscription, ask_at=later)
            return
        asked = subscription.asked + 1
        again = ask_again_at(now, asked)
        values: dict[str, object]
        if again is None:
            values = {"state": REFUSED, "ask_at": now + REFUSED_FOR, "asked": 0}
        else:
            # A subscription that is being renewed is still one.
            state = subscription.state if subscription.state in (ACTIVE, ENDING) else ASKED
            values = {"state": state, "ask_at": again, "asked": asked}
        await asyncio.to_thread(websub_store.change, self._database, subscription, note=problem, **values)

    async def _request(self, subscription: Subscription, mode: str) -> str | None:
        """Send a request to a hub; returns what is wrong with its answer, if anything. Raises HostBusy."""
        form = {
            "hub.callback": self._settings.callback_url.rstrip("/") + CALLED_AT + subscription.token,
            "hub.mode": mode,
            "hub.topic": subscription.topic,
            "hub.secret": subscription.secret,
            "hub.lease_seconds": str(int(LEASE.total_seconds())),
        }
        request = FetchRequest(
            subscription.hub,
            form=urlencode(form).encode(),
            accept="*/*",
            max_bytes=HUB_BYTES,
            timeout=HUB_SECONDS,
            max_redirects=0,
            obey_robots=False,  # a hub is there to be asked
            patience=HUB_SECONDS,
            secret=True,
        )
        try:
            response = await self._client.fetch(request)
        except FetchError as error:
            problem = f"{error.kind}: {error.detail}"
        else:
            problem = "" if response.status in _ACCEPTED else f"HTTP {response.status}"
        if problem:
            log.info("a hub did not accept our request", extra={"hub": shown_url(subscription.hub), "why": problem})
        return problem[:500] or None
