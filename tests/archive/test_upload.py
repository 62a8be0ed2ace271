"""Copies: made, proved, tried again, and the only reason for which anything local may go."""

import hashlib
import shutil
from datetime import UTC, datetime

import pytest

from tearsheet.archive.captures import Captures
from tearsheet.archive.copies import Copies
from tearsheet.archive.identity import MARKER
from tearsheet.archive.outbox import Outbox
from tearsheet.archive.upload import Uploader
from tearsheet.archive.verify import verify_file
from tearsheet.engines.blobs.folder import FolderBlobs
from tearsheet.engines.blobs.port import BlobInfo
from tearsheet.errors import EngineError, NotFoundError
from tearsheet.pipeline.archiver import Archiver
from tests.support.archive_stories import archive_all, plain_story

START = 1_800_000_000.0


class Clock:
    def __init__(self):
        self.now = START

    def __call__(self):
        return self.now


class Flawed(FolderBlobs):
    """A store that fails in the way it is told."""

    flaw = ""

    def put(self, key, data, *, content_type=None):
        if self.flaw == "away":
            raise EngineError("the store is away")
        if key == MARKER:
            return super().put(key, data, content_type=content_type)
        if self.flaw == "short":
            data = data.read_bytes()[:-1]
        if self.flaw == "wrong":
            data = data.read_bytes()[:-1] + b"\x07"
        if self.flaw == "forgets":
            return BlobInfo(key, 1, datetime.now(UTC))
        return super().put(key, data, content_type=content_type)


@pytest.fixture
def setup(tmp_path, store, database):
    clock = Clock()
    folder = tmp_path / "a"
    blobs = {name: Flawed(tmp_path / name) for name in ("one", "two")}
    archiver = Archiver(store, folder, stores=list(blobs), clock=clock)
    opened = {name: (lambda blob=blob: blob) for name, blob in blobs.items()}

    def uploader(**options):
        return Uploader(Outbox(database), Copies(store, folder, opened), opened, clock=clock, **options)

    archive_all(archiver, [plain_story(1)])
    return clock, folder, blobs, archiver, uploader, opened


def test_a_file_is_copied_to_every_store_under_its_day(setup, store):
    _, folder, blobs, _, uploader, _ = setup
    assert uploader().run().proved == 2
    (file,) = store.files()
    for blob in blobs.values():
        assert [info.key for info in blob.list()] == [file.key, MARKER]
        assert blob.get(file.key) == file.local_path(folder).read_bytes()
    assert sorted(store.proved_stores(file.id)) == ["one", "two"]
    assert uploader().run().proved == 0


@pytest.mark.parametrize("flaw", ["away", "short", "wrong", "forgets"])
def test_a_copy_that_is_not_proved_is_tried_again_later(setup, store, database, flaw):
    clock, folder, blobs, _, uploader, _ = setup
    blobs["one"].flaw = flaw
    report = uploader(remove_local=True).run()
    assert (report.proved, len(report.failures), report.removed) == (1, 1, 0)
    blobs["one"].flaw = ""
    assert uploader().run().proved == 0  # its pause is not over
    states = {state.store: state for state in Outbox(database).states()}
    assert (states["one"].waiting, states["two"].waiting) == (1, 0)
    assert states["one"].error
    clock.now += 31
    assert uploader().run().proved == 1
    (file,) = store.files()
    assert blobs["one"].get(file.key) == file.local_path(folder).read_bytes()
    assert [state.error for state in Outbox(database).states()] == ["", ""]


def test_pauses_may_be_passed_over(setup):
    _, _, blobs, _, uploader, _ = setup
    blobs["one"].flaw = "away"
    uploader().run()
    blobs["one"].flaw = ""
    assert uploader().run(all_now=True).proved == 1


def test_a_copy_that_is_there_already_is_proved_and_not_sent_again(setup, store, monkeypatch):
    _, folder, blobs, _, uploader, _ = setup
    (file,) = store.files()
    for blob in blobs.values():
        blob.put(file.key, file.local_path(folder))
        blob.put(MARKER, b'{"id": "known"}')
    monkeypatch.setattr(Flawed, "put", None)
    assert uploader().run().proved == 2


def test_a_copy_of_another_content_is_replaced(setup, store):
    _, folder, blobs, _, uploader, _ = setup
    (file,) = store.files()
    blobs["one"].put(file.key, bytes(file.size))
    assert uploader().run().proved == 2
    assert blobs["one"].get(file.key) == file.local_path(folder).read_bytes()


def test_a_damaged_file_is_not_copied(setup, store):
    _, folder, blobs, _, uploader, _ = setup
    (file,) = store.files()
    path = file.local_path(folder)
    path.write_bytes(path.read_bytes()[:-1] + b"\x07")
    report = uploader().run()
    assert len(report.failures) == 2
    assert "has changed" in report.failures[0]
    assert [info.key for info in blobs["one"].list()] == [MARKER]


