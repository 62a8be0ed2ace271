"""RabbitMQ's management API: only it lists all queues and how many of their messages are leased. Its figures are seconds old."""

from __future__ import annotations

import base64
import http.client
import time
from urllib.parse import quote

import msgspec

from tearsheet.engines.broker.rabbitmq_layout import is_ours
from tearsheet.engines.server import ServerUrl
from tearsheet.foreign_text import decode_json

_MOST_BYTES = 64 << 20
_SECONDS = 10.0
_PIECE = 1 << 16


class _Queue(msgspec.Struct):
    name: str
    messages_unacknowledged: int | None = None


class Management:
    """The API of the server of an AMQP URL; on port 15672 unless the URL says `?management=PORT`."""

    def __init__(self, server: ServerUrl) -> None:
        encrypted = server.scheme == "amqps"
        self._connect = http.client.HTTPSConnection if encrypted else http.client.HTTPConnection
        self._host = server.host
        self._port = int(server.options.get("management", 15671 if encrypted else 15672))
        login = base64.b64encode(f"{server.user}:{server.password}".encode()).decode()
        self._headers = {"Authorization": f"Basic {login}"}
        self._vhost = quote(server.path or "/", safe="")

    def unacknowledged(self) -> dict[str, int] | None:
        """How many messages of each queue are leased, as of some seconds ago; None when the API does not answer."""
        status, found = self._get(f"/api/queues/{self._vhost}?columns=name,messages_unacknowledged")
        try:
            listed = decode_json(found, list[_Queue]) if status == 200 else None
        except ValueError:
            listed = None  # something else answers there
        return (
            None
            if listed is None
            else {one.name: one.messages_unacknowledged or 0 for one in listed if is_ours(one.name)}
        )

    def vhost_is_missing(self) -> bool:
        """Whether the server knows that there is no such virtual host."""
        return self._get(f"/api/vhosts/{self._vhost}")[0] == 404

    def _get(self, path: str) -> tuple[int, bytes]:
        connection = self._connect(self._host, self._port, timeout=_SECONDS)
        try:
            connection.request("GET", path, headers=self._headers)
            response = connection.getresponse()
            return response.status, _whole(response)
        except (OSError, http.client.HTTPException, ValueError):
            return 0, b""
        finally:
            connection.close()


def _whole(response: http.client.HTTPResponse) -> bytes:
    """The body. Raises ValueError when it is longer, or takes longer, than any honest answer."""
    body, until = bytearray(), time.monotonic() + _SECONDS
    while piece := response.read1(_PIECE):
        body += piece
        if len(body) > _MOST_BYTES or time.monotonic() > until:
            raise ValueError("an answer without an end")
    return bytes(body)
