"""The archiver stage: a file that it names is safe and registered, what is open holds no story back, nothing is written twice."""

import os
import subprocess
import sys

import pytest

from tearsheet.archive import StoryArchiveReader, StoryArchiveWriter, index_id_of
from tearsheet.archive.records import compress
from tearsheet.archive.store import ArchiveStore
from tearsheet.archive.verify import verify_file
from tearsheet.engines.database import open_database
from tearsheet.errors import EngineError, StorageError
from tearsheet.pipeline.archiver import Archiver
from tearsheet.work.outcomes import Kept, Quarantine
from tests.support.archive_stories import archive_all, plain_story
from tests.support.full_disk import fill_disk


@pytest.fixture
def store(tmp_path):
    database = open_database("t.db", tmp_path)
    database.migrate()
    yield ArchiveStore(database)
    database.close()


def stories_in(folder):
    found = []
    for path in sorted(folder.rglob("*.warc.gz")):
        with StoryArchiveReader(path) as reader:
            found += [story.id for story in reader]
    return found


def test_a_batch_becomes_a_file_and_every_story_knows_its_place(tmp_path, store):
    stories = [plain_story(n) for n in range(5)]
    results = archive_all(Archiver(store, tmp_path / "a"), stories)
    assert results == [Kept(file.name) for file in store.files()] * 5
    assert stories_in(tmp_path / "a") == [story.id for story in stories]
    capture = store.capture_of_story(stories[3].id)
    assert capture is not None
    assert [capture] == store.captures_of_address(index_id_of("https://news.example/3"))
    assert capture.file.local_path(tmp_path / "a").read_bytes()[capture.offset :][:2] == b"\x1f\x8b"
    assert store.totals().stories == 5
    assert [file.stories for file in store.newest_files()] == [5]


def test_a_redelivered_story_is_passed_on_and_not_written_again(tmp_path, store):
    archiver = Archiver(store, tmp_path / "a")
    stories = [plain_story(n) for n in range(3)]
    archive_all(archiver, stories[:2])
    results = archive_all(archiver, [*stories, stories[2]])
    assert results[:2] == stories[:2]
    assert results[2] == results[3]
    assert isinstance(results[2], Kept)
    assert sorted(stories_in(tmp_path / "a")) == sorted(story.id for story in stories)


def test_files_are_split_by_count_and_by_size(tmp_path, store):
    stories = [plain_story(n, bytes(n) + b"x") for n in range(6)]
    archive_all(Archiver(store, tmp_path / "a", max_stories=4), stories[:5])
    archive_all(Archiver(store, tmp_path / "a", max_bytes=1), [*stories[5:], plain_story(7), plain_story(8)])
    assert sorted(file.stories for file in store.files()) == [1, 1, 1, 1, 4]


def test_a_story_that_proves_nothing_is_set_aside(tmp_path, store):
    without_page, without_address, good = plain_story(1), plain_story(2), plain_story(3)
    without_page.raw_html.html = b""
    without_address.http_metadata.final_url = None
    without_address.content_metadata.url = None
    without_address.rss_entry.link = None
    no_news = plain_story(4)
    no_news.http_metadata.final_url = "https://www.youtube.com/watch?v=abcdefghijk"
    results = archive_all(Archiver(store, tmp_path / "a"), [without_page, without_address, no_news, good])
    assert [str(result) for result in results[:3]] == ["no-html", "no-url", "non-news: www.youtube.com"]
    assert isinstance(results[0], Quarantine)
    assert isinstance(results[3], Kept)


def test_an_empty_batch_writes_no_file(tmp_path, store):
    assert list(archive_all(Archiver(store, tmp_path / "a"), [])) == []
    assert store.totals().files == 0


def test_a_file_that_was_finished_and_not_registered_is_registered_at_start(tmp_path, store):
    folder = tmp_path / "a"
    with StoryArchiveWriter(folder) as writer:
        for n in range(3):
            writer.write(plain_story(n))
    file = writer.close()
    cdxj = file.path.with_name(file.name.replace(".warc.gz", ".cdxj"))
    index = cdxj.read_text()
    cdxj.unlink()
    stories = [plain_story(n) for n in range(4)]
    archive_all(Archiver(store, folder), stories)
    assert sorted(stories_in(folder)) == sorted(story.id for story in stories)
    assert cdxj.read_text() == index
    stored = store.file(file.name)
    assert stored is not None
    assert (stored.size, stored.sha256, stored.created, stored.stories) == (file.size, file.sha256, file.created, 3)
    for capture in file.captures:
        found = store.capture_of_story(capture.story_id)
        assert found is not None
        assert (found.offset, found.length, found.sha256, found.time) == (
            capture.offset,
            capture.length,
            capture.sha256,
            capture.time,
        )


