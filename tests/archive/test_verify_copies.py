"""Copies that rot in a store are found while the files are still here, and made again."""

from __future__ import annotations

import pytest

from tearsheet.archive.copies import Copies, stores_by_name
from tearsheet.archive.outbox import Outbox
from tearsheet.archive.upload import Uploader
from tearsheet.archive.verify_copies import verify_copies
from tearsheet.pipeline.archiver import Archiver
from tests.support.archive_stories import archive_all, plain_story


class Scene:
    """Three files, each with a copy in two stores."""

    def __init__(self, database, store, folder) -> None:
        self.folder = folder
        self.stores = stores_by_name(["one", "two"], folder, 1)
        self.copies, self.outbox = Copies(store, folder / "archive", self.stores), Outbox(database)
        for number in range(3):
            archive_all(Archiver(store, folder / "archive", stores=list(self.stores)), [plain_story(number)])
        self.files = list(store.files())
        self.upload()

    def upload(self, **options) -> None:
        assert Uploader(self.outbox, self.copies, self.stores, **options).run(all_now=True).failures == []

    def copy(self, store: str, number: int):
        return self.folder / store / self.files[number].key

    def problems(self) -> list[tuple[str, str]]:
        verdicts = list(verify_copies(self.outbox, self.copies, self.stores))
        return [(problem.file, problem.what) for verdict in verdicts for problem in verdict.problems]


@pytest.fixture
def scene(database, store, tmp_path):
    return Scene(database, store, tmp_path)


def test_copies_that_are_whole_are_no_problem(scene):
    assert len(list(verify_copies(scene.outbox, scene.copies, scene.stores))) == 6
    assert scene.problems() == []


def test_a_copy_that_is_cut_changed_or_gone_is_told_and_made_again(scene):
    whole = scene.copy("one", 0).read_bytes()
    scene.copy("one", 0).write_bytes(whole[:-9])
    scene.copy("one", 1).write_bytes(b"x" * scene.files[1].size)
    scene.copy("two", 2).unlink()
    again = "; the next `tearsheet archive upload` makes it again"
    assert scene.problems() == [
        (scene.files[1].name, f"in one: its copy has changed{again}"),
        (scene.files[0].name, f"in one: its copy has changed{again}"),
        (scene.files[2].name, f"in two: its copy is gone{again}"),
    ]
    assert [state.waiting for state in scene.outbox.states()] == [2, 1]
    scene.upload()
    assert scene.problems() == [] and scene.copy("one", 0).read_bytes() == whole


def test_the_only_copy_is_not_given_up_because_it_is_damaged(scene, store):
    scene.upload(remove_local=True)
    scene.copy("one", 0).write_bytes(b"x")
    assert scene.problems() == [(scene.files[0].name, "in one: its copy has changed")]
    assert store.proved_stores(scene.files[0].id) == ["one", "two"]


def test_a_store_that_is_away_is_told_once_and_the_others_are_read(scene):
    (scene.folder / "one").rename(scene.folder / "unplugged")
    ((name, what),) = scene.problems()
    assert name == "one" and "one" in what
    assert len(list(verify_copies(scene.outbox, scene.copies, scene.stores))) == 4
