"""RabbitMQ's management API: the one place that lists all queues, with what is leased by whom. Its figures are seconds old."""

from __future__ import annotations

import base64
import http.client
import json
from urllib.parse import quote

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
        self._path = f"/api/queues/{quote(server.path or '/', safe='')}?columns=name,messages_unacknowledged"

    def unacknowledged(self) -> dict[str, int] | None:
        """Every queue by name with its messages that somebody holds, as of some seconds ago; None when the API is not there."""
        connection = self._connect(self._host, self._port, timeout=10)
        try:
            connection.request("GET", self._path, headers=self._headers)
            response = connection.getresponse()
            if response.status != 200:
                return None
            return {item["name"]: int(item.get("messages_unacknowledged") or 0) for item in json.load(response)}
        except (OSError, http.client.HTTPException, ValueError):
            return None
        finally:
            connection.close()
