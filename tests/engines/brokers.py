"""The brokers that the contract suite runs against."""

from __future__ import annotations

from pathlib import Path

from tearsheet.engines.broker_sqlite import SqliteBroker
from tearsheet.engines.ports import Broker, Depth


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


BROKERS: list[BrokerHarness] = [SqliteHarness()]
