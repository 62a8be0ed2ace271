"""A number of slots, given in the order of asking."""

from __future__ import annotations

import asyncio
from collections import deque


class Slots:
    """Like asyncio.Semaphore, but returning a slot costs the same however many wait for one."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def full(self) -> bool:
        """Whether a caller would have to wait."""
        return self._free <= 0

    def take_at_once(self) -> bool:
        """Take a slot if one is free; `give_back` must follow."""
        if self._free > 0:
            self._free -= 1
            return True
        return False

    async def take(self) -> None:
        """Wait for a slot and take it; `give_back` must follow."""
        if self.take_at_once():
            return
        slot: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(slot)
        try:
            await slot
        except asyncio.CancelledError:
            if slot.done() and not slot.cancelled():  # given to us just as we were cancelled
                self.give_back()
            raise

    def give_back(self) -> None:
        """Give the slot to the next caller."""
        while self._waiting:
            slot = self._waiting.popleft()
            if not slot.done():
                slot.set_result(None)
                return
        self._free += 1
