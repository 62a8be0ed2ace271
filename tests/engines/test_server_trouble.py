"""Servers that refuse us, are not there, or go away and come back: one line that names the setting, and nothing lost."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from tearsheet.engines.blobs.s3 import open_s3_blobs
from tearsheet.engines.database import open_database
from tearsheet.engines.database import postgresql as database_postgresql
from tearsheet.engines.events.kafka import open_kafka_events
from tearsheet.engines.server import BrokenOff, LostConnection, parse_server_url, pauses, repeated
from tearsheet.errors import ConfigError, EngineError
from tests.support.cut_off_relay import Relay
from tests.support.database_faults import DATABASE_FAULTS, spoiled_database
from tests.support.fault_proxy import Plan
from tests.support.server_errors import one_line, replaced
from tests.support.servers import server_url

HERE = Path()


def use_database(url: str, patience: float = 0.5) -> None:
    database = open_database(url, HERE, patience=patience)
    try:
        with database.read() as connection:
            connection.execute(sa.text("SELECT 1"))
    finally:
        database.close()


def use_blobs(url: str, patience: float = 0.5) -> None:
    blobs = open_s3_blobs(url, patience=patience)
    try:
        blobs.get("some/key")
    finally:
        blobs.close()


def list_blobs(url: str, patience: float = 0.5) -> None:
    blobs = open_s3_blobs(url, patience=patience)
    try:
        list(blobs.list("some/*"))
    finally:
        blobs.close()


def use_events(url: str, patience: float = 1.0) -> None:
    events = open_kafka_events(url, patience=patience)
    try:
        events.publish("topic", [("k", {})])
    finally:
        events.close()


USES = [
    pytest.param("postgresql", use_database, "engines.database", marks=pytest.mark.engine("postgresql")),
    pytest.param("s3", use_blobs, "engines.blobs", marks=pytest.mark.engine("s3")),
    pytest.param("s3", list_blobs, "engines.blobs", marks=pytest.mark.engine("s3")),
    pytest.param("kafka", use_events, "engines.events", marks=pytest.mark.engine("kafka")),
]
Use = Callable[[str], None]


@pytest.mark.parametrize(("name", "use", "setting"), USES[:3])
def test_a_wrong_password_is_one_line(name: str, use: Use, setting: str) -> None:
    with pytest.raises(EngineError, match="refuses") as error:
        use(replaced(server_url(name), password="wrong"))
    one_line(error, setting)


@pytest.mark.parametrize(("name", "use", "setting"), USES[:3])
def test_a_database_or_bucket_that_does_not_exist_is_one_line(name: str, use: Use, setting: str) -> None:
    with pytest.raises(EngineError, match=r"there is no .*'missing'") as error:
        use(replaced(server_url(name), path="/missing"))
    one_line(error, setting)


@pytest.mark.parametrize(("name", "use", "setting"), USES)
def test_a_name_that_does_not_resolve_is_one_line(name: str, use: Use, setting: str) -> None:
    with pytest.raises(EngineError, match="does not resolve") as error:
        use(replaced(server_url(name), place="no-such-host.invalid:1"))
    one_line(error, setting)


@pytest.mark.parametrize(("name", "use", "setting"), USES)
def test_a_server_that_is_not_there_is_waited_for_and_then_one_line(name: str, use: Use, setting: str) -> None:
    start = time.monotonic()
    with pytest.raises(EngineError, match="does not answer") as error:
        use(replaced(server_url(name), place="127.0.0.1:1"))
    assert 0.3 < time.monotonic() - start < 20
    one_line(error, setting)


@pytest.mark.engine("postgresql")
def test_a_server_that_is_too_old_is_one_line(monkeypatch) -> None:
    monkeypatch.setattr(database_postgresql, "OLDEST_SERVER", 99)
    with pytest.raises(EngineError, match="too old; 99 or newer") as error:
        use_database(server_url("postgresql"))
    one_line(error, "engines.database")


@pytest.mark.parametrize(
    ("use", "url", "setting"),
    [
        (use_database, "postgresql://host", "engines.database"),
        (use_database, "postgresql://host:port/name", "engines.database"),
        (use_database, "mysql://host/name", "engines.database"),
        (use_blobs, "s3://key:secret@host", "engines.blobs"),
        (use_blobs, "s3://key:secret@host//more", "engines.blobs"),
        (use_blobs, "ftp://host/bucket", "engines.blobs"),
        (use_events, "kafka://", "engines.events"),
    ],
)
def test_a_url_of_the_wrong_form_names_its_setting(use: Use, url: str, setting: str) -> None:
    with pytest.raises(ConfigError) as error:
        use(url)
    one_line(error, setting)


@pytest.mark.parametrize(
    ("use", "url", "module", "extra"),
    [
        (use_database, "postgresql://host/name", "psycopg", "postgresql"),
        (use_blobs, "s3://host/bucket", "obstore", "s3"),
        (use_events, "kafka://host", "confluent_kafka", "kafka"),
    ],
)
def test_a_client_that_is_not_installed_names_its_extra(
    monkeypatch, use: Use, url: str, module: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ConfigError) as error:
        use(url)
    assert f"pip install 'tearsheet[{extra}]'" in one_line(error, "engines.")


def test_what_is_broken_off_is_done_again_some_times() -> None:
    tries: list[int] = []

    def work(failing: int, error: type[EngineError]) -> int:
        tries.append(1)
        if len(tries) <= failing:
            raise error("the connection was lost")
        return len(tries)

    assert repeated(lambda: work(2, BrokenOff)) == 3
    tries.clear()
    with pytest.raises(BrokenOff):
        repeated(lambda: work(3, BrokenOff))
    tries.clear()
    with pytest.raises(LostConnection):
        repeated(lambda: work(1, LostConnection))
    assert len(tries) == 1, "a server that is away was waited for already"


@pytest.mark.engine("postgresql")
@pytest.mark.parametrize("fault", DATABASE_FAULTS)
def test_a_transaction_that_the_database_breaks_off_is_one_line_and_can_be_repeated(fault: str) -> None:
    database = open_database(server_url("postgresql"), HERE, patience=5)

    def ask() -> int:
        with database.begin() as connection:
            return int(connection.execute(sa.text("SELECT 7")).scalar_one())

    try:
        with spoiled_database() as faults:
            faults.begin(Plan("SELECT SELECT 7", 0, fault))
            with pytest.raises(BrokenOff) as raised:
                ask()
            one_line(raised, "engines.database")
            faults.begin(Plan("SELECT SELECT 7", 0, fault))
            assert repeated(ask) == 7
            assert faults.spoiled == 1
    finally:
        database.close()


def test_pauses_grow_and_end_with_the_patience() -> None:
    waits = list(pauses(30))
    assert sum(waits) == pytest.approx(30)
    assert waits[0] < 0.2 < 1 < max(waits) < 6.3
    assert list(pauses(0)) == []


def test_parts_of_a_url_are_decoded() -> None:
    url = parse_server_url("s3://k%2Fey:se%2Bcret@[::1]:9000/bucket?region=eu", "engines.blobs", {"s3": 0})
    assert (url.user, url.password, url.host, url.port, url.path) == ("k/ey", "se+cret", "::1", 9000, "bucket")
    assert url.options == {"region": "eu"}
    assert url.on_loopback


# ------------------------------------------------------------------------------------------------- away and back again


@pytest.fixture
def relay(request) -> Iterator[Relay]:
    between = Relay(server_url(request.param))
    yield between
    between.close()


@pytest.mark.engine("postgresql")
@pytest.mark.parametrize("relay", ["postgresql"], indirect=True)
def test_a_lost_database_is_waited_out_before_the_next_transaction(relay: Relay) -> None:
    database = open_database(relay.url, HERE, patience=20)
    with database.read() as connection:
        assert connection.scalar(sa.text("SELECT 1")) == 1
    relay.cut_for(1.0)
    start = time.monotonic()
    with database.begin() as connection:
        assert connection.scalar(sa.text("SELECT 2")) == 2
    assert time.monotonic() - start > 0.5
    database.close()


@pytest.mark.engine("postgresql")
@pytest.mark.parametrize("relay", ["postgresql"], indirect=True)
def test_a_database_lost_inside_a_transaction_says_so_and_is_used_again(relay: Relay) -> None:
    database = open_database(relay.url, HERE, patience=20)
    with pytest.raises(LostConnection), database.begin() as connection:
        connection.execute(sa.text("SELECT 1"))
        relay.cut()
        relay.restore()
        connection.execute(sa.text("SELECT 2"))
    with database.begin() as connection:
        assert connection.scalar(sa.text("SELECT 3")) == 3
    database.close()


@pytest.mark.engine("s3")
@pytest.mark.parametrize("relay", ["s3"], indirect=True)
def test_a_lost_blob_store_is_waited_out(relay: Relay, tmp_path: Path) -> None:
    blobs = open_s3_blobs(relay.url, patience=20)
    blobs.put("trouble/one", b"1")
    for number, use in enumerate(
        [
            lambda: blobs.put("trouble/two", b"2"),
            lambda: blobs.get("trouble/one"),
            lambda: list(blobs.list("trouble/*")),
        ]
    ):
        relay.cut_for(0.6 + number / 10)
        use()
    assert blobs.get("trouble/two") == b"2"
    for key in ("trouble/one", "trouble/two"):
        blobs.delete(key)
    blobs.close()
