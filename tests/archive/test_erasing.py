"""Stories leave archive files and their copies; the registry, the CDXJ and `archive verify` agree afterwards."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tearsheet.archive.addresses import index_id_of
from tearsheet.archive.copies import Copies, stores_by_name
from tearsheet.archive.erased import Erased
from tearsheet.archive.erasing import erase_from_file, erase_from_returned, replace_copies
from tearsheet.archive.outbox import Outbox
from tearsheet.archive.tombstones import Tombstones
from tearsheet.archive.upload import Uploader
from tearsheet.archive.verify import verify_file
from tearsheet.clock import utc_now
from tearsheet.errors import NotFoundError
from tearsheet.pipeline.archiver import Archiver
from tests.support.archive_stories import archive_all, plain_story
from tests.support.leftovers import places_of


class Scene:
    """An archive of five stories in one file, with a copy in a folder, and what erases from it."""

    def __init__(self, database, store, folder: Path) -> None:
        self.folder = folder
        self.store = store
        self.stores = stores_by_name(["copies"], folder, 1)
        self.copies = Copies(store, folder / "archive", self.stores)
        self.outbox, self.erased, self.tombstones = Outbox(database), Erased(database), Tombstones(database)
        self.stories = [plain_story(number, b"<html>qwertyuiop%d text" % number) for number in range(1, 6)]
        archive_all(Archiver(store, folder / "archive", stores=list(self.stores)), self.stories)
        self.upload()

    @property
    def file(self):
        return next(iter(self.store.files()))

    @property
    def path(self):
        return self.folder / "archive" / self.file.key

    def upload(self, **options) -> None:
        assert Uploader(self.outbox, self.copies, self.stores, **options).run(all_now=True).failures == []

    def erasure(self, number: int):
        url = f"https://news.example/{number}"
        return self.erased.start("asked for", {index_id_of(url): url})

    def erase(self, number: int) -> int:
        erasure = self.erasure(number)
        files = self.tombstones.files_with(erasure.addresses)
        return sum(erase_from_file(file, erasure, erasure.covers, self.copies, self.tombstones) for file in files)

    def check(self, gone: set[int]) -> None:
        file = self.file
        assert verify_file(self.path, file, self.store.captures_of_file(file.id)).problems == []
        kept = {self.stories[number - 1].id for number in {1, 2, 3, 4, 5} - gone}
        assert {one.story_id for one in self.store.captures_of_file(file.id)} == kept
        assert file.stories == len(kept)


@pytest.fixture
def scene(database, store, tmp_path):
    return Scene(database, store, tmp_path)


def test_a_story_leaves_the_file_and_its_copy(scene, tmp_path):
    assert len(places_of(tmp_path, "qwertyuiop3")) == 2
    assert scene.erase(3) == 1
    scene.check({3})
    assert [name for _, name in scene.tombstones.stale()] == ["copies"]
    assert replace_copies(scene.tombstones, scene.outbox, scene.copies, scene.stores) == (1, [])
    assert places_of(tmp_path, "qwertyuiop3") == []
    assert len(places_of(tmp_path, "qwertyuiop2")) == 2
    copy = (tmp_path / "copies" / scene.file.key).read_bytes()
    assert hashlib.sha256(copy).hexdigest() == scene.file.sha256
    assert scene.tombstones.stale() == [] and len(scene.store.proved_stores(scene.file.id)) == 1
    (tombstone,) = scene.tombstones.of()
    assert tombstone.sha256 == hashlib.sha256(scene.stories[2].raw_html.html).hexdigest()
    assert (tombstone.reason, tombstone.captured.year) == ("asked for", 2023)
    assert scene.tombstones.of([index_id_of("https://news.example/3")]) == [tombstone]
    assert scene.tombstones.of([index_id_of("https://news.example/4")]) == []


def test_one_after_another_until_none_is_left(scene):
    for number in (5, 1, 3, 2, 4):
        assert scene.erase(number) == 1
    scene.check({1, 2, 3, 4, 5})
    assert scene.erase(4) == 0


def test_a_file_that_only_a_store_has_is_brought_back_for_it(scene, tmp_path):
    scene.upload(remove_local=True)
    assert not scene.path.exists()
    assert scene.erase(2) == 1
    scene.check({2})
    assert replace_copies(scene.tombstones, scene.outbox, scene.copies, scene.stores) == (1, [])
    assert places_of(tmp_path, "qwertyuiop2") == []


def test_a_store_that_is_away_is_named_and_taken_next_time(scene, tmp_path):
    scene.erase(2)
    (tmp_path / "copies").rename(tmp_path / "unplugged")
    replaced, problems = replace_copies(scene.tombstones, scene.outbox, scene.copies, scene.stores)
    assert replaced == 0 and "copies" in problems[0]
    assert replace_copies(scene.tombstones, scene.outbox, scene.copies, {})[1][0].endswith("no longer names")
    (tmp_path / "copies").exists() and (tmp_path / "copies").rename(tmp_path / "empty")
    (tmp_path / "unplugged").rename(tmp_path / "copies")
    assert replace_copies(scene.tombstones, scene.outbox, scene.copies, scene.stores) == (1, [])
    assert places_of(tmp_path, "qwertyuiop2") == []


def test_a_file_that_is_nowhere_is_said_to_be(scene, tmp_path):
    erasure = scene.erasure(2)
    scene.path.unlink()
    (tmp_path / "copies" / scene.file.key).unlink()
    with pytest.raises(NotFoundError):
        erase_from_file(scene.file, erasure, erasure.covers, scene.copies, scene.tombstones)
    assert scene.tombstones.drop_captures(scene.file, erasure) == 1
    assert len(scene.tombstones.of()) == 1


def forget_copies(scene) -> None:
    scene.outbox.doubt("copies", utc_now())
    scene.tombstones.forget_store("copies")


def test_a_file_that_only_a_forgotten_store_has_is_brought_back_for_it(scene, tmp_path):
    scene.upload(remove_local=True)
    forget_copies(scene)
    assert scene.erase(2) == 1
    scene.check({2})
    assert replace_copies(scene.tombstones, scene.outbox, scene.copies, scene.stores) == (1, [])
    assert places_of(tmp_path, "qwertyuiop2") == []


def test_a_lost_file_that_comes_back_counts_as_a_copy_only_once_what_was_erased_is_out_of_it(scene, tmp_path):
    scene.upload(remove_local=True)
    (tmp_path / "copies").rename(tmp_path / "unplugged")
    forget_copies(scene)
    for number in (2, 4):
        assert scene.tombstones.drop_captures(scene.file, scene.erasure(number)) == 1
    assert erase_from_returned(scene.copies, scene.tombstones) == 0, "it is not there yet"
    (tmp_path / "copies").exists() and (tmp_path / "copies").rename(tmp_path / "empty")
    (tmp_path / "unplugged").rename(tmp_path / "copies")
    (failure,) = Uploader(scene.outbox, scene.copies, scene.stores).run(all_now=True).failures
    assert "holds 2 erased captures: `tearsheet erase --resume` takes this out" in failure
    assert scene.store.proved_stores(scene.file.id) == []
    assert erase_from_returned(scene.copies, scene.tombstones) == 2
    scene.check({2, 4})
    assert replace_copies(scene.tombstones, scene.outbox, scene.copies, scene.stores) == (1, [])
    assert places_of(tmp_path, "qwertyuiop2") == places_of(tmp_path, "qwertyuiop4") == []
    assert len(scene.tombstones.of()) == 2 and erase_from_returned(scene.copies, scene.tombstones) == 0
    scene.upload(remove_local=True)


def test_a_story_that_was_archived_twice_is_found_in_both_files(scene, database, store, tmp_path):
    other = Archiver(store, tmp_path / "archive")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(store), "known", lambda self, ids: set())
        archive_all(other, scene.stories[:2])
    assert len(places_of(tmp_path / "archive", "qwertyuiop2")) == 2
    assert scene.erase(2) == 2
    assert places_of(tmp_path / "archive", "qwertyuiop2") == []


@pytest.mark.parametrize("step", ["register_rewritten", "put_in_place", "write_whole"])
def test_a_rewrite_that_was_cut_off_is_done_again(scene, tmp_path, step):
    """As a kill would leave it: before the registration, between that and the new file, and before the CDXJ."""
    import tearsheet.archive.erasing as erasing_module
    import tearsheet.files as files_module

    class Killed(BaseException):
        pass

    def die(*_, **__):
        raise Killed

    erasure = scene.erasure(3)
    where = {"register_rewritten": Tombstones, "put_in_place": files_module, "write_whole": erasing_module}[step]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(where, step, die)
        with pytest.raises(Killed):
            erase_from_file(scene.file, erasure, erasure.covers, scene.copies, scene.tombstones)
    (again,) = scene.erased.unfinished()
    assert again.addresses == erasure.addresses
    for file in scene.tombstones.files_with(again.addresses, again.id):
        erase_from_file(file, again, again.covers, scene.copies, scene.tombstones)
    scene.check({3})
    assert len(scene.tombstones.of()) == 1
    assert replace_copies(scene.tombstones, scene.outbox, scene.copies, scene.stores) == (1, [])
    assert places_of(tmp_path, "qwertyuiop3") == []
