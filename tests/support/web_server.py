"""A real server on a free port of loopback, in a thread with its own event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.applications import Starlette

from tearsheet.settings import WebSettings
from tearsheet.web.listening import address_of, bind
from tearsheet.web.server import Limits, serve
from tearsheet.work import WatchedLoop
from tests.support.patience import PATIENCE


@contextmanager
def serve_app(app: Starlette, web: WebSettings | None = None) -> Iterator[str]:
    """Serve the app; gives its address without the slash at the end."""
    listener = bind("127.0.0.1", 0)
    address = address_of(listener).rstrip("/")
    loop = WatchedLoop()
    stop = asyncio.Event()
    limits = Limits.of(web or WebSettings())
    thread = threading.Thread(target=loop.run_until_complete, args=(serve(app, listener, stop, limits=limits),))
    thread.start()
    try:
        yield address
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(PATIENCE)
        loop.close()
