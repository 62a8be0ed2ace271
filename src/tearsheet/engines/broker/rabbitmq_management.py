"""RabbitMQ's management API: only it lists all queues and how many of their messages are leased. Its figures are seconds old."""

from __future__ import annotations

import base64
import http.client
import json
from typing import Any
from urllib.parse import quote

from tearsheet.engines.broker.rabbitmq_layout import is_ours
from tearsheet.engines.server import ServerUrl


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
        if status != 200:
            return None
        return {item["name"]: int(item.get("messages_unacknowledged") or 0) for item in found if is_ours(item["name"])}

    def vhost_is_missing(self) -> bool:
        """Whether the server knows that there is no such virtual host."""
        return self._get(f"/api/vhosts/{self._vhost}")[0] == 404

    def _get(self, path: str) -> tuple[int, Any]:
        connection = self._connect(self._host, self._port, timeout=10)
        try:
            connection.request("GET", path, headers=self._headers)
            response = connection.getresponse()
            return response.status, json.load(response)
        except (OSError, http.client.HTTPException, ValueError):
            return 0, None
        finally:
            connection.close()
