"""What belongs into a backup by the settings, what is said of what does not, and folders that are not to be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from tearsheet.app.backups import BackedUp, Restored, back_up, opened_place, restore
from tearsheet.app.places import layout_of
from tearsheet.app.services import Services
from tearsheet.backup.layout import RESTORING
from tearsheet.errors import BusyError, ConfigError, EngineError, StorageError, UsageError
from tearsheet.settings import load_settings
from tests.support.moved_archive import collect, move_away, open_moving
from tests.support.web_seed import open_services


def backed_up(services: Services, place: Path, *without: str, new: bool = False, keep: int | None = None) -> BackedUp:
    return back_up(services, str(place), new=new, without=without, keep=keep, tell=lambda _: None)


def restored(data: Path, place: Path) -> Restored:
    found = restore(load_settings(data, environ={}), str(place), None, dry_run=False, tell=lambda _: None)
    assert found is not None
    return found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "place"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("backups", "write a whole path outside it"),
        ("file:backups", "write a whole path outside it"),
        ("", "Name their place, as /mnt/disk/backups"),
    ],
)
def test_a_place_is_outside_the_data_folder(data, written, told):
    with pytest.raises(UsageError, match=told), opened_place(load_settings(data, environ={}), written):
        raise AssertionError("not reached")


def test_a_place_is_outside_all_that_is_backed_up(data, tmp_path):
    settings = load_settings(data, {"archive.folder": str(tmp_path / "archive")}, environ={})
    for written in (str(data / "x"), f"file://{data}", str(tmp_path / "archive" / "backups")):
        with pytest.raises((UsageError, ConfigError)), opened_place(settings, written):
            raise AssertionError("not reached")


def test_the_place_may_be_a_setting(data, place):
    settings = load_settings(data, {"backup.place": str(place)}, environ={})
    with opened_place(settings, "", new=True) as opened:
        assert opened.name == str(place)


def test_a_secret_is_not_in_the_name_of_a_place(data):
    settings = load_settings(data, environ={})
    with opened_place(settings, "s3://me:hunter22@127.0.0.1:9/bucket/folder?region=x") as opened:
        assert opened.name == "s3://127.0.0.1:9/bucket/folder"


def test_a_place_is_made_on_demand_only_and_for_one_folder(data, place, tmp_path):
    with open_services(data) as services:
        with pytest.raises(EngineError, match="--new"):
            backed_up(services, place)
        assert not place.exists()
        assert backed_up(services, place, new=True).missing == []
        backed_up(services, place)
        with pytest.raises(UsageError, match="leave out --new"):
            backed_up(services, place, new=True)
    (tmp_path / "other").mkdir()
    with open_services(tmp_path / "other") as services, pytest.raises(UsageError, match="another data folder"):
        backed_up(services, place)


def test_one_backup_at_a_time(data, place):
    with (
        open_services(data) as services,
        services.exclusive("backup"),
        pytest.raises(BusyError, match="already at work"),
    ):
        backed_up(services, place, new=True)


def test_everything_is_there_again_and_goes_on(data, place, tmp_path):
    with open_services(data) as services:
        stories = collect(services, range(3))
        assert backed_up(services, place, new=True).missing == []
    assert restored(tmp_path / "new", place).stories == 3
    with open_services(tmp_path / "new") as services:
        for story in stories:
            assert services.captures.read(services.captures.find(story.id)).story == story
        collect(services, range(3, 5))
        assert backed_up(services, place).missing == [], "it is still the same folder"


@pytest.mark.parametrize(
    ("setting", "url", "what"),
    [
        ("engines.broker", "amqp://me@127.0.0.1:9/x", "broker"),
        ("engines.index", "opensearch://127.0.0.1:9/x", "index"),
        ("engines.blobs", "s3://me:secret@127.0.0.1:9/x", "blobs"),
        ("engines.events", "kafka://127.0.0.1:9", "events"),
    ],
)
def test_what_a_server_keeps_is_said_unless_the_user_has_said_it(data, place, setting, url, what):
    with open_services(data, **{setting: url}) as services:
        (missing,) = backed_up(services, place, new=True).missing
        assert missing.what == what and "kept by a server" in missing.why
        agreed = backed_up(services, place, what)
        assert agreed.missing == [] and [one.what for one in agreed.manifest.left_out] == [what]
        with pytest.raises(UsageError, match="'socks' is none of"):
            backed_up(services, place, "socks")


def test_files_that_only_a_store_has_are_said(data, place, tmp_path):
    stores = {"archive.stores": [str(tmp_path / "copies")], "archive.remove_local": True, "archive.local_days": 0.0}
    with open_services(data, **stores) as services:
        collect(services)
        move_away(services)
        (missing,) = backed_up(services, place, new=True, keep=1).missing
        assert missing.what == "archive-stores"
        assert "1 archive file " in missing.why and str(tmp_path / "copies") in missing.why
        assert backed_up(services, place, "archive-stores").missing == []


def test_files_in_a_store_of_the_data_folder_are_in_the_backup(data, place, tmp_path):
    with open_moving(data) as services:
        stories = collect(services)
        move_away(services)
        assert backed_up(services, place, new=True).missing == []
    restored(tmp_path / "new", place)
    with open_moving(tmp_path / "new") as services:
        assert services.captures.read(services.captures.find(stories[0].id)).story == stories[0]


def test_old_backups_stay_when_the_new_one_lacks_something(data, place):
    with open_services(data) as services:
        backed_up(services, place, new=True)
        backed_up(services, place)
        (data / "linked").symlink_to(place)
        assert backed_up(services, place, keep=1).pruned is None
        pruned = backed_up(services, place, "links", keep=1).pruned
        assert pruned is not None and len(pruned.backups) == 3


def test_settings_of_the_backup_say_where_parts_go(data, place, tmp_path):
    archive = tmp_path / "large" / "archive"
    archive.parent.mkdir()
    (data / "config.toml").write_text(f'[archive]\nfolder = "{archive}"\n')
    with open_services(data) as services:
        collect(services)
        backed_up(services, place, new=True)
    with pytest.raises(UsageError, match="is not empty"):
        restored(tmp_path / "new", place)
    archive.rename(tmp_path / "lost")
    assert restored(tmp_path / "new", place).layout.archive == archive
    assert list(archive.rglob("*.warc.gz"))


def test_a_half_restored_folder_is_not_used(data, place):
    (data / RESTORING).mkdir()
    with open_services(data) as services, pytest.raises(StorageError, match=r"a restore into .* has not ended"):
        assert services.data


def test_a_backup_of_a_later_version_is_refused(data, place, tmp_path, monkeypatch):
    monkeypatch.setattr("tearsheet.app.backups.migration_steps", lambda: ["0001", "9999"])
    with open_services(data) as services:
        backed_up(services, place, new=True)
    monkeypatch.undo()
    with pytest.raises(EngineError, match="later than this one: install"):
        restored(tmp_path / "new", place)
    assert not (tmp_path / "new").exists()


def test_there_must_be_room(data, place, tmp_path, monkeypatch):
    with open_services(data) as services:
        collect(services)
        backed_up(services, place, new=True)
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("", (), {"free": 10}))
    with pytest.raises(StorageError, match="make room"):
        restored(tmp_path / "new", place)
    assert not (tmp_path / "new").exists()


def test_the_layout_is_that_of_the_settings(data):
    layout = layout_of(load_settings(data, {"engines.database": "postgresql://h/d"}, environ={}))
    assert layout.database is None and layout.target("database", "tearsheet.db") is None
    assert layout.target("broker", "pages/1.1") == data / "queues.db-pages" / "1.1"
    assert layout.target("tables", "trackers/a.sqlite3") == data / "trackers/a.sqlite3"
