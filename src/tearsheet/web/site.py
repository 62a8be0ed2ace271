"""What the pages are made from: the services, the depths of the queues, and a clock."""

from __future__ import annotations

from fastapi import Request

from tearsheet.app import QueueWatch, Services
from tearsheet.clock import Clock, wall_clock
from tearsheet.engines.broker import Depth
from tearsheet.engines.index import Turns

_RUNNING, _WAITING, _LONGEST_WAIT = 2, 8, 2.0


class Site:
    """One running server."""

    def __init__(self, services: Services, clock: Clock = wall_clock) -> None:
        self.services = services
        # Opened here, because requests run in many threads, and each would open its own.
        _ = services.database, services.ledger, services.index, services.captures, services.shown
        self.clock = clock
        self.heavy = Turns(_RUNNING, _WAITING, services.settings.engines.query_seconds or _LONGEST_WAIT)
        """Turns at what takes long in Python itself, where no deadline of the index holds: all requests share its threads."""
        self._queues = QueueWatch(services)

    async def depths(self) -> dict[str, Depth]:
        """The depth of every queue."""
        return await self._queues.depths()

    async def ages(self) -> dict[str, float]:
        """For how many seconds the oldest ready message of each queue has waited."""
        now = self.clock()
        return {name: max(0.0, now - since) for name, since in sorted((await self._queues.oldest()).items())}

    async def close(self) -> None:
        """Close what was opened on the server's event loop."""
        await self._queues.close()


def site_of(request: Request) -> Site:
    """The site that a request is for."""
    site: Site = request.app.state.site
    return site


async def ages_of(request: Request) -> dict[str, float]:
    """For how long the oldest ready message of each queue has waited, for a page."""
    return await site_of(request).ages()


async def depths_of(request: Request) -> dict[str, Depth]:
    """The depth of every queue, for a page."""
    return await site_of(request).depths()