def test_leftovers_of_the_dead_are_removed_and_those_of_the_living_stay(tmp_path, store):
    folder = tmp_path / "a"
    script = (
        "import os, sys, pathlib; from tearsheet.archive import StoryArchiveWriter;"
        "w = StoryArchiveWriter(pathlib.Path(sys.argv[1])); print(w.path, flush=True); os._exit(9)"
    )
    dead = subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True, text=True, check=False)
    living = StoryArchiveWriter(folder)
    living.write(plain_story(1))
    assert len(list(folder.rglob("*.tmp"))) == 2
    recovered = Archiver(store, folder).recover()
    assert [str(path) for path in recovered.removed] == [dead.stdout.strip() + ".tmp"]
    assert living.close().path.exists()


def test_a_full_disk_loses_no_story(tmp_path, store, monkeypatch):
    archiver = Archiver(store, tmp_path / "a", max_stories=2)
    stories = [plain_story(n) for n in range(5)]
    write = StoryArchiveWriter.write

    def fail(writer, story, extra=None):
        if story is stories[3]:
            raise StorageError("disk full")
        return write(writer, story, extra)

    with monkeypatch.context() as patch:
        patch.setattr(StoryArchiveWriter, "write", fail)
        with pytest.raises(StorageError):
            archive_all(archiver, stories)
    assert len(stories_in(tmp_path / "a")) == 2
    assert [isinstance(result, Kept) for result in archive_all(archiver, stories)] == [False, False, True, True, True]
    assert sorted(stories_in(tmp_path / "a")) == sorted(story.id for story in stories)
    assert list((tmp_path / "a").rglob("*.tmp")) == []


def test_a_disk_that_fills_up_while_a_story_is_still_in_memory_loses_none(tmp_path, store, monkeypatch):
    """What was not written yet is written when the file is closed, to be thrown away: that fails, too, and is no other error."""
    archiver = Archiver(store, tmp_path / "a")
    small, large = plain_story(1), plain_story(2, os.urandom(100_000))
    with monkeypatch.context() as patch:
        fill_disk(patch)
        archiver.process_batch([small])
        with pytest.raises(StorageError, match="No space left on device"):
            archiver.finish(everything=True)
        archiver.process_batch([small])
        with pytest.raises(StorageError, match="No space left on device"):
            archiver.process_batch([large])
    results = archive_all(archiver, [small, large])
    assert [isinstance(result, Kept) for result in results] == [True, True]
    assert stories_in(tmp_path / "a") == [small.id, large.id]


class Clock:
    now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def test_a_file_stays_open_from_batch_to_batch_until_it_is_full_or_old(tmp_path, store):
    clock = Clock()
    archiver = Archiver(store, tmp_path / "a", max_stories=4, max_seconds=60, clock=clock)
    first = archiver.process_batch([plain_story(1), plain_story(2)])
    clock.now += 59
    assert archiver.finish() == []
    assert archiver.process_batch([plain_story(3)]) == [first[0]], "the same file"
    assert stories_in(tmp_path / "a") == []
    assert store.totals().stories == 0
    clock.now += 1
    assert [Kept(name) for name in archiver.finish()] == [first[0]]
    assert store.totals().stories == 3
    second = archiver.process_batch([plain_story(n) for n in range(4, 9)])
    assert second[0] == second[3] != second[4]
    assert [Kept(name) for name in archiver.finish()] == [second[0]], "by count"
    assert [Kept(name) for name in archiver.finish(everything=True)] == [second[4]]
    assert archiver.finish(everything=True) == []
    assert [file.stories for file in store.files()] == [3, 4, 1]


def test_a_story_that_comes_again_while_its_file_is_open_or_just_closed_waits_for_that_file(tmp_path, store):
    archiver = Archiver(store, tmp_path / "a", max_stories=2)
    one, two, three = plain_story(1), plain_story(2), plain_story(3)
    (kept,) = archiver.process_batch([one])
    assert archiver.process_batch([one]) == [kept]
    assert archiver.process_batch([two, one, three, two])[:2] == [kept, kept]
    archiver.finish(everything=True)
    assert sorted(stories_in(tmp_path / "a")) == sorted(story.id for story in (one, two, three))


