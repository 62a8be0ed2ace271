"""Talk to a search server, OpenSearch or Elasticsearch: one way to ask, which waits while the server is down or overloaded."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

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


class SearchClient(ABC):
    """One way to ask; subclasses say how each client library puts it."""

    name: str

    def __init__(
        self,
        server: ServerUrl,
        client: Any,
        *,
        timed_out: type[Exception],
        lost: tuple[type[Exception], ...],
        refused: type[Any],
    ) -> None:
        """The last three are the library's errors, looked for in this order.

        An answer that is no JSON counts as lost: something on the way gave it.
        """
        self.server = server
        self._client = client
        self._timed_out, self._refused = timed_out, refused
        self._lost: tuple[type[Exception], ...] = (*lost, RecursionError)

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
        try:
            answer = self._perform(method, path, params, body, seconds)
        except self._timed_out as error:
            raise (LostConnection if seconds is None else OutOfTime)(str(error)) from error
        except self._lost as error:
            raise LostConnection(str(error)) from error
        except self._refused as error:
            raise _refused(error.status_code, self._said(error)) from error
        if isinstance(answer, Sequence):
            raise LostConnection("the answer is not that of a search server")
        return answer

    def close(self) -> None:
        """Disconnect."""
        self._client.close()

    @abstractmethod
    def _perform(self, method: str, path: str, params: dict[str, Any] | None, body: Any, seconds: float | None) -> Any:
        """Ask as the library is asked. Raises its errors."""

    @abstractmethod
    def _said(self, error: Any) -> Any:
        """What the server said, in the library's error."""

    @abstractmethod
    def open_point_in_time(self, index: str, keep_alive: str) -> str:
        """A frozen view of an index."""

    @abstractmethod
    def close_point_in_time(self, identifier: str) -> None:
        """Let a frozen view go."""


class OpenSearchClient(SearchClient):
    """OpenSearch 2 and later, through opensearch-py."""

    name = "OpenSearch"

    def __init__(self, server: ServerUrl) -> None:
        library = load_client("opensearchpy", "opensearch", SETTING)
        client = library.OpenSearch(
            hosts=[_http_address(server)], http_auth=_login(server), timeout=_REQUEST_SECONDS, max_retries=0
        )
        errors = library.exceptions
        super().__init__(
            server,
            client,
            timed_out=errors.ConnectionTimeout,
            lost=(errors.ConnectionError, errors.SerializationError, UnicodeDecodeError),
            refused=errors.TransportError,
        )

    def _perform(self, method: str, path: str, params: dict[str, Any] | None, body: Any, seconds: float | None) -> Any:
        if seconds is not None:
            params = (params or {}) | {"request_timeout": seconds}
        return self._client.transport.perform_request(method, path, params=params, body=body)

    def _said(self, error: Any) -> Any:
        return error.info

    def open_point_in_time(self, index: str, keep_alive: str) -> str:
        """A frozen view of an index."""
        answer = self.ask("POST", f"/{index}/_search/point_in_time", {"keep_alive": keep_alive})
        return str(answer["pit_id"])

    def close_point_in_time(self, identifier: str) -> None:
        """Let a frozen view go."""
        self.ask("DELETE", "/_search/point_in_time", None, {"pit_id": [identifier]})


class ElasticsearchClient(SearchClient):
    """Elasticsearch 8, through its own client."""

    name = "Elasticsearch"

    def __init__(self, server: ServerUrl) -> None:
        library: Any = load_client("elasticsearch", "elasticsearch", SETTING)
        client = library.Elasticsearch(
            [_http_address(server)],
            basic_auth=_login(server),
            request_timeout=_REQUEST_SECONDS,
            max_retries=0,
            retry_on_timeout=False,
        )
        super().__init__(
            server,
            client,
            timed_out=library.ConnectionTimeout,
            lost=(library.TransportError, UnicodeDecodeError),
            refused=library.ApiError,
        )

    def _perform(self, method: str, path: str, params: dict[str, Any] | None, body: Any, seconds: float | None) -> Any:
        client = self._client if seconds is None else self._client.options(request_timeout=seconds)
        kind = "application/x-ndjson" if isinstance(body, bytes) else "application/json"
        headers = {"accept": "application/json", "content-type": kind}
        return client.perform_request(method, path, params=params, headers=headers, body=body).body

    def _said(self, error: Any) -> Any:
        return error.body

    def open_point_in_time(self, index: str, keep_alive: str) -> str:
        """A frozen view of an index."""
        return str(self.ask("POST", f"/{index}/_pit", {"keep_alive": keep_alive})["id"])

    def close_point_in_time(self, identifier: str) -> None:
        """Let a frozen view go."""
        self.ask("DELETE", "/_pit", None, {"id": identifier})


def client_for(server: ServerUrl) -> SearchClient:
    """The client for a server, by the scheme of its URL."""
    return (ElasticsearchClient if server.scheme.startswith("elasticsearch") else OpenSearchClient)(server)


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


def whole(answer: Any, *, late: bool = False) -> Any:
    """The answer, if it is about all stories: a server that runs out of time, or loses a part, answers about the others."""
    shards = answer["_shards"]
    if answer["timed_out"] or (late and shards["failed"]):
        raise OutOfTime("the server stopped before its end")
    if shards["failed"]:
        raise EngineError(
            f"engines.index: {shards['failed']} of {shards['total']} parts of the index could not be searched; "
            "look at the search server's log, and ask again"
        )
    return answer


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
