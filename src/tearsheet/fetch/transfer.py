"""One request and its response: curl's options, what its callbacks see, and where reading stops."""

from __future__ import annotations

import re
import socket
import ssl
import time
from collections.abc import Callable, Sequence

import pycurl

from tearsheet.fetch.guard import Guard
from tearsheet.fetch.model import FetchRequest
from tearsheet.fetch.wire import REDIRECT_STATUSES, parse_header_line, parse_status_line, unfolded, wire_host
from tearsheet.story import Exchange

CONNECT_SECONDS = 20.0
SILENCE_SECONDS = 30
"""Silence for this long ends a transfer, however much of its total time is left."""
ASIDE_BYTES = 64 * 1024
"""No one wants the body of a redirect or an error page: read this much, to keep the connection, and no more."""

_KINDS_OF_CODES = {
    "bad-url": (3, 43),
    "connect": (7, 52, 55, 56),
    "dns": (5,),
    "protocol": (1, 8, 16, 18, 61, 92, 100),
    "ssl": (35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98),
    "too-large": (63,),
    "unknown-host": (6,),
}
_KIND_OF_CODE = {code: kind for kind, codes in _KINDS_OF_CODES.items() for code in codes}


class _LentSocket(socket.socket):
    """Curl duplicates the descriptor that we open for it; ours is closed afterwards."""

    def __del__(self) -> None:
        self.close()


_TELLING = frozenset({"content-encoding", "content-length", "content-type", "location", "set-cookie"})
_EMPTY_LINES = (b"\r\n", b"\n")
_ENDPOINT = re.compile(r"(?:\[([0-9a-fA-F:]+)\]|:([0-9.]+)):(\d+)$")


