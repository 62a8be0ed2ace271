"""The same run on RabbitMQ and PostgreSQL with four workers gives the same snapshot, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from tearsheet.engines.database import open_database
from tearsheet.topics.snapshot.store import list_snapshots, load_snapshot
from tearsheet.topics.store import find_topic
from tests.support.brokers import fresh_vhost
from tests.support.databases import PostgresHarness
from tests.support.simulated_web import SimulatedWeb
from tests.support.simulated_web_server import served_web
from tests.support.topic_kills import finish, spider_with_kills, start
from tests.support.topic_runs import check_snapshot, prepare

pytestmark = [pytest.mark.engine("rabbitmq"), pytest.mark.engine("postgresql")]


@pytest.mark.timeout(400)
def test_the_same_snapshot_by_four_workers(tmp_path, request):
    make = {"sites": 8, "pages": 60, "seed": 2}
    small = spider_with_kills(tmp_path / "small", make, kills=0)
    assert spider_with_four(tmp_path, request, make) == small


@pytest.mark.slow
@pytest.mark.timeout(2400)
def test_the_same_snapshot_of_three_thousand_pages_by_four_workers(tmp_path, request):
    make = {"sites": 30, "pages": 3_000, "seed": 1, "max_iterations": 12}
    small = spider_with_kills(tmp_path / "small", make, kills=0)
    assert spider_with_four(tmp_path, request, make) == small


def spider_with_four(folder: Path, request: pytest.FixtureRequest, make: dict[str, int]) -> str:
    """Run it with one process that drives and three that help; the digest of its snapshot."""
    harness = PostgresHarness()
    harness.prepare(folder)
    request.addfinalizer(harness.remove)
    broker = fresh_vhost(request)
    web = SimulatedWeb(**make)
    database = open_database(harness.url, folder, patience=10)
    database.migrate()
    prepare(database, web)
    with served_web(web) as server:
        crew = []
        for number in range(4):
            own = folder / f"worker{number}"  # an index folder of its own, as on four machines
            own.mkdir()
            words = ("join",) if number else ()
            crew.append(start(own, server.port, *words, database=harness.url, broker=broker))
        said = [finish(child) for child in crew]
    topic = find_topic(database, "Zanzibar")
    assert topic.state == "completed", said
    check_snapshot(web, load_snapshot(database, topic), folder / "export")
    [snapshot] = list_snapshots(database, topic.id)
    database.close()
    return snapshot.digest
