"""The schema: what migrations make is what the stores declare."""

from __future__ import annotations

import importlib
import pkgutil
from datetime import UTC, datetime, timedelta, timezone

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import select, text
from tools.write_schema import SCHEMA, schema_text, statements_of

import tearsheet
from tearsheet.engines.database import metadata, open_database
from tearsheet.engines.database.sql import migration_steps
from tearsheet.errors import BusyError, ConfigError, EngineError, StorageError
from tearsheet.work.announce import workers
from tests.support.databases import migrate_to


def test_migrations_make_exactly_the_declared_tables(database):
    for module in pkgutil.walk_packages(tearsheet.__path__, "tearsheet."):
        if not module.name.endswith("__main__") and ".migrations" not in module.name:
            importlib.import_module(module.name)
    with database.begin() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False})
        assert compare_metadata(context, metadata) == []


def test_a_new_file_is_made_as_all_migrations_make_it(database):
    assert SCHEMA.read_text("utf-8") == schema_text()
    assert SCHEMA.read_text("utf-8") == statements_of(database.path)


def test_steps_are_a_chain_that_ends_with_the_newest(database):
    with database.read() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == migration_steps()[-1]


def test_a_newer_schema_is_refused_and_left_alone(database, tmp_path):
    with database.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(EngineError, match="upgrade tearsheet"):
        open_database("t.db", tmp_path).migrate()


def test_times_are_stored_as_utc_and_naive_ones_are_refused(database):
    when = datetime(2026, 1, 2, 3, 4, 5, 678901, timezone(timedelta(hours=5)))
    row = {
        "id": "w",
        "stage": "s",
        "host": "h",
        "pid": 1,
        "started_at": when,
        "seen_at": when,
        "settled": 0,
        "per_second": 0.0,
    }
    with database.begin() as connection:
        connection.execute(workers.insert(), [row])
    with database.read() as connection:
        found = connection.execute(select(workers.c.started_at)).scalar_one()
    assert found == when
    assert found.tzinfo is UTC
    with pytest.raises(Exception, match="without a zone"), database.begin() as connection:
        connection.execute(workers.insert(), [row | {"id": "x", "seen_at": datetime(2026, 1, 1)}])


def test_a_writer_does_not_block_a_reader(database):
    with database.begin() as writer:
        writer.execute(text("DELETE FROM workers"))
        with database.read() as reader:
            assert reader.execute(text("SELECT count(*) FROM workers")).scalar() == 0


@pytest.mark.parametrize("url", ["oracle://x", "postgresql//host/name", "sqlite://"])
def test_a_wrong_url_names_the_setting_or_says_how_it_should_look(url, tmp_path):
    with pytest.raises(ConfigError):
        open_database(url, tmp_path)


def test_a_file_that_is_no_database_is_one_clear_error(tmp_path):
    (tmp_path / "t.db").write_bytes(b"this is not a database, whatever its name says" * 50)
    with pytest.raises((StorageError, EngineError, BusyError)) as caught:
        open_database("t.db", tmp_path).migrate()
    assert "\n" not in str(caught.value)


def test_copies_that_an_earlier_version_made_are_known_by_where_they_are(tmp_path):
    database = open_database("old.db", tmp_path)
    migrate_to(database, "0012")
    old = ["file:///copies", "file:///copies/", "file:////mnt/disk/a", "file:///mnt/disk", "s3://host/bucket"]
    with database.begin() as connection:
        for number in (1, 2):
            connection.execute(
                text(
                    "INSERT INTO archive_files (id, name, key, size, sha256, stories, created_at, local) "
                    "VALUES (:n, :n, :n, 1, 'x', 1, '2026-01-01 00:00:00.000000', 1)"
                ),
                {"n": number},
            )
        for number, store in [(1, name) for name in old] + [(2, "file:///copies/")]:
            connection.execute(
                text(
                    "INSERT INTO archive_uploads (file_id, store, done, attempts, next_at, error) "
                    "VALUES (:n, :store, 1, 1, '2026-01-01 00:00:00.000000', '')"
                ),
                {"n": number, "store": store},
            )
    database.migrate()
    with database.read() as connection:
        found = connection.execute(text("SELECT file_id, store FROM archive_uploads ORDER BY 1, 2")).all()
    database.close()
    assert [tuple(row) for row in found] == [
        (1, "/mnt/disk/a"), (1, "copies"), (1, "mnt/disk"), (1, "s3://host/bucket"), (2, "copies"),
    ]  # fmt: skip
