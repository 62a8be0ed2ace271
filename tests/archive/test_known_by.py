"""Every capture of an address is found, whichever of a story's addresses it is, also in files of an earlier version."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from tearsheet.archive.addresses import index_id_of
from tearsheet.archive.captures import Captures
from tearsheet.archive.copies import stores_by_name
from tearsheet.archive.known_by import KnownBy, read_addresses
from tearsheet.archive.outbox import Outbox
from tearsheet.archive.upload import Uploader
from tearsheet.pipeline.archiver import Archiver
from tests.support.archive_stories import archive_all, plain_story

LINK, FINAL, CANONICAL = "https://t.example/2", "https://news.example/2", "https://paper.example/story/2"


class Scene:
    """Two files of two stories each, whose links, final and canonical addresses differ."""

    def __init__(self, database, store, folder):
        self.database, self.store, self.folder = database, store, folder
        self.stores = stores_by_name(["copies"], folder, 1)
        self.captures = Captures(store, folder / "archive", self.stores)
        self.known_by = KnownBy(database)
        for numbers in ((1, 2), (3, 4)):
            stories = [plain_story(number) for number in numbers]
            for number, story in zip(numbers, stories, strict=True):
                story.content_metadata.url = f"https://paper.example/story/{number}"
            archive_all(Archiver(store, folder / "archive", stores=list(self.stores)), stories)

    def as_an_earlier_version_left_it(self) -> None:
        with self.database.begin() as connection:
            connection.execute(text("DELETE FROM capture_addresses"))
            connection.execute(text("UPDATE archive_files SET addresses_known = false"))

    def read(self, told=None) -> list[str]:
        tell = told.append if told is not None else lambda step: None
        return read_addresses(self.known_by, self.store, self.captures.copies, lambda done, of: tell((done, of)))

    def check(self) -> None:
        for url in (LINK, FINAL, CANONICAL, "http://www.news.example/2?utm_source=x"):
            key = index_id_of(url)
            (found,) = self.store.captures_known_by([key])
            assert self.captures.find(url) == found
            assert self.known_by.stories([key]) == {key: {found.story_id}}
            assert self.known_by.addresses([found.story_id]) == {found.story_id: {LINK, FINAL, CANONICAL}}


@pytest.fixture
def scene(database, store, tmp_path):
    return Scene(database, store, tmp_path)


def test_a_capture_is_found_by_each_of_its_addresses(scene):
    scene.check()
    assert scene.known_by.count_unread() == 0 and scene.read() == []


def test_what_is_the_same_address_is_not_written_twice(scene, database, store, tmp_path):
    story = plain_story(9)
    story.rss_entry.link = "https://news.example/9?utm_source=feed"
    archive_all(Archiver(store, tmp_path / "archive"), [story])
    with database.read() as connection:
        rows = connection.execute(text("SELECT count(*) FROM capture_addresses WHERE story_id = :s"), {"s": story.id})
        assert rows.scalar_one() == 0
    assert scene.captures.find("https://news.example/9").story_id == story.id


def test_files_of_an_earlier_version_are_read_once(scene):
    scene.as_an_earlier_version_left_it()
    assert scene.store.captures_known_by([index_id_of(LINK)]) == []
    told: list[tuple[float, float | None]] = []
    assert scene.read(told) == [] and told == [(0, 2), (1, 2)]
    scene.check()
    assert scene.read(told) == [] and len(told) == 2


def test_reading_them_may_be_interrupted(scene, monkeypatch):
    scene.as_an_earlier_version_left_it()
    told = []

    def stop(step):
        told.append(step)
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_addresses(scene.known_by, scene.store, scene.captures.copies, lambda done, of: stop(done))
    assert scene.known_by.count_unread() == 1
    assert scene.read() == [] and scene.known_by.count_unread() == 0


def test_a_file_in_a_store_that_is_away_stays_to_be_read_and_a_lost_one_too(scene, tmp_path):
    outbox = Outbox(scene.database)
    assert not Uploader(outbox, scene.captures.copies, scene.stores, remove_local=True).run(all_now=True).failures
    scene.as_an_earlier_version_left_it()
    (tmp_path / "copies").rename(tmp_path / "unplugged")
    problems = scene.read()
    assert len(problems) == 2 and all("is not known" in one and "copies" in one for one in problems)
    (tmp_path / "unplugged").rename(tmp_path / "copies")
    assert scene.read() == [] and scene.known_by.count_unread() == 0
    scene.check()


def test_a_damaged_file_is_named_and_stays_to_be_read(scene):
    scene.as_an_earlier_version_left_it()
    first = next(iter(scene.store.files())).local_path(scene.folder / "archive")
    whole = first.read_bytes()
    first.write_bytes(whole[: len(whole) // 2])
    (problem,) = scene.read()
    assert first.name in problem and "damaged" in problem
    first.unlink()
    assert scene.read() == [] and scene.known_by.count_unread() == 1, "lost, and not forgotten"
    first.write_bytes(whole)
    assert scene.read() == [] and scene.known_by.count_unread() == 0
    scene.check()


def test_what_is_no_longer_captured_is_known_by_nothing(scene):
    (found,) = scene.store.captures_known_by([index_id_of(LINK)])
    with scene.database.begin() as connection:
        connection.execute(text("DELETE FROM captures WHERE story_id = :s"), {"s": found.story_id})
    assert scene.known_by.addresses([found.story_id]) == {}
    scene.as_an_earlier_version_left_it()
    assert scene.read() == [] and scene.known_by.addresses([found.story_id]) == {}
