"""HTTP/1.1 as bytes: reading a request head, writing a reply. Pure functions."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus

from tearsheet.demo.model import Reply

MAX_HEAD = 65_536


@dataclass(slots=True, frozen=True)
class Request:
    """What a client asked."""

    method: str
    host: str
    target: str
    """Path and query."""
    headers: dict[str, str]
    keep_alive: bool

    @property
    def accepts_gzip(self) -> bool:
        """Whether the client takes gzipped bodies."""
        return "gzip" in self.headers.get("accept-encoding", "")


def parse_head(head: bytes) -> Request | None:
    """Read a request head without its final blank line. None when it is not HTTP."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        return None
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    method, target, version = words
    host = headers.get("host", "")
    if target.startswith("http://"):  # from a browser that uses us as its proxy
        host, slash, rest = target.removeprefix("http://").partition("/")
        target = slash + rest or "/"
    wish = headers.get("connection", "").lower()
    keep_alive = wish != "close" and (version != "HTTP/1.0" or wish == "keep-alive")
    return Request(method, host.lower().rsplit(":", 1)[0], target, headers, keep_alive)


def is_fresh(request: Request, reply: Reply) -> bool:
    """Whether the client already has this reply, by its validators."""
    tag, since = reply.header("etag"), reply.header("last-modified")
    if "if-none-match" in request.headers:
        return tag is not None and tag in request.headers["if-none-match"]
    return since is not None and request.headers.get("if-modified-since") == since


@lru_cache(maxsize=1024)
def compressed(reply: Reply) -> Reply:
    """The same reply with a gzipped body."""
    headers = (*reply.headers, ("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))
    return Reply(reply.status, headers, gzip.compress(reply.body, 6, mtime=0), reply.manner, reply.delay, reply.repeat)


def head_bytes(reply: Reply, framing: str) -> bytes:
    """Status line and headers. `framing` is the line that says where the body ends."""
    try:
        phrase = HTTPStatus(reply.status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [f"HTTP/1.1 {reply.status} {phrase}", *(f"{name}: {value}" for name, value in reply.headers), framing]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def whole(reply: Reply, *, with_body: bool = True) -> bytes:
    """Head and body in one."""
    if reply.status == HTTPStatus.NOT_MODIFIED:
        return head_bytes(reply, "Cache-Control: max-age=600")
    return head_bytes(reply, f"Content-Length: {len(reply.body)}") + (reply.body if with_body else b"")


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


LAST_CHUNK = b"0\r\n\r\n"
CHUNKED = "Transfer-Encoding: chunked"
