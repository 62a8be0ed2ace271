"""Databases of an earlier version: what was in them is there afterwards, on every engine, also when the upgrade is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from tearsheet.engines.database.port import Database
from tearsheet.engines.database.sql import migration_steps
from tests.support.databases import PostgresHarness, SqliteHarness, migrate_to
from tests.support.old_database import LONG_GUID, OLD, ROWS, WHEN, contents, fill_as_before
from tests.support.patience import PATIENCE


@pytest.fixture
def old(harness: SqliteHarness) -> Iterator[Database]:
    opened = harness.open()
    fill_as_before(opened)
    yield opened
    opened.close()


def some(database: Database, statement: str) -> list[tuple[Any, ...]]:
    with database.read() as connection:
        return [tuple(row) for row in connection.execute(sa.text(statement))]


def test_what_an_earlier_version_wrote_is_kept_and_moved(old):
    old.migrate()
    found = contents(old)
    for name, rows in ROWS.items():
        for row in rows:
            wanted = {key: value for key, value in row.items() if (name, key) != ("feeds", "url")}
            assert [one for one in found[name] if wanted.items() <= one.items()], (name, wanted)
        assert len(found[name]) == len(rows)
    assert some(old, "SELECT id, url, homepage, folders FROM feeds ORDER BY id") == [
        (1, "https://paper.example:8443/rss?a=1", "https://paper.example/", "World/Europe;Zoo;a\\;b;b\\/c\\\\d;élan"),
        (2, "http://[2001:db8::1]/@all", None, None),
        (3, "https://aerger.example:443/x", None, None),
        (4, "https://bare.example/", None, None),
        (5, "http://[broken@x/", None, None),
    ]
    assert some(old, "SELECT feed_id, origin, username, password FROM feed_secrets ORDER BY feed_id") == [
        (1, "https://paper.example:8443", "anna", "p@ss"),
        (3, "https://aerger.example", "only", ""),
    ]
    assert some(old, "SELECT id, guid_key FROM stories ORDER BY id") == [
        (1, "tag:1"), (2, None), (3, None), (4, "ü" * 255)
    ]  # fmt: skip
    assert some(old, "SELECT guid FROM stories WHERE id = 2") == [(LONG_GUID,)]
    assert some(old, "SELECT kind, highest FROM feed_id_marks") == [("sources", 12)]
    assert [bool(known) for (known,) in some(old, "SELECT addresses_known FROM archive_files")] == [False, False]


@pytest.mark.engine("postgresql")
def test_a_server_that_sorts_by_language_comes_out_as_a_file_does(tmp_path):
    file, server = SqliteHarness(), PostgresHarness(sorting="en-US")
    found = []
    for harness in (file, server):
        harness.prepare(tmp_path)
        try:
            database = harness.open()
            fill_as_before(database)
            database.migrate()
            found.append(contents(database))
            database.close()
        finally:
            harness.remove()
    assert found[0] == found[1]


class BrokenOff(Exception):
    """What ends an upgrade in these tests."""


def test_an_upgrade_that_breaks_off_is_taken_back_whole_and_made_again(old):
    before = contents(old)
    for last in [step for step in migration_steps() if step > OLD]:

        def break_off(_, __, statement, *___, last=last) -> None:
            """Each migration ends with such a statement, when all that it changes is changed."""
            if statement.startswith(f"UPDATE alembic_version SET version_num='{last}'"):
                raise BrokenOff

        sa.event.listen(old.engine, "before_cursor_execute", break_off)
        with pytest.raises(BrokenOff):
            old.migrate()
        sa.event.remove(old.engine, "before_cursor_execute", break_off)
        assert contents(old) == before
    old.migrate()
    assert some(old, "SELECT count(*) FROM feed_secrets") == [(2,)]


@pytest.mark.slow
@pytest.mark.kills
def test_an_upgrade_that_is_killed_before_any_of_its_statements_is_made_again(harness, old, tmp_path, kills):
    before = contents(old)
    url = getattr(harness, "url", "test.db")
    killed = 0
    while True:
        command = [sys.executable, "-m", "tests.support.migrate_until_killed", url, str(tmp_path), str(killed + 1)]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        if ended.returncode == 0:
            break
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        assert contents(old) == before, ended.stdout
        killed += 1
    assert killed > 30
    kills["upgrade of a database"] = killed
    assert some(old, "SELECT count(*) FROM feed_secrets") == [(2,)]
    assert contents(old) != before


def test_platforms_that_topics_refused_are_told_as_left_out_and_channels_have_their_names(harness):
    database = harness.open()
    migrate_to(database, "0024")
    fetch = (
        "INSERT INTO topic_fetch_urls (topics_id, url_key, url, iteration, state, message, assume_match) "
        "VALUES (1, :key, :url, 1, 'request failed', :message, :match)"
    )
    topic = (
        "INSERT INTO topics (id, name, query, domains, max_iterations, max_stories, seconds_per_media_fetch, foci, timespans, "
        "state, message, run, seeded, created_at) "
        "VALUES (1, 'T', 'q', '[]', 1, 1, 0, '{}', '[]', 'completed', '', '', :seeded, :now)"
    )
    sources = "INSERT INTO sources (id, name, domain, created_at) VALUES (:id, 'n', :domain, :now)"
    with database.begin() as connection:
        connection.execute(sa.text(topic), {"seeded": True, "now": WHEN})
        for key, message in (("a", "non-news: youtube.com"), ("b", "non-news2: x.com"), ("c", "http-404: gone")):
            connection.execute(sa.text(fetch), {"key": key, "url": key, "message": message, "match": False})
        domains = ("youtube.com/channel_id=UC7", "youtube.com/user=River", "paper.example", "youtube.com/river")
        for number, domain in enumerate(domains, 1):
            connection.execute(sa.text(sources), {"id": number, "domain": domain, "now": WHEN})
    database.migrate()
    reason = "a platform or a site without news, which this topic leaves out (--no-platforms)"
    assert some(database, "SELECT state, message FROM topic_fetch_urls ORDER BY url_key") == [
        ("ignored", reason), ("ignored", reason), ("request failed", "http-404: gone")
    ]  # fmt: skip
    assert [bool(kept) for (kept,) in some(database, "SELECT platforms FROM topics")] == [False]
    assert some(database, "SELECT domain FROM sources ORDER BY id") == [
        ("youtube.com/channel/uc7",), ("youtube.com/user/river",), ("paper.example",), ("youtube.com/river",)
    ]  # fmt: skip
    database.close()
