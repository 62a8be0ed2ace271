"""HEAD requests: whatever answers GET also answers HEAD, with the same status and headers and without a body."""

from __future__ import annotations

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class _Enough(OSError):
    """The head is sent. Raised where an application sends its body, which streams take as the end of the connection."""


class Heads:
    """Asks the application for GET, and keeps the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        answered = False

        async def send_head(message: Message) -> None:
            nonlocal answered
            if message["type"] != "http.response.body":
                await send(message)
                return
            if not answered:
                answered = True
                await send({"type": "http.response.body", "body": b""})
            if message.get("more_body"):
                raise _Enough  # or a long export would be made for nobody

        try:
            await self._app({**scope, "method": "GET"}, receive, send_head)
        except (_Enough, ClientDisconnect):
            if not answered:
                raise
