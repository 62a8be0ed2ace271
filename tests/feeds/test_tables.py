"""What older data folders have elsewhere is moved to where it is now."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from tearsheet.feeds.access_store import read_access
from tearsheet.feeds.catalogue.listing import all_feeds
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.source_store import change_members
from tearsheet.feeds.catalogue.store import add_feeds
from tearsheet.feeds.tables import feeds
from tests.support.feed_fakes import NOW, new_database

MIGRATION = import_module("tearsheet.engines.database.migrations.versions.0019_feed_catalogue")


def test_logins_leave_addresses_and_collections_become_folders(tmp_path: Path) -> None:
    database = new_database(tmp_path)
    add_feeds(database, [NewFeed(f"http://{host}.example/rss", sources_id=7) for host in "abc"], NOW)
    change_members(database, "Europe / Press; radio", [7], NOW)
    old = ["http://me:p%40ss@a.example:8080/rss", "http://b.example/@home", "http://[broken@c.example/"]
    with database.begin() as connection:
        for number, url in enumerate(old, 1):
            connection.execute(feeds.update().where(feeds.c.id == number).values(url=url))
        MIGRATION._move_logins(connection)
        MIGRATION._name_folders(connection)
        access = read_access(connection, [1, 2, 3])
    found = all_feeds(database)
    assert [feed.url for feed in found] == ["http://a.example:8080/rss", old[1], old[2]]
    assert {feed.folders for feed in found} == {(("Europe", "Press; radio"),)}
    assert (access[1].username, access[1].password, len(access)) == ("me", "p@ss", 1)
    assert access[1].headers_for("http://a.example:8080/rss")
    database.close()