def test_each_year_has_a_file_of_its_own_that_is_closed_by_itself(tmp_path, store):
    archiver = Archiver(store, tmp_path / "a", prefix="histYYYY", max_stories=2)
    early, late = plain_story(1), [plain_story(n) for n in (2, 3)]
    early.http_metadata.fetch_timestamp = 1_200_000_000.0
    results = archiver.process_batch([early, *late])
    assert [Kept(name) for name in archiver.finish()] == [results[1]]
    assert [Kept(name) for name in archiver.finish(everything=True)] == [results[0]]
    assert [name.partition("-")[0] for name in sorted(store.names())] == ["hist2008", "hist2023"]


def test_a_story_that_cannot_be_written_leaves_no_trace_in_the_file_of_the_others(tmp_path, store, monkeypatch):
    archiver = Archiver(store, tmp_path / "a", profile="full")
    good, bad, again = plain_story(1), plain_story(2), plain_story(3)
    assert good.raw_html.html == bad.raw_html.html == again.raw_html.html
    archiver.process_batch([good])
    calls = []

    def fail(record):
        calls.append(record)
        if len(calls) == 2:
            raise ZeroDivisionError
        return compress(record)

    with monkeypatch.context() as patch:
        patch.setattr("tearsheet.archive.writer.compress", fail)
        with pytest.raises(ZeroDivisionError):
            archiver.process_batch([bad])
    archive_all(archiver, [again])
    assert stories_in(tmp_path / "a") == [good.id, again.id]
    (file,) = store.files()
    path = file.local_path(tmp_path / "a")
    assert verify_file(path, file, store.captures_of_file(file.id)).problems == []


@pytest.mark.parametrize("url", ["https://a.example/\0", "https://a.example/\udcff"])
def test_an_address_that_no_database_takes_ends_one_story_and_not_the_file(tmp_path, store, url):
    bad, good = plain_story(1), plain_story(2)
    bad.http_metadata.final_url = url
    results = archive_all(Archiver(store, tmp_path / "a"), [bad, good])
    assert isinstance(results[0], Quarantine)
    assert stories_in(tmp_path / "a") == [good.id]


def test_a_file_that_could_not_be_registered_is_registered_later(tmp_path, store, monkeypatch):
    archiver = Archiver(store, tmp_path / "a")
    stories = [plain_story(n) for n in range(3)]
    archiver.process_batch(stories)

    def away(*_, **__):
        raise EngineError("the database does not answer")

    with monkeypatch.context() as patch:
        patch.setattr(ArchiveStore, "register", away)
        with pytest.raises(EngineError):
            archiver.finish(everything=True)
    assert archiver.finish(everything=True) == [], "nothing is said to be safe that is not registered"
    assert archiver.process_batch(stories) == stories, "the file was registered, so they are known"
    assert sorted(stories_in(tmp_path / "a")) == sorted(story.id for story in stories)


def test_what_was_abandoned_comes_again(tmp_path, store):
    archiver = Archiver(store, tmp_path / "a")
    archiver.process_batch([plain_story(1)])
    archiver.abandon()
    assert list((tmp_path / "a").rglob("*.tmp")) == []
    archive_all(archiver, [plain_story(1)])
    assert stories_in(tmp_path / "a") == [plain_story(1).id]


def test_a_story_that_two_archivers_are_given_is_written_once(tmp_path, store):
    """A queuer that was killed sends a story again. Whoever closes later throws that file away, and its stories come again."""
    stories = [plain_story(n) for n in range(4)]
    first, second = Archiver(store, tmp_path / "a"), Archiver(store, tmp_path / "a")
    first.process_batch(stories[:3])
    (kept, _) = second.process_batch(stories[2:])
    assert len(first.finish(everything=True)) == 1 and list(first.given_up()) == []
    assert list(second.finish(everything=True)) == []
    assert isinstance(kept, Kept) and list(second.given_up()) == [kept.place] and list(second.given_up()) == []
    again = second.process_batch(stories[2:])
    assert again[0] == stories[2] and isinstance(again[1], Kept)
    assert len(second.finish(everything=True)) == 1 and list(second.given_up()) == []
    assert sorted(stories_in(tmp_path / "a")) == sorted(story.id for story in stories)
    assert list((tmp_path / "a").rglob("*.tmp")) == []


def test_a_file_that_is_given_up_by_its_size_is_told_too(tmp_path, store):
    first, second = Archiver(store, tmp_path / "a"), Archiver(store, tmp_path / "a", max_stories=2)
    second.process_batch([plain_story(1)])
    archive_all(first, [plain_story(1)])
    results = second.process_batch([plain_story(2), plain_story(3)])
    places = [result.place for result in results if isinstance(result, Kept)]
    assert list(second.given_up()) == places[:1] != places[1:]
    assert list(second.finish(everything=True)) == places[1:]