class Transfer:
    """A curl handle that is reused, and what its current transfer has received."""

    def __init__(self, guard: Guard, connect_to: Sequence[str]) -> None:
        self._guard = guard
        self._named = dict(map(_endpoint, connect_to))
        self._has_cookies = False
        self._listening = False
        self._once = False
        self._posts = False
        self._seconds = 0.0
        self._lines: list[bytes] = []
        self._line_pairs: list[tuple[str, str]] = []
        self.handle = handle = pycurl.Curl()
        for option, value in (
            (pycurl.NOSIGNAL, 1),
            (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
            (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_2TLS),
            (pycurl.PROXY, ""),  # a proxy from the environment would hide the address from the guard
            (pycurl.COOKIEFILE, ""),
            (pycurl.SSL_VERIFYPEER, 1),
            (pycurl.SSL_VERIFYHOST, 2),
            (pycurl.BUFFERSIZE, 16 * 1024),  # of chunks of one byte, a larger one would hold up the loop
            (pycurl.LOW_SPEED_LIMIT, 1),
            (pycurl.LOW_SPEED_TIME, SILENCE_SECONDS),
            (pycurl.CONNECT_TO, list(connect_to)),
            (pycurl.DEBUGFUNCTION, self._on_debug),
            (pycurl.HEADERFUNCTION, self._on_header),
            (pycurl.WRITEFUNCTION, self._on_body),
            (pycurl.OPENSOCKETFUNCTION, self._on_open_socket),
            (pycurl.PREREQFUNCTION, self._on_request),
        ):
            handle.setopt(option, value)
        authorities = ssl.get_default_verify_paths()
        if authorities.cafile:
            handle.setopt(pycurl.CAINFO, authorities.cafile)
        if authorities.capath:
            handle.setopt(pycurl.CAPATH, authorities.capath)

    def forget(self) -> None:
        """Begin a new chain, without the cookies of another."""
        if self._has_cookies:
            self.handle.setopt(pycurl.COOKIELIST, "ALL")
            self._has_cookies = False

    def prepare(
        self, request: FetchRequest, url: str, header_lines: list[bytes], *, seconds: float, max_bytes: int,
        resolve: Sequence[str], cookies: bool, once: bool, must_pause: Callable[[pycurl.Curl], bool],
    ) -> None:  # fmt: skip
        """Prepare one request of a chain; `cookies` says whether the chain has received any.

        `once` is for a host whose pace is kept. Curl repeats a request by itself, and at once, when a connection that it used
        before ends without an answer. So each such request has a connection of its own.
        """
        handle = self.handle
        if once != self._once:
            handle.setopt(pycurl.FRESH_CONNECT, int(once))
            handle.setopt(pycurl.FORBID_REUSE, int(once))
            self._once = once
        handle.setopt(pycurl.URL, url)
        if request.form is not None:
            handle.setopt(pycurl.POSTFIELDS, request.form)
        elif self._posts:
            handle.setopt(pycurl.HTTPGET, 1)
        self._posts = request.form is not None
        if header_lines is not self._lines:
            handle.setopt(pycurl.HTTPHEADER, header_lines)
            self._lines = header_lines
            self._line_pairs = [pair for line in header_lines if (pair := parse_header_line(line))]
        if seconds != self._seconds:
            handle.setopt(pycurl.TIMEOUT_MS, max(1, int(seconds * 1000)))
            handle.setopt(pycurl.CONNECTTIMEOUT_MS, max(1, int(min(seconds, CONNECT_SECONDS) * 1000)))
            self._seconds = seconds
        if resolve:
            handle.setopt(pycurl.RESOLVE, list(resolve))
        self.exchange = Exchange(url, 0, timestamp=time.time())
        self._listen(cookies)
        self.location: str | None = None
        self.content_type: str | None = None
        self.content_encoding: str | None = None
        self.sets_cookie = False
        self.refused: str | None = None
        """Why the guard refused an address."""
        self.stopped: tuple[str, str] | None = None
        """Why we stopped reading: kind and detail of an error, or `("enough", "")`."""
        self._must_pause = must_pause
        self._max_bytes = max_bytes
        self._content_types = request.content_types
        self._cut = request.cut
        self._head: list[bytes] = []
        self._body = bytearray()
        self._size = 0
        self._in_body = False
        self._sent = False

    def _listen(self, listen: bool) -> None:
        """Turn the recording of the request's headers on or off.

        Curl passes them only to its debug function, which is called for much else. Without cookies we know what it sends:
        the host, and the lines that we gave it.
        """
        if listen != self._listening:
            self.handle.setopt(pycurl.VERBOSE, int(listen))
            self._listening = listen
        if not listen:
            authority = self.exchange.url.split("/", 3)[2]
            self.exchange.request_headers = [("Host", authority), *self._line_pairs]

    @property
    def body(self) -> bytes:
        """What was read of the body; nothing if we stopped reading, unless it was to be cut off."""
        if self.stopped and not (self._cut and self.is_page):
            return b""
        return bytes(self._body)

    def finish(self) -> None:
        """Record what curl knows once a response has come."""
        self.exchange.ip = self.handle.getinfo(pycurl.PRIMARY_IP) or None

    def failure(self, code: int, message: str) -> tuple[str, str] | None:
        """Kind and detail of the error that curl's result means; None for success."""
        if self.stopped:
            return None if self.stopped[0] == "enough" else self.stopped
        if code == 0:  # curl accepts headers that end early
            return None if self._in_body else ("protocol", "the headers end early")
        if self.refused and code == pycurl.E_COULDNT_CONNECT:
            return "forbidden-address", self.refused
        if code == pycurl.E_ABORTED_BY_CALLBACK:
            return "connect", "the server refused the request without an answer"
        if code == pycurl.E_OPERATION_TIMEDOUT:
            return self._timeout_kind(message), message
        if code == pycurl.E_RECV_ERROR and "header" in message.lower():
            return "protocol", message
        return _KIND_OF_CODE.get(code, "protocol"), message or f"curl error {code}"

    def _timeout_kind(self, message: str) -> str:
        if "too slow" in message:
            return "read-timeout"
        if message.startswith(("Connection timed out", "SSL connection timeout")):
            return "connect-timeout"
        if self.handle.getinfo(pycurl.PRETRANSFER_TIME) > 0:
            # Curl does not notice silence on one connection while others are busy.
            silent = not self._head and not self._in_body and time.time() - (self.exchange.timestamp or 0.0) >= 1.0
            return "read-timeout" if silent else "timeout"
        return "dns" if "Resolving" in message else "connect-timeout"

    def _on_open_socket(self, _purpose: int, address: pycurl.CurlSockAddr) -> socket.socket | int:
        ip, port = str(address.addr[0]), int(address.addr[1])
        # An address that the settings name for a host is intended for this host, private or not.
        named = self._named.get(wire_host(self.exchange.url), self._named.get("*"))
        if (ip, port) != named and (reason := self._guard.refuse_address(ip)):
            self.refused = f"{ip} is refused ({reason}); fetch.allow_addresses can allow it"
            return int(pycurl.SOCKET_BAD)
        try:
            return _LentSocket(address.family, address.socktype, address.protocol)
        except OSError:  # too many open files, or a family that this system does not have
            return int(pycurl.SOCKET_BAD)

    def _on_request(self, *_connection: object) -> int:
        """Stop curl where it would repeat a request over another connection all the same: an HTTP/2 server may refuse it unread."""
        repeated, self._sent = self._sent, True
        return int(pycurl.PREREQFUNC_ABORT if repeated and self._once else pycurl.PREREQFUNC_OK)

    def _on_debug(self, kind: int, data: bytes) -> None:
        if kind == pycurl.INFOTYPE_HEADER_OUT:
            lines = data.split(b"\r\n")
            self.exchange.request_headers.extend(pair for line in lines[1:] if (pair := parse_header_line(line)))

    def _on_header(self, line: bytes) -> int | None:
        """Collect a head line by line; curl passes each line with its line break, and an empty one at the end."""
        if line not in _EMPTY_LINES:
            self._head.append(line)
        elif not self._in_body:  # else: the end of trailers
            self._read_head()
            return -1 if self.stopped else None
        return None

    def _read_head(self) -> None:
        head, self._head = self._head, []
        status = parse_status_line(head[0]) if head else None
        headers = [pair for pair in map(parse_header_line, unfolded(head[1:])) if pair]
        told: dict[str, list[str]] = {}
        for name, value in headers:
            if (lowered := name.lower()) in _TELLING:
                told.setdefault(lowered, []).append(value)
        self.sets_cookie = "set-cookie" in told
        self._has_cookies = self._has_cookies or self.sets_cookie
        if status and status[1] >= 200:
            self.exchange.http_version, self.exchange.status, self.exchange.reason = status
            self.exchange.response_headers = headers
            self._in_body = True
            self._decide(told)

    def _decide(self, told: dict[str, list[str]]) -> None:
        """Check the relevant headers of the final response before its body is read."""
        self.location = next(filter(None, told.get("location", ())), None)
        self.content_type = next(filter(None, told.get("content-type", ())), None)
        self.content_encoding = ", ".join(told.get("content-encoding", ())) or None
        lengths = [int(value[:20]) for value in told.get("content-length", ()) if value.isascii() and value.isdigit()]
        length = lengths[-1] if lengths else 0
        if not self.is_page:
            self._max_bytes = min(self._max_bytes, ASIDE_BYTES)
        elif not self._accepts(self.content_type):
            self.stopped = ("content-type", (self.content_type or "none stated")[:200])
        if not self.stopped and length > self._max_bytes and not self._cut:
            self._stop_at_size()

    @property
    def is_page(self) -> bool:
        """Whether the response is a success, so that its body counts."""
        return 200 <= self.exchange.status < 300

    @property
    def is_redirect(self) -> bool:
        """Whether the response is a redirect."""
        return self.exchange.status in REDIRECT_STATUSES and bool(self.location)

    def _accepts(self, content_type: str | None) -> bool:
        if self._content_types is None:
            return True
        stated = (content_type or "").strip().lower()
        return stated.startswith(tuple(filter(None, self._content_types))) if stated else "" in self._content_types

    def _on_body(self, data: bytes) -> int | None:
        if self._must_pause(self.handle):
            return int(pycurl.WRITEFUNC_PAUSE)
        self._size += len(data)
        if self._size > self._max_bytes:
            if self._cut:
                self._body += data[: self._max_bytes - self._size]
            self._stop_at_size()
            return -1
        self._body += data
        return None

    def _stop_at_size(self) -> None:
        too_large = self.is_page and not self._cut
        self.stopped = ("too-large", f"more than {self._max_bytes} bytes") if too_large else ("enough", "")


def _endpoint(line: str) -> tuple[str, tuple[str, int] | None]:
    """The host of curl's `HOST:PORT:ADDRESS:PORT` (`*` for every host), and the address and port where both are given."""
    found = _ENDPOINT.search(line)
    return line.partition(":")[0] or "*", (found[1] or found[2], int(found[3])) if found else None
