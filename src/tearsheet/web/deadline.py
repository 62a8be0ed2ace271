"""How long a request may take before it is answered: whoever waits is told, and the answer that comes too late is dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tearsheet.web.guard import refusal


class Deadline:
    """Answers 503 when nothing was answered in time. What has begun to be sent may take its time."""

    def __init__(self, app: ASGIApp, *, seconds: float, of_paths: Mapping[str, float]) -> None:
        self._app = app
        self._seconds = seconds
        self._of_paths = of_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Watch one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, late = asyncio.Event(), False

        async def in_time(message: Message) -> None:
            begun.set()
            if not late:
                await send(message)

        seconds = self._of_paths.get(scope["path"], self._seconds)
        answering = asyncio.ensure_future(self._app(scope, receive, in_time))
        starting = asyncio.ensure_future(begun.wait())
        try:
            await asyncio.wait({answering, starting}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if not answering.done() and not begun.is_set():
                late = True
                answering.cancel()
                message = f"this took longer than {seconds:g} seconds: ask for less, or set web.request_seconds"
                await refusal(503, message, {"retry-after": "60"})(scope, receive, send)
            await answering
        except asyncio.CancelledError:
            answering.cancel()
            if not late:
                raise
        finally:
            starting.cancel()