def test_local_files_go_when_all_stores_have_them_and_they_are_old_enough(setup, store):
    clock, folder, blobs, archiver, uploader, opened = setup
    (file,) = store.files()
    path = file.local_path(folder)
    blobs["two"].flaw = "away"
    uploader(remove_local=True).run()
    clock.now += 86_400 * 10
    assert uploader(remove_local=True).run().removed == 0
    assert path.exists()
    blobs["two"].flaw = ""
    clock.now += 86_400
    assert uploader(remove_local=True, local_days=30).run().removed == 0
    assert uploader(remove_local=True).run().removed == 1
    assert not path.exists()
    (file,) = store.files()
    assert not file.local
    # The story can still be read, is still known, and is not uploaded again.
    captures = Captures(store, folder, opened)
    story = plain_story(1)
    assert captures.read(captures.find(story.id)).story == story
    with captures.copies.whole(file) as copy:
        assert verify_file(copy, file, store.captures_of_file(file.id), with_cdxj=False).problems == []
    archive_all(archiver, [story])
    assert len(list(store.files())) == 1
    assert uploader().run().proved == 0
    with pytest.raises(NotFoundError, match="not on this machine"):
        Captures(store, folder).read(captures.find(story.id))


def test_a_store_that_is_added_later_gets_what_is_here(setup, store, database, tmp_path):
    clock, folder, _, _, uploader, opened = setup
    uploader().run()
    third = FolderBlobs(tmp_path / "three")
    stores = {**opened, "three": lambda: third}
    later = Uploader(Outbox(database), Copies(store, folder, opened), stores, clock=clock)
    assert later.run().proved == 1
    assert len(list(third.list("2*"))) == 1


def test_a_store_that_is_added_later_gets_what_only_another_store_has(setup, store, database, tmp_path):
    clock, folder, _, _, uploader, opened = setup
    clock.now += 1
    assert uploader(remove_local=True).run().removed == 1
    third = FolderBlobs(tmp_path / "three")
    stores = {**opened, "three": lambda: third}
    assert Uploader(Outbox(database), Copies(store, folder, stores), stores, clock=clock).run().proved == 1
    (file,) = store.files()
    assert hashlib.sha256(third.get(file.key)).hexdigest() == file.sha256
    # One that was brought there by hand is read, and not fetched from elsewhere.
    fourth = FolderBlobs(tmp_path / "four")
    fourth.put(file.key, third.get(file.key))
    alone = {"four": lambda: fourth}
    assert Uploader(Outbox(database), Copies(store, folder, {}), alone, clock=clock).run().proved == 1


@pytest.mark.parametrize("loss", ["gone", "changed"])
def test_a_copy_that_was_lost_after_its_proof_keeps_the_file_here(setup, store, loss):
    clock, folder, blobs, _, uploader, _ = setup
    assert uploader().run().proved == 2
    (file,) = store.files()
    if loss == "gone":
        blobs["two"].delete(file.key)
    else:
        blobs["two"].put(file.key, bytes(file.size))
    clock.now += 1
    report = uploader(remove_local=True).run()
    assert (report.removed, len(report.failures)) == (0, 1)
    assert f"two: its copy {'is gone' if loss == 'gone' else 'has changed'}" in report.failures[0]
    assert file.local_path(folder).is_file()
    report = uploader(remove_local=True).run()
    assert (report.proved, report.removed, report.failures) == (1, 1, [])
    assert blobs["two"].get(file.key) == blobs["one"].get(file.key)


def test_a_store_that_is_the_archive_itself_has_no_copy(tmp_path, store, database):
    """As with a bind mount, of which no path tells where it leads."""
    clock, folder = Clock(), tmp_path / "a"
    archive_all(Archiver(store, folder, stores=["other"], clock=clock), [plain_story(1)])
    (file,) = store.files()
    opened = {"other": lambda: FolderBlobs(tmp_path / "other")}
    uploader = Uploader(Outbox(database), Copies(store, folder, opened), opened, clock=clock, remove_local=True)
    (tmp_path / "other" / file.key).parent.mkdir(parents=True)
    (tmp_path / "other" / file.key).hardlink_to(file.local_path(folder))
    clock.now += 100_000
    report = uploader.run(all_now=True)
    assert (report.proved, report.removed) == (0, 0)
    assert "is the file itself and no copy of it" in report.failures[0]


def test_what_turns_out_to_be_the_file_itself_is_not_removed(setup, store, database):
    clock, folder, blobs, _, uploader, _ = setup
    assert uploader().run().proved == 2
    (file,) = store.files()
    copy = blobs["one"].folder / file.key
    copy.unlink()
    copy.hardlink_to(file.local_path(folder))
    clock.now += 100_000
    report = uploader(remove_local=True).run()
    assert (report.removed, report.failures) == (0, [f"{file.name} stays here: one: its copy is the file itself"])
    assert file.local_path(folder).is_file()
    assert {state.store: state.waiting for state in Outbox(database).states()} == {"one": 1, "two": 0}


def test_an_empty_mount_point_is_noticed_although_nothing_waits(setup):
    _, _, blobs, _, uploader, _ = setup
    assert uploader().run(all_now=True).proved == 2
    assert uploader().run(all_now=True).away == []
    shutil.rmtree(blobs["one"].folder)
    blobs["one"].folder.mkdir()
    assert uploader().run().away == [], "a round of a run does not look at what it does not need"
    (away,) = uploader().run(all_now=True).away
    assert away.startswith("archive.stores: the disk of one seems not to be mounted")
    assert list(blobs["one"].folder.iterdir()) == []
