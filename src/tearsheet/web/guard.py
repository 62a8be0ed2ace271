"""The guard: who may use the server, how often, and from where.

On loopback no token is needed, but only requests to this machine's own names are answered, and no other site may change anything
through a reader's browser. Elsewhere every request needs a token, except `/healthz`.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import math
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tearsheet.app import READ, WRITE, TokenStore
from tearsheet.web.limits import RateLimit

OPEN_PATHS = frozenset({"/healthz"})
"""What needs no token anywhere."""
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
UNLIMITED = ("/static/", "/healthz", "/readyz", "/metrics")
"""Paths without a rate limit."""
_LOOPBACK_NAMES = frozenset({"localhost", "localhost.localdomain"})


@dataclass(slots=True, frozen=True)
class Visitor:
    """Who makes a request."""

    name: str
    rights: str
    by_browser: bool = False
    """Authenticated by a password prompt, which a browser repeats by itself: may only read."""


LOCAL = Visitor("local", WRITE)


def is_loopback(host: str) -> bool:
    """Whether a name or address means this machine only."""
    if host.strip("[]").lower() in _LOOPBACK_NAMES:
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def secret_of(header: str) -> tuple[str, bool]:
    """The secret in an Authorization header, and whether it came from a browser's prompt. Empty if there is none."""
    scheme, _, value = header.strip().partition(" ")
    value = value.strip()
    if scheme.lower() in ("token", "bearer"):
        return value, False
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode().partition(":")[2], True
        except (binascii.Error, ValueError):
            return "", True
    return "", False


class Guard:
    """Lets requests in, or says why not."""

    def __init__(self, app: ASGIApp, *, host: str, tokens: TokenStore, limit: RateLimit) -> None:
        self._app = app
        self._open = is_loopback(host)
        self._tokens = tokens
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refusal = await self._refusal(request)
        await (refusal or self._app)(scope, receive, send)

    async def _refusal(self, request: Request) -> Response | None:
        if self._open and not is_loopback(urlsplit(f"//{request.headers.get('host', '')}").hostname or ""):
            return _refused(403, "this server answers to this machine only: open it as http://127.0.0.1")
        visitor = await self._visitor(request)
        if visitor is None:
            if request.url.path in OPEN_PATHS:
                return None
            return _ask_for_token(request)
        request.scope["visitor"] = visitor
        if request.method not in _READING and (problem := _may_not_write(request, visitor)):
            return _refused(403, problem)
        if visitor is not LOCAL and not request.url.path.startswith(UNLIMITED):
            wait = self._limit.wait_for(visitor.name)
            if wait:
                seconds = math.ceil(wait)
                message = f"more than {self._limit.per_minute} requests a minute: go on in {seconds} seconds"
                return _refused(429, message, {"retry-after": str(seconds)})
        return None

    async def _visitor(self, request: Request) -> Visitor | None:
        secret, by_browser = secret_of(request.headers.get("authorization", ""))
        token = await asyncio.to_thread(self._tokens.find, secret) if secret else None
        if token is not None:
            return Visitor(token.name, WRITE if token.may_write else READ, by_browser)
        return LOCAL if self._open else None


def _may_not_write(request: Request, visitor: Visitor) -> str:
    if visitor.rights != WRITE:
        return "this token may only read; make one with `tearsheet token create NAME --write`"
    if visitor.by_browser:
        return "changes need the header `Authorization: Token …`"
    origin = request.headers.get("origin")
    if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin") or (
        origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    ):
        return "another site may not change anything here"
    return ""


def _ask_for_token(request: Request) -> Response:
    browser = "text/html" in request.headers.get("accept", "")
    challenge = 'Basic realm="Tearsheet: a token as password", charset="UTF-8"' if browser else "Token"
    message = "a token is needed: `Authorization: Token …`; make one with `tearsheet token create NAME`"
    return _refused(401, message, {"www-authenticate": challenge})


def _refused(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"status": "error", "note": message}, status, headers)
