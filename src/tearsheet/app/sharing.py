"""One of something for each event loop, shared by everything that runs in it: the polite client, the reading processes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar


class Closeable(Protocol):
    """What can be shared."""

    async def close(self) -> None:
        """Close it."""
        ...


T = TypeVar("T", bound=Closeable)


@dataclass(slots=True)
class _Shared(Generic[T]):
    """What is shared, and its number of users."""

    thing: T
    users: int = 0


class SharedByLoop(Generic[T]):
    """Opens one of something for each event loop, when it is first asked for there."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._shared: dict[asyncio.AbstractEventLoop, _Shared[T]] = {}

    def open(self, stack: AsyncExitStack) -> T:
        """That of the running event loop; it is closed when the `stack` of its last user is."""
        loop = asyncio.get_running_loop()
        if loop not in self._shared:
            self._shared[loop] = _Shared(self._make())
        shared = self._shared[loop]
        shared.users += 1
        stack.push_async_callback(self._leave, loop)
        return shared.thing

    async def _leave(self, loop: asyncio.AbstractEventLoop) -> None:
        shared = self._shared[loop]
        shared.users -= 1
        if not shared.users:
            del self._shared[loop]
            await shared.thing.close()
