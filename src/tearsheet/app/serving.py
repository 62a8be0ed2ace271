"""The web pages, alone or beside other work. The caller provides them, as a service that runs until its event is set."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from threading import Thread

from tearsheet.app.running import Run, run_until_stopped
from tearsheet.work import Service, WatchedLoop


def serve_alone(pages: Service) -> None:
    """Serve until a signal comes."""

    def go(run: Run) -> Awaitable[None]:
        return pages(run.stop)

    run_until_stopped(go)


@contextmanager
def served_beside(pages: Service | None) -> Iterator[None]:
    """Serve for the duration of the block, in a separate thread: also between two runs of a collector."""
    if pages is None:
        yield
        return
    loop, stop = WatchedLoop(), asyncio.Event()
    thread = Thread(target=lambda: loop.run_until_complete(pages(stop)), name="web pages")
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
