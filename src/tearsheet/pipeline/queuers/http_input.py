"""Requests to a server that the operator named: for an input file, or to an rss-fetcher. Web pages go through `tearsheet.fetch`."""

from __future__ import annotations

import base64
import http.client
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO
from urllib.parse import unquote, urlsplit

from tearsheet.errors import EngineError

TIMEOUT_SECONDS = 60.0


def without_login(url: str) -> str:
    """An address without user and password, safe to show."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


class _KeepLoginAtHome(urllib.request.HTTPRedirectHandler):
    """Follows redirects, and takes the login along only to the origin that it was given for."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """The next request; without the login if it goes to another scheme, host or port."""
        following = super().redirect_request(req, fp, code, msg, headers, newurl)
        if following is not None and _origin(following.full_url) != _origin(req.full_url):
            following.remove_header("Authorization")
        return following


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port


@contextmanager
def opened_url(url: str, timeout: float = TIMEOUT_SECONDS) -> Iterator[http.client.HTTPResponse]:
    """The 200 response of an http(s) server. The address may contain a user and password. Raises EngineError."""
    shown = without_login(url)
    parts = urlsplit(url)
    headers = {"User-Agent": "tearsheet", "Accept-Encoding": "identity"}
    if parts.username:
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
    if parts.scheme not in ("http", "https"):
        raise EngineError(f"{shown}: not an http or https address")
    request = urllib.request.Request(shown, headers=headers)  # noqa: S310 - http(s) only, as was just checked
    try:
        with urllib.request.build_opener(_KeepLoginAtHome).open(request, timeout=timeout) as response:
            if response.status != 200:
                raise EngineError(f"{shown}: the server answers {response.status}")
            yield response
    except urllib.error.HTTPError as error:
        error.close()
        raise EngineError(f"{shown}: the server answers {error.code} {error.reason}") from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise EngineError(f"{shown}: {getattr(error, 'reason', None) or error}; try again later") from error
