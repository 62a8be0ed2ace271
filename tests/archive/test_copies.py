"""Names of the stores that copies go to, and copies that are found where they are."""

import shutil
from datetime import UTC, datetime

import pytest

from tearsheet.archive.copies import Copies, OutOfReach, store_name, stores_by_name, with_former
from tearsheet.archive.outbox import Outbox
from tearsheet.archive.upload import Uploader
from tearsheet.errors import ConfigError, NotFoundError
from tearsheet.pipeline.archiver import Archiver
from tests.support.archive_stories import archive_all, plain_story


def test_stores_have_names_without_secrets(tmp_path):
    assert store_name("s3://KEY:SE%2FCRET@host:9000/bucket?region=x") == "s3://host:9000/bucket"
    assert list(stores_by_name(["x", "file:////y"], tmp_path, 1)) == ["x", "/y"]
    with pytest.raises(ConfigError, match="twice"):
        stores_by_name(["s3://a:b@h/x", "s3://c:d@h/x"], tmp_path, 1)
    with pytest.raises(ConfigError, match=r"archive\.stores") as caught:
        stores_by_name(["ftp://u:secret@h/x"], tmp_path, 1)["ftp://h/x"]()
    assert "secret" not in str(caught.value)


def test_one_place_under_two_names_is_no_second_copy(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "copies")
    for other in ("./copies/", "link", f"{tmp_path}/copies"):
        with pytest.raises(ConfigError, match="twice"):
            stores_by_name(["copies", other], tmp_path, 1)


@pytest.fixture
def moved(tmp_path, store, database):
    """A file of which the only copy is in a folder elsewhere."""
    disk, data = tmp_path / "disk", tmp_path / "data"
    disk.mkdir(), data.mkdir()
    stores = stores_by_name([f"file://{disk}/copies"], data, 1)
    archive_all(Archiver(store, data / "archive", stores=list(stores)), [plain_story(1)])
    copies = Copies(store, data / "archive", stores)
    later = datetime(2100, 1, 1, tzinfo=UTC).timestamp()
    report = Uploader(Outbox(database), copies, stores, remove_local=True, clock=lambda: later).run()
    assert (report.proved, report.removed, report.failures) == (1, 1, [])
    (file,) = store.files()
    assert not copies.is_here(file) and (disk / "copies" / file.key).is_file()
    return disk, data, copies, file


def test_a_store_that_is_away_is_out_of_reach_and_is_not_made(moved):
    disk, _, copies, file = moved
    shutil.rmtree(disk)
    for way in (copies.opened, copies.whole):
        with (
            pytest.raises(
                OutOfReach, match=f"is not on this machine; {disk}/copies: .*there is no folder {disk}"
            ) as caught,
            way(file),
        ):
            pass
        assert caught.value.exit_code == 7
    assert not disk.exists()


def test_a_folder_that_the_settings_no_longer_name_is_still_read(moved, store):
    disk, data, _, file = moved
    forgetful = Copies(store, data / "archive", {})
    with (
        pytest.raises(NotFoundError, match=f"a copy is in {disk}/copies, which archive.stores no longer names"),
        forgetful.whole(file),
    ):
        pass
    stores = with_former({}, store.all_proved_stores(), data)
    with Copies(store, data / "archive", stores).whole(file) as path:
        assert path.stat().st_size == file.size
