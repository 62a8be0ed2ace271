"""A real server on a free port of loopback, in a thread with its own event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import FastAPI

from tearsheet.web.server import address_of, bind, serve


@contextmanager
def serve_app(app: FastAPI) -> Iterator[str]:
    """Serve the app; gives its address without the slash at the end."""
    listener = bind("127.0.0.1", 0)
    address = address_of(listener).rstrip("/")
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=(serve(app, listener, stop),))
    thread.start()
    try:
        yield address
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()
