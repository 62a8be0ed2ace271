"""Who asks the web: one polite client for each event loop, shared by everyone who works in it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

from tearsheet.engines.database import Database
from tearsheet.fetch import HostStore, PoliteClient
from tearsheet.settings import FetchSettings

STORIES_A_PLACE = 16
"""Most stories in hand wait for the turn of their host, so there must be many more of them than are fetched at once."""


@dataclass(slots=True)
class _Shared:
    """A client, and how many use it."""

    client: PoliteClient
    users: int = 0


class PoliteClients:
    """The polite clients of a process. What they know of hosts is in the database, for other processes too."""

    def __init__(self, settings: FetchSettings, database: Callable[[], Database]) -> None:
        self._settings = settings
        self._database = database
        self._shared: dict[asyncio.AbstractEventLoop, _Shared] = {}

    def open(self, stack: AsyncExitStack) -> PoliteClient:
        """The client of the running event loop; it is closed when the `stack` of its last user is."""
        loop = asyncio.get_running_loop()
        if loop not in self._shared:
            places = STORIES_A_PLACE * self._settings.concurrency
            client = PoliteClient(self._settings, HostStore(self._database()), in_flight=places)
            self._shared[loop] = _Shared(client)
        shared = self._shared[loop]
        shared.users += 1
        stack.push_async_callback(self._leave, loop)
        return shared.client

    async def _leave(self, loop: asyncio.AbstractEventLoop) -> None:
        shared = self._shared[loop]
        shared.users -= 1
        if not shared.users:
            del self._shared[loop]
            await shared.client.close()
