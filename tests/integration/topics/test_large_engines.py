"""The same run on RabbitMQ and PostgreSQL with four workers gives the same snapshot, byte for byte."""

from __future__ import annotations

import pytest

from tearsheet.engines.database import open_database
from tearsheet.topics.snapshot_store import list_snapshots, load_snapshot
from tearsheet.topics.store import find_topic
from tests.engines.brokers import fresh_vhost
from tests.engines.databases import PostgresHarness

from .running import prepare
from .serving import in_thread
from .simulated import SimulatedWeb
from .test_kill import finish, spider_with_kills, start
from .test_simulated_web import check

pytestmark = [pytest.mark.engine("rabbitmq"), pytest.mark.engine("postgresql"), pytest.mark.timeout(400)]


def test_the_same_snapshot_by_four_workers(tmp_path, request):
    harness = PostgresHarness()
    harness.prepare(tmp_path)
    request.addfinalizer(harness.remove)
    broker = fresh_vhost(request)
    small = spider_with_kills(tmp_path / "small", seed=2, pages=60, kills=0)
    web = SimulatedWeb(sites=8, pages=60, seed=2)
    database = open_database(harness.url, tmp_path, patience=10)
    database.migrate()
    prepare(database, web)
    with in_thread(web) as server:
        engines = {"database": harness.url, "broker": broker}
        crew = [start(tmp_path / f"{name}", server.port, *words, **engines) for name, words in _crew(tmp_path)]
        said = [finish(child) for child in crew]
    topic = find_topic(database, "Zanzibar")
    assert topic.state == "completed", said
    check(web, load_snapshot(database, topic))
    [snapshot] = list_snapshots(database, topic.id)
    assert snapshot.digest == small
    database.close()


def _crew(tmp_path):
    """One process that drives the run and three that help; each has an index folder of its own, as on four machines."""
    for number in range(4):
        folder = tmp_path / f"worker{number}"
        folder.mkdir()
        yield folder.name, ("join",) if number else ()
