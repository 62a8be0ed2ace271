"""What the pages are made from: the services, a broker on the server's own event loop, and the templates."""

from __future__ import annotations

import asyncio

from fastapi import Request

from tearsheet.app import Services
from tearsheet.clock import Clock, wall_clock
from tearsheet.engines.broker import Broker, Depth


class Site:
    """One running server."""

    def __init__(self, services: Services, clock: Clock = wall_clock) -> None:
        self.services = services
        # Opened here, because requests come from many threads and each would open its own.
        _ = services.database, services.ledger, services.index, services.captures
        self.clock = clock
        self._broker: Broker | None = None
        self._opening = asyncio.Lock()

    async def depths(self) -> dict[str, Depth]:
        """The depth of every queue. The broker is opened by the first who asks, because it belongs to the event loop."""
        async with self._opening:
            if self._broker is None:
                self._broker = self.services.open_broker()
        return await self._broker.depths()

    async def close(self) -> None:
        """Let go of the broker."""
        broker, self._broker = self._broker, None
        if broker is not None:
            await broker.close()


def site_of(request: Request) -> Site:
    """The site that a request is for."""
    site: Site = request.app.state.site
    return site


async def depths_of(request: Request) -> dict[str, Depth]:
    """The depth of every queue, for a page."""
    return await site_of(request).depths()
