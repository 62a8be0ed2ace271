"""Requests to a server that the operator named: for an input file, or to an rss-fetcher. Web pages go through `tearsheet.fetch`."""

from __future__ import annotations

import base64
import http.client
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote, urlsplit

from tearsheet.errors import EngineError

TIMEOUT_SECONDS = 60.0


def without_login(url: str) -> str:
    """An address without user and password, safe to show."""
    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


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
        with urllib.request.urlopen(request, timeout=timeout) as response:  # noqa: S310 - as above
            if response.status != 200:
                raise EngineError(f"{shown}: the server answers {response.status}")
            yield response
    except urllib.error.HTTPError as error:
        error.close()
        raise EngineError(f"{shown}: the server answers {error.code} {error.reason}") from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise EngineError(f"{shown}: {getattr(error, 'reason', None) or error}; try again later") from error
