"""The web pages, alone or beside other work. The caller provides them, as a service that runs until its event is set."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager

from tearsheet.app.running import Run, run_until_stopped
from tearsheet.work import Service, WatchedLoop

_BEGIN_SECONDS = 1.0


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
    loop, stop, begun = WatchedLoop(), asyncio.Event(), threading.Event()

    def serve() -> None:
        begun.set()
        loop.run_until_complete(pages(stop))

    thread = threading.Thread(target=serve, name="web pages", daemon=True)
    try:
        thread.start()  # where Ctrl-C may come, too: the thread may have begun or not
        yield
    finally:
        if begun.wait(_BEGIN_SECONDS):
            loop.call_soon_threadsafe(stop.set)
            thread.join()
        loop.close()
