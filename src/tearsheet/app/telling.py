"""Telling again and again how far some work has got, while it goes on in an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

_SECONDS = 0.5


@asynccontextmanager
async def told_all_along(tell: Callable[[], None]) -> AsyncIterator[None]:
    """Call `tell` twice a second until the body ends, however it ends."""

    async def go_on() -> None:
        while True:
            await asyncio.sleep(_SECONDS)
            tell()

    telling = asyncio.create_task(go_on())
    try:
        yield
    finally:
        telling.cancel()
