"""The guard: who may use the server, how often, and from where.

On loopback and on a Unix socket no token is needed, as far as `web.local_rights` says, but only requests to this machine's own
names are answered, nothing that a proxy passed on counts as local, and no other site may use a reader's browser. Elsewhere
every request needs a token, except `/healthz`, `/api/version`, the calls of hubs, whose token is in their address, and, unless
`web.open_rss` says no, the daily files of entries.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import math
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tearsheet.app import READ, WRITE, TokenStore
from tearsheet.clock import Clock, utc_now
from tearsheet.errors import ConfigError
from tearsheet.feeds.polling import CALLED_AT
from tearsheet.settings import WebSettings
from tearsheet.web.elsewhere import Verdict, verdict
from tearsheet.web.hosts import host_named
from tearsheet.web.limits import RateLimit, WrongTokens
from tearsheet.web.proxies import Proxies, by_proxy, is_loopback
from tearsheet.web.render import page
from tearsheet.web.rss_fetcher_access import is_daily_file, is_program_asking_soon

OPEN_PATHS = frozenset({"/healthz", "/api/version"})
"""What needs no token anywhere."""
NO_RIGHTS = "none"
READING = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""
UNLIMITED = ("/static/", "/healthz", "/readyz", "/metrics")
"""Paths without a rate limit."""
_MOST_HEADERS, _MOST_HEADER_BYTES = 100, 65_536
_NEEDED = "a token is needed: `Authorization: Token …`; make one with `tearsheet token create NAME`"


@dataclass(slots=True, frozen=True)
class Visitor:
    """Who makes a request."""

    name: str
    rights: str
    by_browser: bool = False
    """Authenticated by a password prompt, which a browser repeats by itself: may only read."""
    collections: tuple[str, ...] | None = None
    """The only collections whose sources they see; None means everything."""
    local: bool = False
    """Without a token, because they are on this machine."""


class Refused(Exception):
    """A request that goes no further."""

    def __init__(self, answer: Response) -> None:
        super().__init__(answer.status_code)
        self.answer = answer


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


class Locals:
    """What those on this machine may do without a token."""

    def __init__(self, web: WebSettings) -> None:
        """Raises ConfigError for settings that mean nothing."""
        if web.local_rights not in (READ, WRITE, NO_RIGHTS):
            raise ConfigError(f"web.local_rights: {web.local_rights!r} is not one of {WRITE}, {READ}, {NO_RIGHTS}")
        self.open_rss = web.open_rss
        self.proxies = Proxies(web.trusted_proxies)
        self._among_us = bool(web.socket) or is_loopback(web.host)
        self._visitor = None if web.local_rights == NO_RIGHTS else Visitor("local", web.local_rights, local=True)

    def visitor(self, request: Request) -> Visitor | None:
        """The visitor without a token, if this request came from this machine and no proxy passed it on. Raises Refused."""
        peer = peer_of(request)
        proxied = by_proxy(request.scope["http_version"], request.headers.keys()) or self.proxies.trust(peer)
        if not self._among_us or proxied or (peer and not is_loopback(peer)):
            return None
        if not is_loopback(_host_of(request)):
            raise Refused(refusal(403, "this server answers to this machine only: open it as http://127.0.0.1"))
        return self._visitor


def _joined(headers: Headers) -> dict[str, str]:
    """The headers, with all lines of one name as one: the proxy's own line is the last."""
    return {name: ", ".join(headers.getlist(name)) for name in set(headers.keys())}


def peer_of(request: Request) -> str:
    """The address at the other end of the connection; empty on a Unix socket."""
    return request.client.host if request.client else ""


def _host_of(request: Request) -> str:
    return host_named(request.headers.getlist("host")) or ""


def ours_alone(app: ASGIApp) -> ASGIApp:
    """An application for readers on this machine: no other name, no other site and no large head gets through."""

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":  # there is nothing to open or close
            for _ in ("startup", "shutdown"):
                await send({"type": (await receive())["type"] + ".complete"})
            return
        request = Request(scope)
        wrong = verdict(request.method, request.scope["path"], request.headers) is not Verdict.OURS
        try:
            _check_head(request)
            if wrong or not is_loopback(_host_of(request)):
                raise Refused(refusal(403, "this page is shown on this machine only: open it as http://127.0.0.1"))
        except Refused as refused:
            await refused.answer(scope, receive, send)
        else:
            await app(scope, receive, send)

    return checked


