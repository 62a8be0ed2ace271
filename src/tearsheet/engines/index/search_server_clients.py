"""Talk to a search server, OpenSearch or Elasticsearch: one way to ask, which waits while the server is down or overloaded."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from tearsheet.engines.server import LostConnection, ServerUrl, cannot_reach, load_client, pauses
from tearsheet.errors import EngineError

SETTING = "engines.index"
PORTS = dict.fromkeys(("opensearch", "opensearchs", "elasticsearch", "elasticsearchs"), 9200)
"""The schemes of their URLs, with the port that both use; an `s` at the end is for TLS."""
_BUSY = (429, 502, 503, 504)
_REQUEST_SECONDS = 60


class Refused(EngineError):
    """The server answered with an error. `status` is the HTTP status, `kind` and `reason` are what the server says."""

    def __init__(self, status: int, kind: str, reason: str) -> None:
        super().__init__(f"the search server refuses us: {status} {kind}: {' '.join(reason.split())[:300]}")
        self.status = status
        self.kind = kind
        self.reason = reason


class OutOfTime(EngineError):
    """The server did not answer a question in the time that it was given."""


class SearchClient(Protocol):
    """What differs between the two servers."""

    name: str
    server: ServerUrl

    def ask(
        self,
        method: str,
        path: str,
        params: dict[str, Any] | None = None,
        body: Any = None,
        seconds: float | None = None,
    ) -> Any:
        """Ask once; `body` is sent as JSON, or as lines for bulk requests. Raises Refused or LostConnection.

        With `seconds`, an answer that is not there then is given up: OutOfTime. The server sees that the connection was closed, and
        stops working on it.
        """
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


class OpenSearchClient:
    """OpenSearch 2 and later, through opensearch-py."""

    name = "OpenSearch"

    def __init__(self, server: ServerUrl) -> None:
        client = load_client("opensearchpy", "opensearch", SETTING)
        self.server = server
        self._errors = client.exceptions
        self._client = client.OpenSearch(
            hosts=[_http_address(server)], http_auth=_login(server), timeout=_REQUEST_SECONDS, max_retries=0
        )

    def ask(
        self,
        method: str,
        path: str,
        params: dict[str, Any] | None = None,
        body: Any = None,
        seconds: float | None = None,
    ) -> Any:
        """Ask once."""
        if seconds is not None:
            params = (params or {}) | {"request_timeout": seconds}
        try:
            return self._client.transport.perform_request(method, path, params=params, body=body)
        except self._errors.ConnectionTimeout as error:
            raise (LostConnection if seconds is None else OutOfTime)(str(error)) from error
        except self._errors.ConnectionError as error:
            raise LostConnection(str(error)) from error
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


class ElasticsearchClient:
    """Elasticsearch 8, through its own client."""

    name = "Elasticsearch"

    def __init__(self, server: ServerUrl) -> None:
        client = load_client("elasticsearch", "elasticsearch", SETTING)
        self.server = server
        self._errors: Any = client
        self._client = client.Elasticsearch(
            [_http_address(server)],
            basic_auth=_login(server),
            request_timeout=_REQUEST_SECONDS,
            max_retries=0,
            retry_on_timeout=False,
        )

    def ask(
        self,
        method: str,
        path: str,
        params: dict[str, Any] | None = None,
        body: Any = None,
        seconds: float | None = None,
    ) -> Any:
        """Ask once."""
        client = self._client if seconds is None else self._client.options(request_timeout=seconds)
        kind = "application/x-ndjson" if isinstance(body, bytes) else "application/json"
        headers = {"accept": "application/json", "content-type": kind}
        try:
            return client.perform_request(method, path, params=params, headers=headers, body=body).body
        except self._errors.ApiError as error:
            raise _refused(error.status_code, error.body) from error
        except self._errors.ConnectionTimeout as error:
            raise (LostConnection if seconds is None else OutOfTime)(str(error)) from error
        except self._errors.TransportError as error:
            raise LostConnection(str(error)) from error

    def open_point_in_time(self, index: str, keep_alive: str) -> str:
        """A frozen view of an index."""
        return str(self.ask("POST", f"/{index}/_pit", {"keep_alive": keep_alive})["id"])

    def close_point_in_time(self, identifier: str) -> None:
        """Let a frozen view go."""
        self.ask("DELETE", "/_pit", None, {"id": identifier})

    def close(self) -> None:
        """Disconnect."""
        self._client.close()


def _http_address(server: ServerUrl) -> str:
    return f"{'https' if server.scheme.endswith('s') else 'http'}://{server.host_in_url}:{server.port}"


def _login(server: ServerUrl) -> tuple[str, str] | None:
    return (server.user, server.password) if server.user else None


def _refused(status: Any, info: Any) -> Refused:
    error = info.get("error", info) if isinstance(info, dict) else info
    if isinstance(error, dict):
        causes = error.get("root_cause") or [error]
        return Refused(int(status), str(error.get("type", "")), str(causes[0].get("reason") or error.get("reason", "")))
    return Refused(int(status), "", str(error))


class Patient:
    """Asks a server, and repeats with growing pauses while it is down or too busy, for up to `patience` seconds."""

    def __init__(self, client: SearchClient, patience: float, sleep: Callable[[float], None] = time.sleep) -> None:
        self.client = client
        self._patience = patience
        self.sleep = sleep

    def ask(
        self,
        method: str,
        path: str,
        params: dict[str, Any] | None = None,
        body: Any = None,
        seconds: float | None = None,
    ) -> Any:
        """Ask until there is an answer. Raises Refused, OutOfTime after `seconds`, or EngineError when patience ends."""
        return self.insist(lambda: self.client.ask(method, path, params, body, seconds))

    def insist(self, attempt: Callable[[], Any]) -> Any:
        """Repeat an attempt until the server answers and has capacity."""
        tries = pauses(self._patience)
        while True:
            try:
                return attempt()
            except (Refused, LostConnection) as error:
                if isinstance(error, Refused) and error.status not in _BUSY:
                    raise
                told = cannot_reach(self.client.server, "search server", str(error)[:200])
                pause = next(tries, None) if isinstance(told, LostConnection) else None
                if pause is None:
                    raise told from error
            self.sleep(pause)
