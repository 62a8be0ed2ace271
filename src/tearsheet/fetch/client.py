"""The HTTP client below the polite request: guarded, bounded, and true to what went over the wire. It does not wait for turns."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

from tearsheet.errors import ConfigError
from tearsheet.fetch.guard import Guard
from tearsheet.fetch.inflating import ACCEPT_ENCODING, InflateError, TooLarge, inflate_aside
from tearsheet.fetch.model import FetchError, FetchRequest, FetchResponse, OnRedirect, Redirect
from tearsheet.fetch.multi import Multi
from tearsheet.fetch.transfer import Transfer
from tearsheet.fetch.wire import redirect_target, stated_charset, wire_host, wire_origin, wire_url
from tearsheet.masking import shown_url
from tearsheet.settings import FetchSettings
from tearsheet.story import Exchange
from tearsheet.system import file_limit
from tearsheet.urls import BadURL

Once = Callable[[str], bool]
_LOOKUP_SECONDS = 5.0
_MOST_USUAL = 20
_NO_SUCH_NAME = (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))
Lookup = Callable[[str], Awaitable[object]]
_UNSENDABLE = re.compile(r"[\x00-\x1f\x7f]")


class Client:
    """Fetches documents. It belongs to the event loop of its first fetch."""

    def __init__(self, settings: FetchSettings, *, resolve: Sequence[str] = (), lookup: Lookup | None = None) -> None:
        self._settings = settings
        self._guard = Guard(settings.allow_addresses)
        self._connect_to = [_connect_to_line(host, target) for host, target in settings.connect_to.items()]
        self._resolve = resolve
        """Answers to use instead of asking DNS: `HOST:PORT:ADDRESS`."""
        self._lookup = lookup or _lookup
        self._usual_lines: dict[str, list[bytes]] = {}
        """Cached header lines by Accept, for requests without their own headers."""
        self._idle: list[Transfer] = []
        self._multi: Multi | None = None

    async def fetch(
        self, request: FetchRequest, on_redirect: OnRedirect | None = None, once: Once = lambda host: False
    ) -> FetchResponse:
        """GET a document, following redirects; any status is a response. Raises FetchError.

        `on_redirect` is called before each redirect is followed; what it raises ends the fetch. `once` says to which hosts no
        request is ever sent twice, not even by curl.
        """
        transfer = self._idle.pop() if self._idle else Transfer(self._guard, self._connect_to)
        try:
            transfer.forget()
            return await self._follow(transfer, request, on_redirect, once)
        finally:
            if len(self._idle) < self._settings.concurrency:
                self._idle.append(transfer)

    async def close(self) -> None:
        """Close all connections. The client can be used again afterwards."""
        if self._multi:
            self._multi.close()
            self._multi = None
        self._idle.clear()

    async def _follow(
        self, transfer: Transfer, request: FetchRequest, on_redirect: OnRedirect | None, once: Once
    ) -> FetchResponse:
        """Follow a chain of redirects, checking each hop like the first.

        Only time on the wire counts towards the total time, not the wait for `on_redirect`.
        """
        total = request.timeout or self._settings.timeout_seconds
        most = self._settings.max_redirects if request.max_redirects is None else request.max_redirects
        spent = 0.0
        exchanges: list[Exchange] = []
        seen: set[str] = set()
        cookies = False
        url = request.url
        started = time.monotonic()
        try:
            url = wire_url(url)
            origin = wire_origin(url)
            while True:
                seen.add(url)
                started = time.monotonic()
                await self._hop(transfer, request, url, total - spent, origin=origin, cookies=cookies, once=once)
                seconds = time.monotonic() - started
                spent += seconds
                exchanges.append(transfer.exchange)
                if not transfer.is_redirect:
                    return await self._response(transfer, request, exchanges, spent)
                if len(exchanges) > most:
                    raise FetchError("too-many-redirects", f"more than {most}")
                if transfer.sets_cookie:  # the same address may now answer differently
                    seen.clear()
                    cookies = True
                url = redirect_target(url, transfer.location or "")
                if url in seen:
                    raise FetchError("too-many-redirects", f"in a circle, at {shown_url(url)}")
                if request.stays_home and wire_origin(url) != origin:
                    raise FetchError(
                        "forbidden-address", f"a request with a secret was redirected to {wire_origin(url)}"
                    )
                if on_redirect:
                    await on_redirect(Redirect(url, exchanges[-1], seconds))
        except BadURL as error:
            raise FetchError("bad-url", str(error), url=url, exchanges=exchanges) from error
        except FetchError as error:
            raise FetchError(
                error.kind, error.detail, url=url, exchanges=exchanges, elapsed=time.monotonic() - started
            ) from error.__cause__

    async def _hop(
        self,
        transfer: Transfer,
        request: FetchRequest,
        url: str,
        seconds: float,
        *,
        origin: str,
        cookies: bool,
        once: Once,
    ) -> None:
        host = wire_host(url)
        if reason := self._guard.refuse_host(host):
            raise FetchError("forbidden-address", f"{host} is refused ({reason}); fetch.allow_addresses can allow it")
        if seconds <= 0:
            raise FetchError("timeout", "the total time was used up by redirects")
        if self._multi is None:
            self._multi = Multi(_most_connections(self._settings.concurrency))
        transfer.prepare(
            request,
            url,
            self._header_lines(request, at_home=wire_origin(url) == origin),
            seconds=seconds,
            max_bytes=self._limit(request),
            resolve=self._resolve,
            cookies=cookies,
            once=once(host),
            must_pause=self._multi.must_pause,
        )
        failure = transfer.failure(*await self._multi.run(transfer.handle))
        if failure:
            kind, detail = failure
            raise FetchError(await self._name_error(host) if kind == "unknown-host" else kind, detail)
        transfer.finish()

    async def _name_error(self, host: str) -> str:
        """Whether an unresolved name does not exist, or DNS failed: curl does not tell."""
        try:
            async with asyncio.timeout(_LOOKUP_SECONDS):
                await self._lookup(host)
        except socket.gaierror as error:
            return "unknown-host" if error.errno in _NO_SUCH_NAME else "dns"
        except (OSError, UnicodeError):
            pass
        return "dns"

    def _header_lines(self, request: FetchRequest, *, at_home: bool) -> list[bytes]:
        wanted = {**request.headers, **request.home_headers} if at_home else request.headers
        if not wanted and request.accept in self._usual_lines:
            return self._usual_lines[request.accept]
        standard = {
            "User-Agent": self._settings.user_agent,
            "Accept": request.accept,
            "Accept-Language": "en,*;q=0.5",
            "Accept-Encoding": ACCEPT_ENCODING,
        }
        lines = header_lines(standard, wanted)
        if not wanted and len(self._usual_lines) < _MOST_USUAL:
            self._usual_lines[request.accept] = lines
        return lines

    def _limit(self, request: FetchRequest) -> int:
        return self._settings.max_bytes if request.max_bytes is None else request.max_bytes

    async def _response(
        self, transfer: Transfer, request: FetchRequest, exchanges: list[Exchange], elapsed: float
    ) -> FetchResponse:
        last = exchanges[-1]
        try:
            body = await inflate_aside(transfer.body, transfer.content_encoding, self._limit(request))
        except (InflateError, TooLarge) as error:
            if transfer.is_page:
                kind = "too-large" if isinstance(error, TooLarge) else "protocol"
                raise FetchError(kind, str(error)) from error
            body = b""
        return FetchResponse(
            url=last.url,
            status=last.status,
            reason=last.reason or "",
            headers=last.response_headers,
            body=body,
            exchanges=exchanges,
            encoding=stated_charset(transfer.content_type),
            elapsed=elapsed,
        )


def header_lines(standard: Mapping[str, str], wanted: Mapping[str, str]) -> list[bytes]:
    """Request headers as lines; those in `wanted` replace standard ones of the same name."""
    named = {name.lower(): (name, value) for name, value in (*standard.items(), *wanted.items())}
    return [
        f"{_UNSENDABLE.sub('', name)}: {_UNSENDABLE.sub(' ', value)}".encode()
        for name, value in named.values()
        if value.strip()
    ]


def _most_connections(concurrency: int) -> int:
    """How many connections to keep open for further requests: many, but at most half of the files that we may open."""
    return max(concurrency, min(16 * concurrency, file_limit() // 2))


def _connect_to_line(host: str, target: str) -> str:
    """A line of curl's CONNECT_TO; `*` stands for every host."""
    name, colon, port = target.rpartition(":")
    if not colon or "]" in port or not name:
        name, port = target, ""
    if not name or (port and not port.isdigit()):
        raise ConfigError(f"fetch.connect_to: {host!r} must be followed by ADDRESS:PORT, not {target!r}")
    return f"{'' if host == '*' else host}::{name}:{port}"


async def _lookup(host: str) -> object:
    return await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
