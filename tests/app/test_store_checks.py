"""What the doctor says of each store: where it is, on which disk, and whether it can be used."""

from __future__ import annotations

import os

import pytest

from tearsheet.app.checks import Check, examine
from tearsheet.errors import ConfigError
from tests.support.blob_stores import S3Harness
from tests.support.moved_archive import collect
from tests.support.second_disk import second_disk
from tests.support.web_seed import open_services


def checks(data, **flags) -> dict[str, Check]:
    with open_services(data, **flags) as services:
        return {check.name: check for check in examine(services)}


def test_stores_that_are_not_there_yet_are_named_and_not_made(tmp_path):
    data, disk = tmp_path / "data", tmp_path / "disk"
    disk.mkdir()
    found = checks(data, **{"archive.stores": [f"file://{disk}/copies"], "pages.active": True})
    for name, place in {
        "engines.blobs": data / "blobs",
        "archive.folder": data / "archive",
        "archive.stores": disk / "copies",
        "pages.folder": data / "pages",
    }.items():
        assert found[name].ok
        assert found[name].found.startswith(f"{place}, on the data folder's disk, ")
        assert found[name].found.endswith(" GB free; made when it is first used")
        assert not place.exists()
    assert found["archive.stores"].advice == "name a place on another disk, since one on this disk is lost with it"
    assert found["engines.blobs"].advice == ""


def test_stores_that_are_there_are_written_read_and_deleted(tmp_path):
    data = tmp_path / "data"
    for name in ("blobs", "archive", "copies"):
        (data / name).mkdir(parents=True)
    found = checks(data, **{"archive.stores": ["copies"]})
    for name in ("engines.blobs", "archive.folder", "archive.stores"):
        assert found[name].ok and found[name].found.endswith("; written, read and deleted")
    assert list(data.rglob("*doctor*")) == []


def test_a_store_on_another_disk_is_said_to_be_there(tmp_path):
    with second_disk(tmp_path) as disk:
        found = checks(tmp_path, **{"archive.stores": [f"file://{disk}"]})["archive.stores"]
    assert found.found.startswith(f"{disk}, on a disk of its own, ")
    assert (found.ok, found.advice) == (True, "")


def test_two_stores_that_are_one_folder_are_refused_as_by_an_upload(tmp_path):
    (tmp_path / "copies").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "copies")
    with open_services(tmp_path, **{"archive.stores": ["copies", "link"]}) as services:
        found = [check for check in examine(services) if check.name == "archive.stores"]
        assert [(check.ok, check.found) for check in found] == [
            (False, "archive.stores: 'copies' is named twice"),
            (False, "archive.stores: 'link' is named twice"),
        ]
        with pytest.raises(ConfigError, match="is named twice"):
            services.uploader.run()


def test_a_link_is_shown_with_where_it_leads(tmp_path):
    data, disk = tmp_path / "data", tmp_path / "disk"
    data.mkdir()
    disk.mkdir()
    (data / "copies").symlink_to(disk)
    found = checks(data, **{"archive.stores": ["copies"]})["archive.stores"]
    assert found.found.startswith(f"{data}/copies (which is {disk}), on ")


def test_a_disk_that_is_not_mounted_is_wrong(tmp_path):
    data, disk = tmp_path / "data", tmp_path / "disk"
    disk.mkdir()
    stores = {"archive.stores": [f"file://{disk}/copies"]}
    with open_services(data, **stores) as services:
        collect(services)
        assert services.uploader.run().failures == []
    (disk / "copies").rename(tmp_path / "shelf")
    for make in (False, True):
        if make:
            (disk / "copies").mkdir()
        found = checks(data, **stores)["archive.stores"]
        assert not found.ok
        assert ("seems not to be mounted" if make else "mount its disk") in found.found
    assert list((disk / "copies").iterdir()) == []


@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [
        ("archive.stores", ["file:///no-such-place/x"], "there is no /no-such-place"),
        ("archive.stores", ["b2://bucket"], "unknown engine 'b2'"),
        ("engines.blobs", "/dev/null/x", "engines.blobs: "),
        ("archive.folder", "~/archive", "archive.folder: "),
        ("pipeline.downloads", "/no-such-place", "pipeline.downloads: there is no folder /no-such-place"),
    ],
)
def test_what_cannot_be_used_is_wrong_and_does_not_hide_the_rest(tmp_path, setting, value, told):
    found = checks(tmp_path, **{setting: value})
    assert not found[setting].ok
    assert told in found[setting].found
    assert found["database"].ok and found["port 8700"].ok


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_wrong(tmp_path):
    (tmp_path / "blobs").mkdir(mode=0o500)
    assert not checks(tmp_path)["engines.blobs"].ok


def test_the_store_of_old_pages_is_only_read(tmp_path):
    (tmp_path / "old").mkdir()
    found = checks(tmp_path, **{"pipeline.downloads": "old"})["pipeline.downloads"]
    assert found.ok and found.found.endswith("; can be read")
    assert list((tmp_path / "old").iterdir()) == []


@pytest.mark.engine("s3")
def test_a_bucket_is_used_and_one_that_is_absent_names_its_setting(tmp_path):
    harness = S3Harness()
    harness.prepare(tmp_path)
    try:
        found = checks(tmp_path, **{"archive.stores": [harness.url]})["archive.stores"]
        assert found.ok and found.found.endswith("; written, read and deleted")
        absent = harness.url + "-absent"
        for setting, value in {
            "archive.stores": [absent],
            "pipeline.downloads": absent,
            "engines.blobs": absent,
        }.items():
            found = checks(tmp_path, **{setting: value, "engines.patience_seconds": 2.0})[setting]
            assert not found.ok
            assert found.found.startswith(f"{setting}: there is no bucket")
    finally:
        harness.remove()


def test_an_archive_folder_that_was_used_and_is_gone_is_not_going_to_be_made(tmp_path):
    with open_services(tmp_path) as services:
        collect(services)
    (tmp_path / "archive").rename(tmp_path / "unplugged")
    found = checks(tmp_path)["archive.folder"]
    assert not found.ok and "where 1 file was written: mount its disk" in found.found
