"""A number of places, given in the order of asking."""

from __future__ import annotations

import asyncio
from collections import deque


class Slots:
    """Like asyncio.Semaphore, but giving back a place costs the same however many wait for one."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def full(self) -> bool:
        """Whether one would have to wait."""
        return self._free <= 0

    async def __aenter__(self) -> None:
        await self.take()

    async def __aexit__(self, *_: object) -> None:
        self.give_back()

    def take_at_once(self) -> bool:
        """Take a place if there is one free; `give_back` must follow."""
        if self._free > 0:
            self._free -= 1
            return True
        return False

    async def take(self) -> None:
        """Wait for a place and take it; `give_back` must follow."""
        if self.take_at_once():
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # given to us at the moment that we left
                self.give_back()
            raise

    def give_back(self) -> None:
        """Leave a place to the next."""
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                return
        self._free += 1
