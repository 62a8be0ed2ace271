"""Requests to a server that the operator named: for an input file, to an rss-fetcher, or to a directory of feeds.

Web pages go through `tearsheet.fetch`. The operator's address may be a private one and may carry a login. Where that server
redirects us to is another matter: a request with a login stays with its origin, and one without never reaches a private network.
Nor may it keep us for ever: a request has one deadline, from the first redirect to the last byte.
"""

from __future__ import annotations

import base64
import http.client
import io
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any
from urllib.parse import SplitResult, unquote, urljoin, urlsplit

from tearsheet.errors import EngineError, ItemRefused
from tearsheet.fetch import REDIRECT_STATUSES, Guard
from tearsheet.masking import shown_url

TIMEOUT_SECONDS = 60.0
"""For an answer as a whole."""
DOWNLOAD_PACE = 16 * 1024
"""A file may take a second more for each so many bytes that have come."""
_PASSING = frozenset({408, 425, 429})
_MAX_REDIRECTS = 10
_PIECE = 1 << 20
_LEAST_SECONDS = 0.001


class _Deadline:
    """The moment at which a request is given up.

    The timeout of a socket is for each piece: one byte a minute would keep us for years, and nobody could stop the program.
    """

    def __init__(self, seconds: float, pace: int) -> None:
        self._began = time.monotonic()
        self._seconds = self._allowed = seconds
        self._pace = pace

    def wait(self) -> float:
        """How long the next piece may take. Raises TimeoutError."""
        left = self._began + self._allowed - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"the answer is not whole after {self._allowed:.3g} seconds")
        return min(left, self._seconds)

    def came(self, size: int) -> None:
        """Allow more time for what has come."""
        if self._pace:
            self._allowed += size / self._pace


class _UntilDeadline(io.RawIOBase):
    """What a server sends, until the deadline."""

    def __init__(self, stream: io.BufferedReader, connection: socket.socket, deadline: _Deadline) -> None:
        self._stream = stream
        self._connection = connection
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._connection.settimeout(self._deadline.wait())
        size = self._stream.readinto1(buffer)
        self._deadline.came(size)
        return size

    def close(self) -> None:
        self._stream.close()
        super().close()


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Leaves redirects to us."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> None:
        """Follow none."""


class _GuardedConnection(http.client.HTTPConnection):
    """Connects to public addresses only, whatever the name resolves to."""

    def connect(self) -> None:
        """Connect to the first address that answers. Raises OSError when all are refused."""
        guard, problem = Guard(), OSError("the name does not resolve")
        until = time.monotonic() + (self.timeout or TIMEOUT_SECONDS)  # for all addresses: a name may have hundreds
        for *_, address in socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM):
            if reason := guard.refuse_address(str(address[0])):
                problem = OSError(f"it redirects to {address[0]}, which is refused ({reason})")
                continue
            try:
                left = max(until - time.monotonic(), _LEAST_SECONDS)
                self.sock = socket.create_connection((str(address[0]), self.port), left)
                return
            except OSError as error:
                problem = error
                if time.monotonic() > until:
                    break
        raise problem


class _GuardedTlsConnection(http.client.HTTPSConnection, _GuardedConnection):
    """The same, encrypted."""


