"""Captures come back the same, whether their file is here or only in a store; and whatever cannot is said."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tearsheet.archive import StoryArchiveReader
from tearsheet.archive.captures import Captures, Walked, walk_paths
from tearsheet.archive.copies import Copies, OpenBlobs, OutOfReach
from tearsheet.archive.outbox import Outbox
from tearsheet.archive.store import ArchiveStore
from tearsheet.archive.upload import Uploader
from tearsheet.archive.wacz import write_wacz
from tearsheet.engines.blobs.folder import FolderBlobs
from tearsheet.engines.blobs.port import Blobs
from tearsheet.engines.database.port import Database
from tearsheet.errors import EngineError, NotFoundError
from tearsheet.pipeline.archiver import Archiver
from tearsheet.story import Story
from tearsheet.urls import url_hash
from tests.support.archive_stories import PAGE, archive_all, large_story, plain_story
from tests.support.blob_stores import BLOBS, BlobsHarness

LARGE = 12


@dataclass
class Archive:
    """An archive in a folder, with one store by the name of `far`."""

    store: ArchiveStore
    database: Database
    folder: Path
    open_store: OpenBlobs
    opened: list[Blobs] = field(default_factory=list)

    def write(self, *stories: Story, profile: str = "full") -> None:
        """One more file."""
        archive_all(Archiver(self.store, self.folder, profile=profile, stores=["far"]), stories)

    def move(self) -> None:
        """Copy every file to the store, and remove it here."""
        stores = {"far": self.open_store}
        later = (datetime.now(UTC) + timedelta(days=1)).timestamp()
        copies = Copies(self.store, self.folder, stores)
        report = Uploader(Outbox(self.database), copies, stores, remove_local=True, clock=lambda: later).run()
        assert not report.failures

    @property
    def captures(self) -> Captures:
        def open_counted():
            self.opened.append(blobs := self.open_store())
            return blobs

        return Captures(self.store, self.folder, {"far": open_counted})


@pytest.fixture(params=BLOBS)
def harness(request, tmp_path) -> Iterator[BlobsHarness]:
    ready: BlobsHarness = request.param()
    ready.prepare(tmp_path)
    yield ready
    ready.remove()


@pytest.fixture
def archive(harness, store, database, tmp_path) -> Archive:
    return Archive(store, database, tmp_path / "a", harness.open)


@pytest.fixture
def in_folder(store, database, tmp_path) -> Archive:
    """The same with a folder as the store, whose copies can be damaged."""
    return Archive(store, database, tmp_path / "a", lambda: FolderBlobs(tmp_path / "far"))


def the_copy(archive: Archive) -> Path:
    (path,) = (archive.folder.parent / "far").rglob("*.warc.gz")
    return path


def read_by(captures: Captures, key: str) -> Story:
    return captures.read(captures.find(key)).story


def test_a_capture_is_found_by_story_by_address_and_by_its_place_in_a_file(archive):
    stories = [plain_story(1), plain_story(2), plain_story(3, PAGE + b"other")]  # the second revisits the first
    archive.write(*stories)
    for moved in (False, True):
        if moved:
            archive.move()
        captures = archive.captures
        assert captures.copies.is_here(captures.find(stories[0].id).file) is not moved
        for story in stories:
            capture = captures.find(story.id)
            url = str(story.content_metadata.url)
            for key in (story.id, url, url_hash(url), f"{capture.file.name}:{capture.offset}"):
                assert read_by(captures, key) == story
    with pytest.raises(NotFoundError, match="no capture of"):
        captures.find(f"{capture.file.name}:{capture.offset + 1}")
    with pytest.raises(NotFoundError, match="no capture of"):
        captures.find("https://nowhere.example/")


def test_of_one_address_the_first_capture_is_taken_or_the_one_nearest_to_a_time(in_folder):
    first, second = plain_story(1), plain_story(2)
    second.content_metadata.url = second.http_metadata.final_url = first.content_metadata.url
    second.http_metadata.fetch_timestamp = 86_400 + (first.http_metadata.fetch_timestamp or 0)
    in_folder.write(second)
    in_folder.write(first)
    captures, url = in_folder.captures, str(first.content_metadata.url)
    times = {story.id: captures.find(story.id).time for story in (first, second)}
    assert captures.find(url).story_id == first.id
    for hours, wanted in ((-100, first), (11, first), (13, second), (999, second)):
        assert captures.find(url, times[first.id] + timedelta(hours=hours)).story_id == wanted.id
    pairs = [(second.id, url_hash(url)), ("unknown", url_hash(url)), ("", url_hash(url)), ("unknown", "unknown")]
    found = [capture and capture.story_id for capture in captures.of_stories(pairs)]
    assert found == [second.id, first.id, first.id, None]


def test_of_a_file_in_a_store_no_more_is_fetched_than_a_story_needs(in_folder, monkeypatch):
    stories = [large_story(number) for number in range(3 * LARGE)]
    in_folder.write(*stories)
    in_folder.move()
    fetched, read = [], FolderBlobs.read

    def counted(blobs, key, start, length):
        fetched.append(length)
        return read(blobs, key, start, length)

    monkeypatch.setattr(FolderBlobs, "read", counted)
    monkeypatch.setattr(FolderBlobs, "open", None)
    assert read_by(in_folder.captures, stories[2 * LARGE].id) == stories[2 * LARGE]
    assert sum(fetched) <= 600_000 < the_copy(in_folder).stat().st_size


def test_captures_of_one_file_are_read_from_front_to_back_and_it_is_opened_once(archive):
    stories = [large_story(number) for number in range(LARGE)]
    archive.write(*stories[: LARGE // 2])
    archive.write(*stories[LARGE // 2 :])
    archive.move()
    captures = archive.captures
    wanted = captures.of_ids([story.id for story in reversed(stories)])
    read = {capture.story_id: entry.story for capture, entry in captures.read_each(wanted.values()) if entry}
    assert read == {story.id: story for story in stories}
    assert len(archive.opened) == 2


def test_a_wacz_of_captures_in_a_store_holds_the_same_stories(archive, tmp_path):
    stories = [plain_story(1), plain_story(2), plain_story(3, PAGE + b"other")]
    archive.write(*stories)
    archive.move()
    captures = archive.captures
    chosen = captures.of_ids([story.id for story in stories]).values()
    packed = write_wacz(tmp_path / "out.wacz", chosen, captures)
    assert (packed.pages, packed.missing) == (3, [])
    with zipfile.ZipFile(tmp_path / "out.wacz") as contents:
        found = list(StoryArchiveReader(io.BytesIO(contents.read("archive/data.warc.gz"))))
    assert sorted(found, key=lambda story: story.id) == sorted(stories, key=lambda story: story.id)


def test_a_walk_passes_every_story_of_the_archive_and_says_where_it_was(archive, tmp_path):
    stories = [plain_story(number) for number in range(6)]
    archive.write(*stories[:2])
    archive.move()
    archive.write(*stories[2:4], profile="mediacloud")
    beside = Archiver(archive.store, tmp_path / "b")
    archive_all(beside, stories[4:])
    (unknown,) = (tmp_path / "b").rglob("*.warc.gz")
    unknown = unknown.rename(archive.folder / "copied-by-hand.warc.gz")
    with archive.database.begin() as connection:  # nobody registered it
        connection.exec_driver_sql("DELETE FROM captures WHERE file_id = 3")
        connection.exec_driver_sql("DELETE FROM archive_files WHERE id = 3")
    walked = Walked()
    seen = [entry.story for entry in archive.captures.walk(walked)]
    assert sorted(seen, key=lambda story: story.id) == sorted(stories, key=lambda story: story.id)
    assert seen[-2:] == stories[:2]  # what is here came first
    assert (walked.here, walked.from_stores, walked.stories) == (2, 1, 6)
    assert (walked.unregistered, walked.problems) == ([unknown.name], [])


def test_files_of_others_that_lie_elsewhere_are_no_part_of_the_archive(in_folder, tmp_path):
    in_folder.write(plain_story(1))
    archive_all(Archiver(in_folder.store, tmp_path / "b"), [plain_story(2)])
    (theirs,) = (tmp_path / "b").rglob("*.warc.gz")
    with in_folder.database.begin() as connection:
        connection.exec_driver_sql("UPDATE archive_files SET path = ? WHERE id = 2", (str(theirs),))
    for gone in (False, True):
        if gone:
            theirs.unlink()
        walked = Walked()
        assert [entry.story for entry in in_folder.captures.walk(walked)] == [plain_story(1)]
        assert walked.problems == []


def cut_off(data: bytes) -> bytes:
    return data[:-40]


def flipped(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :]


def without_last_story(data: bytes) -> bytes:
    """Every record of it is whole."""
    *_, last = StoryArchiveReader(io.BytesIO(data)).archived()
    return data[: last.offset]


@pytest.mark.parametrize("damage", [cut_off, flipped, without_last_story])
@pytest.mark.parametrize("where", ["here", "far"])
def test_a_damaged_file_gives_the_stories_that_it_can_and_is_named(in_folder, damage, where):
    in_folder.write(*(large_story(number) for number in range(LARGE)))
    if where == "far":
        in_folder.move()
    (path,) = (in_folder.folder if where == "here" else in_folder.folder.parent / "far").rglob("*.warc.gz")
    path.write_bytes(damage(path.read_bytes()))
    walked = Walked()
    found = [entry.story for entry in in_folder.captures.walk(walked)]
    assert LARGE - 2 <= len(found) < LARGE
    whole = {large_story(number).id: large_story(number) for number in range(LARGE)}
    assert all(story == whole[story.id] for story in found)
    (file,) = in_folder.store.files()
    assert {problem.file for problem in walked.problems} == {file.name}


def test_a_file_that_no_store_gives_is_named(in_folder, tmp_path):
    in_folder.write(plain_story(1))
    in_folder.move()
    (file,) = in_folder.store.files()
    the_copy(in_folder).unlink()
    for captures in (in_folder.captures, Captures(in_folder.store, in_folder.folder)):
        walked = Walked()
        assert list(captures.walk(walked)) == []
        (problem,) = walked.problems
        assert problem.what.startswith(f"{file.name} is not on this machine")
        with pytest.raises(NotFoundError, match="is not on this machine"):
            read_by(captures, plain_story(1).id)
        assert [entry for _, entry in captures.read_each([captures.find(plain_story(1).id)])] == [None]


def test_a_copy_that_is_whole_is_preferred_to_a_damaged_one(in_folder, tmp_path):
    in_folder.write(*(large_story(number) for number in range(LARGE)))
    good = FolderBlobs(tmp_path / "near")
    (path,) = in_folder.folder.rglob("*.warc.gz")
    good.put(path.relative_to(in_folder.folder).as_posix(), path)
    stores = {"far": in_folder.open_store, "near": lambda: good}
    later = (datetime.now(UTC) + timedelta(days=1)).timestamp()
    copies = Copies(in_folder.store, in_folder.folder, stores)
    Uploader(Outbox(in_folder.database), copies, stores, remove_local=True, clock=lambda: later).run()
    for damage in (flipped, cut_off):
        the_copy(in_folder).write_bytes(damage(the_copy(in_folder).read_bytes()))
        walked = Walked()
        captures = Captures(in_folder.store, in_folder.folder, stores)
        assert len(list(captures.walk(walked))) == LARGE
        assert walked.problems == []
    assert read_by(captures, large_story(1).id) == large_story(1)  # the other one has another size, and is not read


def test_a_copy_that_was_cut_off_gives_what_is_left_of_it(in_folder):
    """To whoever asks for one story, as to whoever asks for all."""
    in_folder.write(*(large_story(number) for number in range(LARGE)))
    in_folder.move()
    the_copy(in_folder).write_bytes(cut_off(the_copy(in_folder).read_bytes()))
    walked = Walked()
    left = {entry.story.id for entry in in_folder.captures.walk(walked)}
    assert left and len(left) < LARGE
    for number in range(LARGE):
        story = large_story(number)
        if story.id in left:
            assert read_by(in_folder.captures, story.id) == story
        else:
            with pytest.raises(NotFoundError, match="there is no story at"):
                read_by(in_folder.captures, story.id)


def test_a_store_that_goes_away_is_not_waited_for_once_for_each_capture(in_folder, monkeypatch, tmp_path):
    stories = [large_story(number) for number in range(LARGE)]
    in_folder.write(*stories)
    in_folder.move()
    asked = []

    def fail(*args):
        asked.append(args)
        raise EngineError("the store is away")

    monkeypatch.setattr(FolderBlobs, "read", fail)
    captures = in_folder.captures
    wanted = captures.of_ids([story.id for story in stories]).values()
    assert [entry for _, entry in captures.read_each(wanted)] == [None] * LARGE
    assert len(asked) == 1
    with pytest.raises(OutOfReach, match="none of these stories can be read now: the store is away"):
        write_wacz(tmp_path / "out.wacz", wanted, captures)
    with pytest.raises(EngineError, match="away"):
        read_by(captures, stories[0].id)


def test_what_was_moved_from_a_folder_is_listed_as_it_lay_there(in_folder, monkeypatch):
    in_folder.write(plain_story(1))
    assert in_folder.captures.moved_from(in_folder.folder) == []
    (path,) = in_folder.folder.rglob("*.warc.gz")
    in_folder.move()
    monkeypatch.chdir(in_folder.folder.parent)
    for folder in (in_folder.folder, path.parent, Path(in_folder.folder.name)):
        ((place, file),) = in_folder.captures.moved_from(folder)
        assert (place.absolute(), file.name) == (path, path.name)
    assert in_folder.captures.moved_from(in_folder.folder / "2001") == []


def test_named_files_and_folders_are_walked_whether_registered_or_not(in_folder, tmp_path):
    in_folder.write(plain_story(1))
    (path,) = in_folder.folder.rglob("*.warc.gz")
    damaged = tmp_path / "damaged.warc.gz"
    damaged.write_bytes(cut_off(path.read_bytes()))
    walked = Walked()
    found = [entry.story for entry in walk_paths([in_folder.folder, path, damaged, tmp_path / "none.warc.gz"], walked)]
    assert found == [plain_story(1)] * 2
    assert (walked.here, walked.stories) == (3, 2)
    assert {problem.file for problem in walked.problems} == {"damaged.warc.gz", "none.warc.gz"}