class Guard:
    """Lets requests in, or says why not.

    `reading` are the methods that need no right to write. Without `pages`, nothing here is for a link elsewhere to lead to.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        locals_: Locals,
        tokens: TokenStore,
        limit: RateLimit,
        clock: Clock,
        reading: frozenset[str] = READING,
        pages: bool = True,
    ) -> None:
        self._app = app
        self._reading, self._pages = reading, pages
        self._locals = locals_
        self._tokens = tokens
        self._limit = limit
        self._wrong = WrongTokens(clock)
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            await self._check(request)
        except Refused as refused:
            await refused.answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _check(self, request: Request) -> None:
        """Let the request pass, with its visitor, or raise Refused.

        The path is the one that decides about the route. That of `request.url` is put together with the Host header and taken
        apart again, so that who asks could make it another.
        """
        _check_head(request)
        _check_site(request, self._pages)
        if request.scope["path"] in OPEN_PATHS:
            return
        daily = self._locals.open_rss and is_daily_file(request.method, request.scope["path"])
        if daily or request.scope["path"].startswith(CALLED_AT):  # the token in the address is the hub's
            self._check_stranger(request)
            return
        visitor = await self._visitor(request)
        if visitor is None:
            raise Refused(_ask_for_token(request, _NEEDED))
        request.scope["visitor"] = visitor
        if request.method not in self._reading and (problem := may_not_write(visitor)):
            raise Refused(refusal(403, problem))
        if not visitor.local and not request.scope["path"].startswith(UNLIMITED):
            self._check_pace(visitor.name)

    def _check_stranger(self, request: Request) -> None:
        """Raises Refused for who needs no token: on loopback by the name they use for us, elsewhere when they ask too often."""
        if self._locals.visitor(request) is None:
            self._check_pace("from " + self._locals.proxies.client(peer_of(request), _joined(request.headers)))

    def _check_pace(self, whose: str) -> None:
        wait = self._limit.wait_for(whose)
        if wait:
            raise Refused(_later(wait, f"more than {self._limit.per_minute} requests a minute"))

    async def _visitor(self, request: Request) -> Visitor | None:
        secret, by_browser = secret_of(request.headers.get("authorization", ""))
        token = await asyncio.to_thread(self._tokens.find, secret) if secret else None
        if token is None:
            visitor = self._locals.visitor(request)
            if secret and visitor is None:
                self._slow_down(request)
            return visitor
        if token.expires_at is not None and token.has_expired(utc_now(self._clock)):
            message = f"this token expired on {token.expires_at:%Y-%m-%d %H:%M} UTC; make another with `tearsheet token create`"
            raise Refused(_ask_for_token(request, message))
        asks_soon = is_program_asking_soon(request.method, request.scope["path"], request.headers)
        return Visitor(token.name, WRITE if token.may_write else READ, by_browser and not asks_soon, token.collections)

    def _slow_down(self, request: Request) -> None:
        """Refuse whoever keeps trying wrong tokens. The right one is always let in, from the same address too."""
        wait = self._wrong.tried(self._locals.proxies.client(peer_of(request), _joined(request.headers)))
        if wait:
            raise Refused(_later(wait, "too many wrong tokens came from your address"))


def _check_head(request: Request) -> None:
    """Raises Refused for a head that is larger than any program needs, or that does not say whom it is for.

    We are no proxy, so a request's line names a path; and only a version that has no Host header may come without one.
    """
    headers = request.headers.raw
    size = sum(len(name) + len(value) for name, value in headers) + len(request.scope["raw_path"])
    if len(headers) > _MOST_HEADERS or size + len(request.scope["query_string"]) > _MOST_HEADER_BYTES:
        message = f"the head of a request may have {_MOST_HEADERS} headers and {_MOST_HEADER_BYTES:,} bytes"
        raise Refused(refusal(431, message))
    if not request.scope["path"].startswith("/"):
        raise Refused(refusal(400, "this server is no proxy: ask it for a path, as /search"))
    hosts = request.headers.getlist("host")
    if host_named(hosts) is None and (hosts or request.scope["http_version"] != "1.0"):
        raise Refused(
            refusal(400, "the request needs one Host header with a name and at most a port, as 127.0.0.1:8700")
        )


def _check_site(request: Request, pages: bool) -> None:
    """Raises Refused for what another site's page may not do."""
    found = verdict(request.method, request.scope["path"], request.headers)
    if found is Verdict.REFUSED or (found is not Verdict.OURS and not pages):
        what = "use anything but pages" if request.method in READING else "change anything"
        raise Refused(refusal(403, f"another site may not {what} here"))
    if found is Verdict.ASK:
        query = request.scope["query_string"].decode("latin-1")
        here = "/" + request.scope["path"].lstrip("/") + (f"?{query}" if query else "")
        raise Refused(page(request, "led_here.html", status_code=403, here=here))


def may_not_write(visitor: Visitor) -> str:
    """Why a visitor may not change anything; empty if they may."""
    if visitor.rights != WRITE:
        whose = "whoever is on this machine" if visitor.local else "this token"
        return f"{whose} may only read; make a token with `tearsheet token create NAME --write`"
    return "changes need the header `Authorization: Token …`" if visitor.by_browser else ""


def _ask_for_token(request: Request, message: str) -> Response:
    browser = "text/html" in request.headers.get("accept", "")
    challenge = 'Basic realm="Tearsheet: a token as password", charset="UTF-8"' if browser else "Token"
    return refusal(401, message, {"www-authenticate": challenge})


def _later(wait: float, message: str) -> Response:
    seconds = math.ceil(wait)
    return refusal(429, f"{message}: go on in {seconds} seconds", {"retry-after": str(seconds)})


def refusal(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    """An answer that says why not."""
    return JSONResponse({"status": "error", "note": message}, status, headers)
