"""Bodies of requests: of limited size, counted while they arrive, and plain JSON where they are JSON at all.

A body is read here, before anything else sees it, so that whatever is odd about it is told in a sentence, and once.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import NoReturn

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tearsheet.web.guard import refusal

LIMITS: Mapping[str, int] = {"/api/sources/feeds/": 100_000, "/ingest": 100_000}
"""Bytes of a body, where less than `web.max_body_bytes` is enough."""
_BODILESS = frozenset({"GET", "HEAD", "OPTIONS"})
_ZERO_CHARACTER = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_MOST_DIGITS = 300
_AT_ONCE = 4096


class TooLarge(Exception):
    """A body is larger than allowed."""


class Gone(Exception):
    """The client hung up."""


class Bodies:
    """Reads the body of a request and passes it on whole, or says why not."""

    def __init__(self, app: ASGIApp, *, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read one body."""
        if scope["type"] == "http" and _has_two_lengths(scope):
            # A proxy that believes the one and we the other would disagree on where the next request begins.
            problem = "a request has a Content-Length or a Transfer-Encoding, not both"
            await refusal(400, problem, {"connection": "close"})(scope, receive, send)
            return
        if scope["type"] != "http" or scope["method"] in _BODILESS:
            await self._app(scope, receive, send)
            return
        limit = min(self._most, LIMITS.get(scope["path"], self._most))
        request = Request(scope)
        try:
            body = await read_body(request.headers.get("content-length", ""), receive, limit)
        except TooLarge:
            await refusal(413, f"the body of this request may have {limit:,} bytes")(scope, receive, send)
            return
        except Gone:
            return
        problem = await _problem(body) if "json" in request.headers.get("content-type", "json") else ""
        if problem:
            await refusal(400, problem)(scope, receive, send)
            return
        await self._app(scope, _given(body, receive), send)


def _has_two_lengths(scope: Scope) -> bool:
    return {b"content-length", b"transfer-encoding"} <= {name for name, _ in scope["headers"]}


async def read_body(announced: str, receive: Receive, limit: int) -> bytes:
    """The whole body. Raises TooLarge as soon as it is known to be, before anything is read if its length says so, and Gone."""
    if announced.isdecimal() and (len(announced) > 18 or int(announced) > limit):
        raise TooLarge
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        body += message.get("body", b"")
        if len(body) > limit:
            raise TooLarge
        if not message.get("more_body", False):
            return bytes(body)


async def _problem(body: bytes) -> str:
    """`json_problem`, in a thread where it may take long."""
    return json_problem(body) if len(body) <= _AT_ONCE else await asyncio.to_thread(json_problem, body)


def json_problem(body: bytes) -> str:
    """What keeps a body from being JSON that any database and any program could take; empty if nothing does."""
    if not body:
        return ""
    try:
        text = body.decode()
        value = json.loads(text, parse_constant=_refuse_number, parse_int=_read_integer)
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeDecodeError:
        return "the body is not UTF-8"
    except UnicodeEncodeError:
        return "the body has half of a surrogate pair in a text: write the whole character"
    except RecursionError:
        return "the body is nested too deeply"
    except ValueError as error:
        return f"the body is not plain JSON: {error}"
    if _ZERO_CHARACTER.search(text):
        return "the body has the character U+0000 in a text, which no database keeps"
    return ""


def _refuse_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _read_integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number has {len(digits):,} digits")
    return int(digits)


def _given(body: bytes, receive: Receive) -> Receive:
    """The body in one piece; then whatever else comes, which is the end of the connection."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def give() -> Message:
        return parts.pop() if parts else await receive()

    return give
