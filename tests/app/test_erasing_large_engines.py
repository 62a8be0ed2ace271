"""The same erasure on PostgreSQL, RabbitMQ, OpenSearch and S3."""

from __future__ import annotations

import uuid
from urllib.parse import urlsplit

import pytest
from sqlalchemy import text

from tearsheet.app import erasing
from tearsheet.app.addresses import every_address, named_addresses
from tearsheet.app.captures import verify_archive
from tearsheet.query import parse_query
from tests.support.brokers import fresh_vhost
from tests.support.databases import PostgresHarness
from tests.support.full_folder import DOCUMENT, SECRET, SETTINGS, WORDS, fill
from tests.support.leftovers import places_of
from tests.support.servers import server_url
from tests.support.web_seed import open_services

pytestmark = [
    pytest.mark.engine("postgresql"),
    pytest.mark.engine("rabbitmq"),
    pytest.mark.engine("opensearch"),
    pytest.mark.engine("s3"),
    pytest.mark.slow,
    pytest.mark.timeout(400),
]


@pytest.fixture
def settings(tmp_path, request):
    database = PostgresHarness()
    database.prepare(tmp_path)
    index = (
        urlsplit(server_url("opensearch"))._replace(path=f"/erase-{uuid.uuid4().hex[:12]}", query="replicas=0").geturl()
    )
    yield SETTINGS | {
        "engines.database": database.url,
        "engines.broker": fresh_vhost(request),
        "engines.index": index,
        "archive.stores": [server_url("s3") + f"/erase-{uuid.uuid4().hex[:12]}"],
    }
    database.remove()


def test_nothing_of_a_story_can_be_found_on_any_server(tmp_path, settings):
    fill(tmp_path / "data", **settings)
    with open_services(tmp_path / "data", **settings) as services:
        addresses = every_address(services, named_addresses([SECRET, DOCUMENT]))
        expected = {(one.place, one.what): one.count for one in erasing.rehearse(services, addresses).found}
        report = erasing.erase(services, "asked for", addresses, lambda step: None)
        assert report.problems == []
        found = {(one.place, one.what): one.count for one in report.found}
        assert found["queues", "messages"] == expected["queues", "messages"] == 3
        assert found["archive", "captures"] == expected["archive", "captures"] == 3
        assert erasing.rehearse(services, addresses).total == 0
        assert services.index.count(parse_query("bridge")) == 2
        assert [verdict.problems for verdict in verify_archive(services)] == [[], []]
        with services.database.read() as connection:
            tables = connection.execute(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).scalars()
            rows = "".join(str(connection.execute(text(f'SELECT * FROM "{name}"')).all()) for name in list(tables))
        assert "omega-slug" in rows and [word for word in WORDS if word in rows] == []
        (blobs,) = [open_it() for open_it in services.archive_stores.values()]
        for number, info in enumerate(blobs.list()):
            (tmp_path / f"copy-{number}").write_bytes(blobs.get(info.key))
        blobs.close()
    assert {word: places for word in WORDS if (places := places_of(tmp_path, word))} == {}
