"""The simulated web in a thread, for processes to fetch from."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.loopback_web import Web, serve
from tests.support.patience import PATIENCE
from tests.support.simulated_web import SimulatedWeb


@contextmanager
def served_web(web: SimulatedWeb) -> Iterator[Web]:
    """Serve until the block ends."""
    loop = asyncio.new_event_loop()
    ready, stop = threading.Event(), asyncio.Event()
    found: list[Web] = []

    async def go() -> None:
        async with serve(web.answer) as server:
            found.append(server)
            ready.set()
            await stop.wait()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(0)

    thread = threading.Thread(target=lambda: loop.run_until_complete(go()))
    thread.start()
    ready.wait(PATIENCE)
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(PATIENCE)
        loop.close()
