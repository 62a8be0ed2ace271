"""Copies finished archive files to blob stores during a run: a round now and then, in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from tearsheet.archive import Uploader

ROUND_SECONDS = 30.0


class Uploading:
    """A service that copies what is due in the outbox while the run lasts, and once more when the work has ended."""

    def __init__(
        self, uploader: Uploader, interrupted: Callable[[], bool] = lambda: False, seconds: float = ROUND_SECONDS
    ) -> None:
        self._uploader = uploader
        self._interrupted = interrupted
        self._seconds = seconds

    async def run(self, stop: asyncio.Event) -> None:
        """Work until stopped. What an interruption leaves undone stays in the outbox."""
        while not stop.is_set():
            await asyncio.to_thread(self._uploader.run, stop=stop.is_set)
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), self._seconds)
        if not self._interrupted():
            await asyncio.to_thread(self._uploader.run)
