"""The brokers that the contract suite runs against."""

from __future__ import annotations

import asyncio
import base64
import http.client
import uuid
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from tearsheet.engines.broker.port import Broker, Depth
from tearsheet.engines.broker.rabbitmq import open_rabbitmq_broker
from tearsheet.engines.broker.sqlite import SqliteBroker
from tests.support.servers import server_url


class BrokerHarness:
    """How a test opens a fresh broker of one kind, and opens it again."""

    name = ""

    def prepared(self, request, tmp_path: Path) -> BrokerHarness:
        """A harness for one test, with a place of its own; skips where the server is not up."""
        raise AssertionError("each kind of broker says how")

    async def open(self) -> Broker:
        """A connection to the test's own place."""
        raise AssertionError("each kind of broker says how")

    async def settled_depth(self, broker: Broker, queue: str) -> Depth:
        """The depth once the server's own bookkeeping has caught up."""
        return (await broker.depths())[queue]


class SqliteHarness(BrokerHarness):
    name = "sqlite"

    def prepared(self, request, tmp_path: Path) -> BrokerHarness:
        ready = SqliteHarness()
        ready.path = tmp_path / "queues.db"
        return ready

    path: Path

    async def open(self) -> Broker:
        return SqliteBroker(self.path)


class RabbitHarness(BrokerHarness):
    """A virtual host of the test's own."""

    name = "rabbitmq"
    url: str

    def prepared(self, request, tmp_path: Path) -> BrokerHarness:
        ready = RabbitHarness()
        ready.url = fresh_vhost(request)
        return ready

    async def open(self) -> Broker:
        return open_rabbitmq_broker(self.url, patience=20)

    async def settled_depth(self, broker: Broker, queue: str) -> Depth:
        """Messages on their way to us are neither ready nor here: ask until two answers agree."""
        seen = (await broker.depths())[queue]
        for _ in range(40):
            await asyncio.sleep(0.25)
            before, seen = seen, (await broker.depths())[queue]
            if seen == before:
                break
        return seen


def fresh_vhost(request) -> str:
    """The URL of a new virtual host, which is deleted after the test."""
    server = urlsplit(server_url("rabbitmq"))
    name = f"test-{uuid.uuid4().hex[:12]}"
    management(f"/api/vhosts/{name}", "PUT")
    request.addfinalizer(lambda: management(f"/api/vhosts/{name}", "DELETE"))
    return server._replace(path=f"/{name}").geturl()


def management(path: str, method: str, body: str = "{}") -> None:
    """Ask the management API of the test server for something."""
    server = urlsplit(server_url("rabbitmq"))
    connection = http.client.HTTPConnection(server.hostname or "", int(dict(parse_qsl(server.query))["management"]))
    login = base64.b64encode(f"{server.username}:{server.password}".encode()).decode()
    headers = {"Authorization": f"Basic {login}", "Content-Type": "application/json"}
    connection.request(method, path, body, headers)
    status = connection.getresponse().status
    connection.close()
    assert 200 <= status < 300, f"{method} {path} answers {status}"


BROKERS = [SqliteHarness(), pytest.param(RabbitHarness(), marks=pytest.mark.engine("rabbitmq"))]
