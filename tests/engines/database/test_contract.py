"""The contract of the database port. Every adapter runs this suite, unchanged."""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

import tearsheet
from tearsheet.engines.database import UtcDateTime, metadata
from tearsheet.engines.database.port import Database
from tearsheet.errors import EngineError
from tests.support.databases import SqliteHarness
from tests.support.leftovers import places_of
from tests.support.patience import PATIENCE

own = sa.MetaData()
things = sa.Table(
    "things",
    own,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(200), nullable=False, unique=True),
    sa.Column("seen", sa.Integer, nullable=False, default=0),
    sa.Column("at", UtcDateTime),
    sa.Column("holder", sa.String(20)),
)


@pytest.fixture
def database(harness: SqliteHarness) -> Iterator[Database]:
    opened = harness.open()
    with opened.begin() as connection:
        own.create_all(connection)
    yield opened
    opened.close()


def names(database: Database) -> list[str]:
    with database.read() as connection:
        return list(connection.scalars(sa.select(things.c.name).order_by(things.c.id)))


def test_a_transaction_is_kept_when_its_block_ends(harness, database):
    with database.begin() as connection:
        connection.execute(things.insert(), [{"name": "a"}, {"name": "b"}])
    other = harness.open()
    assert names(other) == ["a", "b"]
    other.close()


def test_a_transaction_is_undone_when_its_block_raises(database):
    with pytest.raises(LookupError), database.begin() as connection:
        connection.execute(things.insert(), {"name": "a"})
        raise LookupError
    assert names(database) == []


def test_a_reader_is_not_blocked_by_a_writer_and_sees_no_draft(database):
    with database.begin() as connection:
        connection.execute(things.insert(), {"name": "draft"})
        seen: list[list[str]] = []
        reader = threading.Thread(target=lambda: seen.append(names(database)))
        reader.start()
        reader.join(PATIENCE)
        assert seen == [[]]
    assert names(database) == ["draft"]


def test_a_writer_is_not_blocked_by_a_reader(database):
    with database.read() as reading:
        assert list(reading.execute(sa.select(things))) == []
        with database.begin() as connection:
            connection.execute(things.insert(), {"name": "a"})
    assert names(database) == ["a"]


def test_conflicts_can_be_ignored_or_merged(database):
    with database.begin() as connection:
        insert = database.insert(things)
        connection.execute(insert.on_conflict_do_nothing(index_elements=["name"]), [{"name": "a"}, {"name": "a"}])
        merge = insert.on_conflict_do_update(index_elements=["name"], set_={"seen": things.c.seen + 1})
        connection.execute(merge, {"name": "a"})
        connection.execute(merge, {"name": "b"})
    with database.read() as connection:
        rows = connection.execute(sa.select(things.c.name, things.c.seen).order_by(things.c.name))
        assert [tuple(row) for row in rows] == [("a", 1), ("b", 0)]


def test_inserts_return_their_ids(database):
    with database.begin() as connection:
        statement = database.insert(things).returning(things.c.id)
        first = connection.scalar(statement, {"name": "a"})
        second = connection.scalar(statement, {"name": "b"})
    assert isinstance(first, int)
    assert second > first


def test_times_come_back_as_utc_to_the_microsecond(database):
    east = datetime(2026, 11, 15, 12, 30, 0, 123456, tzinfo=timezone(timedelta(hours=9)))
    with database.begin() as connection:
        connection.execute(things.insert(), [{"name": "a", "at": east}, {"name": "b", "at": None}])
    with database.read() as connection:
        first, second = connection.scalars(sa.select(things.c.at).order_by(things.c.id))
        later = connection.scalar(sa.select(things.c.name).where(things.c.at > east - timedelta(seconds=1)))
    assert first == east
    assert first.tzinfo is UTC
    assert second is None
    assert later == "a"


def test_a_time_without_a_zone_is_refused(database):
    with pytest.raises(Exception, match="without a zone"), database.begin() as connection:
        connection.execute(things.insert(), {"name": "a", "at": datetime(2026, 1, 1)})


def test_text_of_every_script_and_length_survives(database):
    name = "Ünï 日本 🗞️ " + "x" * 180
    with database.begin() as connection:
        connection.execute(things.insert(), {"name": name})
    assert names(database) == [name]


def test_rows_are_leased_to_one_worker_only(harness, database):
    """Claim rows as the schedulers do: a lock that skips what others hold, then mark them as ours."""
    with database.begin() as connection:
        connection.execute(things.insert(), [{"name": str(n)} for n in range(60)])
    claimed: list[int] = []

    def work(worker: str) -> None:
        mine = harness.open()
        while True:
            with mine.begin() as connection:
                free = sa.select(things.c.id).where(things.c.holder.is_(None)).order_by(things.c.id).limit(4)
                ids = list(connection.scalars(free.with_for_update(skip_locked=True)))
                connection.execute(things.update().where(things.c.id.in_(ids)).values(holder=worker))
            claimed.extend(ids)
            if not ids:
                break
        mine.close()

    workers = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(claimed) == sorted(set(claimed))
    assert len(claimed) == 60


def test_migrations_make_the_tables_that_the_program_declares(harness):
    # Each package declares its tables in modules of its own; the commands above them declare none.
    for module in pkgutil.walk_packages(tearsheet.__path__, "tearsheet."):
        if module.name.split(".")[1] not in ("__main__", "cli") and ".migrations" not in module.name:
            importlib.import_module(module.name)
    database = harness.open()
    database.migrate()
    database.migrate()
    with database.read() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), metadata)
        assert metadata.tables.keys() <= set(sa.inspect(connection).get_table_names())
    database.close()
    # Indexes may be named in migrations alone: they change how fast an answer is, not what it is.
    assert [entry for entry in differences if entry[0] != "remove_index" and "alembic_version" not in str(entry)] == []


def test_programs_that_start_at_once_migrate_once(harness):
    failures: list[Exception] = []

    def start() -> None:
        database = harness.open()
        try:
            database.migrate()
        except Exception as error:
            failures.append(error)
        database.close()

    starters = [threading.Thread(target=start) for _ in range(4)]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join()
    assert failures == []


def test_a_database_of_a_newer_program_is_left_alone(harness):
    database = harness.open()
    database.migrate()
    with database.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(EngineError, match="upgrade tearsheet"):
        database.migrate()
    database.close()


def test_scrubbing_keeps_every_row_that_was_not_deleted(harness, database):
    with database.begin() as connection:
        connection.execute(things.insert(), [{"name": f"thing {n}", "seen": n} for n in range(500)])
        connection.execute(things.delete().where(things.c.seen % 2 == 0))
    database.scrub(["things"])
    assert names(database) == [f"thing {n}" for n in range(1, 500, 2)]
    with database.begin() as connection:
        connection.execute(things.insert(), [{"name": "later"}])
    assert names(database)[-1] == "later"


def test_scrubbing_leaves_nothing_of_deleted_rows_in_the_embedded_file(tmp_path):
    harness = SqliteHarness()
    harness.prepare(tmp_path)
    database = harness.open()
    with database.begin() as connection:
        own.create_all(connection)
        connection.execute(things.insert(), [{"name": f"qwertyuiop {n}"} for n in range(500)])
    with database.begin() as connection:
        connection.execute(things.delete())
    assert places_of(tmp_path, "qwertyuiop")
    database.scrub(["things"])
    assert places_of(tmp_path, "qwertyuiop") == []
    database.close()