class _Opening(urllib.request.HTTPHandler, urllib.request.HTTPSHandler):
    """Opens connections whose answers end at the deadline."""

    def __init__(self, deadline: _Deadline, *, guarded: bool) -> None:
        super().__init__()
        self._deadline = deadline
        self._guarded = guarded

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Open a plain connection."""
        return self.do_open(self._timed(_GuardedConnection if self._guarded else http.client.HTTPConnection), req)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        """Open an encrypted one."""
        return self.do_open(self._timed(_GuardedTlsConnection if self._guarded else http.client.HTTPSConnection), req)

    def _timed(self, kind: type[http.client.HTTPConnection]) -> Any:
        def response(connection: socket.socket, *arguments: Any, **options: Any) -> http.client.HTTPResponse:
            made = http.client.HTTPResponse(connection, *arguments, **options)
            made.fp = io.BufferedReader(_UntilDeadline(made.fp, connection, self._deadline))
            return made

        def connect(*arguments: Any, **options: Any) -> http.client.HTTPConnection:
            connection = kind(*arguments, **options | {"timeout": self._deadline.wait()})
            connection.response_class = response  # type: ignore[assignment]  # it is only called
            return connection

        return connect


@contextmanager
def opened_url(
    url: str, timeout: float = TIMEOUT_SECONDS, pace: int = 0, authorization: str = ""
) -> Iterator[http.client.HTTPResponse]:
    """The 200 response of an http(s) server. Raises EngineError or ItemRefused.

    The address may contain a user and password, which are sent unless there is another `authorization`. All of the answer has to
    come within `timeout` seconds; with a `pace`, in a second more for each so many bytes.
    """
    shown = shown_url(url)
    try:
        with _followed(url, shown, _Deadline(timeout, pace), authorization) as response:
            if response.status != 200:
                raise EngineError(f"{shown}: the server answers {response.status}")
            yield response
    except urllib.error.HTTPError as error:
        error.close()
        # What a server refuses it will refuse again; other trouble may pass.
        kind = ItemRefused if 400 <= error.code < 500 and error.code not in _PASSING else EngineError
        raise kind(f"{shown}: the server answers {error.code} {error.reason}") from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise EngineError(f"{shown}: {getattr(error, 'reason', None) or error}; try again later") from error


def whole_answer(response: http.client.HTTPResponse, limit: int) -> bytes:
    """The body, of which one byte more than `limit` is read."""
    body = bytearray()
    while len(body) <= limit and (piece := response.read1(min(_PIECE, limit + 1 - len(body)))):
        body += piece
    return bytes(body)


def _followed(url: str, shown: str, deadline: _Deadline, authorization: str) -> http.client.HTTPResponse:
    """The last response of a chain of redirects."""
    parts = _parts(url, shown)
    home, login = _origin(parts), authorization or _login(parts)
    for _ in range(_MAX_REDIRECTS):
        at_home = _origin(parts) == home
        if login and not at_home:
            raise ItemRefused(
                f"{shown}: the server redirects to {shown_url(parts.geturl())}, and our login is not for that server; "
                "if it should be, give that address"
            )
        headers = {"User-Agent": "tearsheet", "Accept-Encoding": "identity"} | (
            {"Authorization": login} if login else {}
        )
        # A proxy of the environment would hide the address from the guard, so only the operator's own server is asked by one.
        opening = _Opening(deadline, guarded=not at_home)
        handlers: list[urllib.request.BaseHandler] = [_NoRedirects(), opening]
        if not at_home:
            handlers.append(urllib.request.ProxyHandler({}))
        address = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        request = urllib.request.Request(address, headers=headers)  # noqa: S310 - http(s) only, as _parts has checked
        try:
            response: http.client.HTTPResponse = urllib.request.build_opener(*handlers).open(request)
            return response
        except urllib.error.HTTPError as error:
            location = error.headers.get("Location")
            if error.code not in REDIRECT_STATUSES or not location:
                raise
            error.close()
            parts = _parts(urljoin(address, location), shown)
    raise EngineError(f"{shown}: more than {_MAX_REDIRECTS} redirects")


def _parts(url: str, shown: str) -> SplitResult:
    """The parts of an http(s) address. Raises EngineError, which shows nothing that may be a password."""
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0):
            return parts
    except ValueError:
        pass
    raise EngineError(f"{shown}: not an http or https address; in a password, write / as %2F, @ as %40 and : as %3A")


def _origin(parts: SplitResult) -> tuple[str, str | None, int]:
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}[parts.scheme]


def _login(parts: SplitResult) -> str:
    if not parts.username:
        return ""
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return "Basic " + base64.b64encode(pair.encode()).decode()
