"""A bare mount point, or another disk in a store's place, is noticed before anything is written or removed."""

import shutil
from datetime import UTC, datetime

import msgspec
import pytest

from tearsheet.archive.copies import Copies, stores_by_name
from tearsheet.archive.identity import MARKER, Marker, check_identity
from tearsheet.archive.outbox import Outbox
from tearsheet.archive.upload import Uploader
from tearsheet.engines.blobs import open_blobs
from tearsheet.errors import EngineError
from tearsheet.pipeline.archiver import Archiver
from tests.support.archive_stories import archive_all, plain_story

LATER = datetime(2100, 1, 1, tzinfo=UTC).timestamp()


class Scene:
    """A data folder, and a disk beside it that can be taken away."""

    def __init__(self, tmp_path, store, database):
        self.disk, self.data, self.shelf = tmp_path / "disk", tmp_path / "data", tmp_path / "shelf"
        self.disk.mkdir(), self.data.mkdir()
        self.name = f"{self.disk}/copies"
        self.stores = stores_by_name([f"file://{self.name}"], self.data, 1)
        self.copies = Copies(store, self.data / "archive", self.stores)
        self.outbox = Outbox(database)
        self.archiver = Archiver(store, self.data / "archive", stores=list(self.stores))

    def upload(self, *numbers, **options):
        for number in numbers:
            archive_all(self.archiver, [plain_story(number)])
        return Uploader(self.outbox, self.copies, self.stores, clock=lambda: LATER, **options).run(all_now=True)

    def unmount(self):
        self.disk.rename(self.shelf)
        self.disk.mkdir()

    def mount(self):
        shutil.rmtree(self.disk)
        self.shelf.rename(self.disk)

    def check(self):
        check_identity(self.name, open_blobs(self.name, self.data, setting="archive.stores"), self.outbox)

    @property
    def marker(self):
        return self.disk / "copies" / MARKER

    @property
    def here(self):
        return sorted((self.data / "archive").rglob("*.warc.gz"))


@pytest.fixture
def scene(tmp_path, store, database):
    return Scene(tmp_path, store, database)


def test_the_first_use_makes_the_folder_and_leaves_a_marker(scene):
    assert scene.upload(1).proved == 1
    first = scene.marker.read_bytes()
    assert scene.upload(2).proved == 1
    assert scene.marker.read_bytes() == first


@pytest.mark.parametrize("left", ["a bare mount point", "an empty folder on it"])
def test_nothing_is_copied_to_a_bare_mount_point_and_nothing_removed(scene, left):
    scene.upload(1)
    scene.unmount()
    if left == "an empty folder on it":
        (scene.disk / "copies").mkdir()
    report = scene.upload(2, remove_local=True)
    assert (report.proved, report.removed, len(report.failures)) == (0, 0, 2)
    expected = "seems not to be mounted" if left == "an empty folder on it" else "mount its disk"
    assert all(expected in failure for failure in report.failures)
    assert list(scene.disk.rglob("*.*")) == []
    assert len(scene.here) == 2
    scene.mount()
    report = scene.upload(remove_local=True)
    assert (report.proved, report.removed, report.failures) == (1, 2, [])
    assert scene.here == []


def test_another_disk_in_its_place_is_not_taken_for_it(scene):
    scene.upload(1)
    scene.unmount()
    (scene.disk / "copies").mkdir()
    scene.marker.write_bytes(msgspec.json.encode(Marker("of another disk")))
    with pytest.raises(EngineError, match="another store seems to be at"):
        scene.check()
    assert scene.upload(2).proved == 0


def test_a_store_from_before_there_were_markers_is_known_by_its_copies(scene):
    scene.upload(1)
    scene.marker.unlink()
    assert scene.upload(2).proved == 1
    assert scene.marker.is_file()


def test_a_store_that_was_copied_to_a_new_disk_is_known_by_its_copies(scene):
    scene.upload(1)
    scene.marker.write_bytes(msgspec.json.encode(Marker("new")))
    scene.check()
    (scene.disk / "copies" / next(iter(scene.copies._store.files())).key).unlink()
    scene.check()  # its marker is the known one now


def test_an_unreadable_marker_says_what_to_do(scene):
    scene.upload(1)
    scene.marker.write_bytes(b"{")
    with pytest.raises(EngineError, match="delete it"):
        scene.check()


def test_copies_that_are_lost_are_made_again_when_the_store_is_forgotten(scene):
    scene.upload(1, 2)
    shutil.rmtree(scene.disk / "copies")
    assert scene.upload(remove_local=True).removed == 0
    assert scene.outbox.doubt(scene.name, datetime.now(UTC)) == 2
    assert scene.upload().proved == 2
    assert len(list((scene.disk / "copies").rglob("*.warc.gz"))) == 2


def test_a_store_that_comes_back_after_it_was_forgotten_counts_again(scene):
    scene.upload(1, remove_local=True)
    assert scene.here == []
    scene.unmount()
    scene.outbox.doubt(scene.name, datetime.now(UTC))
    assert len(scene.outbox.without_copy()) == 1
    assert "is not on this machine" in scene.upload().failures[0]
    scene.mount()
    assert scene.upload().proved == 1
    assert scene.outbox.without_copy() == []


def test_the_archive_folder_is_no_store_by_whichever_mount_it_is_seen(tmp_path, store, database):
    """Two mounts of one network folder have other numbers; what is written to the one shows in the other."""
    (tmp_path / "data" / "archive").mkdir(parents=True)
    (tmp_path / "seen-again").symlink_to(tmp_path / "data" / "archive")
    stores = stores_by_name([str(tmp_path / "seen-again")], tmp_path / "data", 1)
    archive_all(Archiver(store, tmp_path / "data" / "archive", stores=list(stores)), [plain_story(1)])
    copies, outbox = Copies(store, tmp_path / "data" / "archive", stores), Outbox(database)
    (failure,) = Uploader(outbox, copies, stores, remove_local=True).run(all_now=True).failures
    assert "is the archive folder itself, as another mount shows it" in failure
    assert len(list((tmp_path / "data" / "archive").rglob("*.warc.gz"))) == 1
    assert not list((tmp_path / "data").rglob("*probe*"))
    (tmp_path / "seen-again").unlink()
    shutil.copytree(tmp_path / "data" / "archive", tmp_path / "seen-again")
    assert Uploader(outbox, copies, stores).run(all_now=True).failures == [], "the one was copied from the other"
    other = stores_by_name([str(tmp_path / "copies")], tmp_path / "data", 1)
    assert Uploader(outbox, copies, other).run(all_now=True).failures == [], (
        "the marker that stays there is not this one's"
    )
