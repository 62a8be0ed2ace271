"""Talk to OpenSearch or Elasticsearch: one way to ask, which rides out absences and refusals for want of room."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from tearsheet.errors import ConfigError, EngineError

_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_BUSY = (429, 502, 503, 504)


class Refused(EngineError):
    """The server answered with an error. `status` is HTTP's, `kind` and `reason` are the server's own words."""

    def __init__(self, status: int, kind: str, reason: str) -> None:
        super().__init__(f"the search server refuses us: {status} {kind}: {' '.join(reason.split())[:300]}")
        self.status = status
        self.kind = kind
        self.reason = reason


class Unreachable(EngineError):
    """The server did not answer."""


Ask = Callable[[str, str, dict[str, Any] | None, Any], Any]
"""Method, path, parameters, body (a value for JSON, or lines for bulk) → the answer. Raises Refused or Unreachable."""


class SearchServer(Protocol):
    """What differs between the two servers."""

    name: str

    def ask(self, method: str, path: str, params: dict[str, Any] | None = None, body: Any = None) -> Any:
        """Ask once."""
        ...

    def open_point_in_time(self, index: str, keep_alive: str) -> str:
        """A frozen view of an index."""
        ...

    def close_point_in_time(self, identifier: str) -> None:
        """Let a frozen view go."""
        ...

    def close(self) -> None:
        """Disconnect."""
        ...


class OpenSearchServer:
    """OpenSearch 2 and later, through opensearch-py."""

    name = "OpenSearch"

    def __init__(self, url: str) -> None:
        try:
            import opensearchpy
        except ImportError as error:
            raise ConfigError(
                "engines.index: OpenSearch needs its client: pip install 'tearsheet[opensearch]'"
            ) from error
        self._errors = opensearchpy.exceptions
        address, auth = http_address(url)
        self._client = opensearchpy.OpenSearch(hosts=[address], http_auth=auth, timeout=60, max_retries=0)

    def ask(self, method: str, path: str, params: dict[str, Any] | None = None, body: Any = None) -> Any:
        """Ask once."""
        try:
            return self._client.transport.perform_request(method, path, params=params, body=body)
        except self._errors.ConnectionError as error:
            raise Unreachable(str(error)) from error
        except self._errors.TransportError as error:
            raise _refused(error.status_code, error.info) from error

    def open_point_in_time(self, index: str, keep_alive: str) -> str:
        """A frozen view of an index."""
        answer = self.ask("POST", f"/{index}/_search/point_in_time", {"keep_alive": keep_alive})
        return str(answer["pit_id"])

    def close_point_in_time(self, identifier: str) -> None:
        """Let a frozen view go."""
        self.ask("DELETE", "/_search/point_in_time", None, {"pit_id": [identifier]})

    def close(self) -> None:
        """Disconnect."""
        self._client.close()


class ElasticsearchServer:
    """Elasticsearch 8, through its own client."""

    name = "Elasticsearch"

    def __init__(self, url: str) -> None:
        try:
            import elasticsearch
        except ImportError as error:
            raise ConfigError(
                "engines.index: Elasticsearch needs its client: pip install 'tearsheet[elasticsearch]'"
            ) from error
        self._errors = elasticsearch
        address, auth = http_address(url)
        self._client = elasticsearch.Elasticsearch(
            [address], basic_auth=auth, request_timeout=60, max_retries=0, retry_on_timeout=False
        )

    def ask(self, method: str, path: str, params: dict[str, Any] | None = None, body: Any = None) -> Any:
        """Ask once."""
        kind = "application/x-ndjson" if isinstance(body, bytes) else "application/json"
        headers = {"accept": "application/json", "content-type": kind}
        try:
            return self._client.perform_request(method, path, params=params, headers=headers, body=body).body
        except self._errors.ApiError as error:
            raise _refused(error.status_code, error.body) from error
        except self._errors.TransportError as error:
            raise Unreachable(str(error)) from error

    def open_point_in_time(self, index: str, keep_alive: str) -> str:
        """A frozen view of an index."""
        return str(self.ask("POST", f"/{index}/_pit", {"keep_alive": keep_alive})["id"])

    def close_point_in_time(self, identifier: str) -> None:
        """Let a frozen view go."""
        self.ask("DELETE", "/_pit", None, {"id": identifier})

    def close(self) -> None:
        """Disconnect."""
        self._client.close()


def http_address(url: str) -> tuple[str, tuple[str, str] | None]:
    """`opensearch://USER:PASSWORD@HOST:PORT/…` as an HTTP address and who we are; `opensearchs://` is over TLS."""
    parts = urlsplit(url)
    secure = parts.scheme.endswith("s")
    if not parts.hostname:
        raise ConfigError(f"engines.index: {parts.scheme}:// names no host")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    address = f"{'https' if secure else 'http'}://{host}:{parts.port or 9200}"
    auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return address, auth


def _refused(status: Any, info: Any) -> Refused:
    error = info.get("error", info) if isinstance(info, dict) else info
    if isinstance(error, dict):
        causes = error.get("root_cause") or [error]
        return Refused(int(status), str(error.get("type", "")), str(causes[0].get("reason") or error.get("reason", "")))
    return Refused(int(status), "", str(error))


class Patient:
    """Asks a server, and asks again with growing pauses while it is away or too busy, for as long as `patience` seconds."""

    def __init__(self, server: SearchServer, patience: float, sleep: Callable[[float], None] = time.sleep) -> None:
        self.server = server
        self._patience = patience
        self._sleep = sleep

    def ask(self, method: str, path: str, params: dict[str, Any] | None = None, body: Any = None) -> Any:
        """Ask until there is an answer. Raises Refused, or EngineError when patience is at its end."""
        return self.insist(lambda: self.server.ask(method, path, params, body))

    def insist(self, attempt: Callable[[], Any]) -> Any:
        """Do something again and again until the server is there and has room."""
        deadline = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        while True:
            try:
                return attempt()
            except (Refused, Unreachable) as error:
                if isinstance(error, Refused) and error.status not in _BUSY:
                    raise
                if time.monotonic() + pause > deadline:
                    raise EngineError(
                        f"{self.server.name} does not answer: {str(error)[:200]}; check that it runs and has room"
                    ) from error
                self._sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
