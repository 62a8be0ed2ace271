"""The archiver stage: what it returns is safe and registered, and nothing is written twice."""

import subprocess
import sys

import pytest

from tearsheet.archive import StoryArchiveReader, StoryArchiveWriter
from tearsheet.archive.store import ArchiveStore, index_id_of
from tearsheet.engines.database import open_database
from tearsheet.errors import StorageError
from tearsheet.pipeline.archiver import Archiver
from tearsheet.work.outcomes import Quarantine
from tests.support.archive_stories import plain_story


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
    assert list(Archiver(store, tmp_path / "a").process_batch(stories)) == stories
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
    archiver.process_batch(stories[:2])
    assert list(archiver.process_batch([*stories, stories[2]])) == [*stories, stories[2]]
    assert sorted(stories_in(tmp_path / "a")) == sorted(story.id for story in stories)


def test_files_are_split_by_count_and_by_size(tmp_path, store):
    stories = [plain_story(n, bytes(n) + b"x") for n in range(6)]
    Archiver(store, tmp_path / "a", max_stories=4).process_batch(stories[:5])
    Archiver(store, tmp_path / "a", max_bytes=1).process_batch([*stories[5:], plain_story(7), plain_story(8)])
    assert sorted(file.stories for file in store.files()) == [1, 1, 1, 1, 4]


def test_a_story_that_proves_nothing_is_set_aside(tmp_path, store):
    without_page, without_address, good = plain_story(1), plain_story(2), plain_story(3)
    without_page.raw_html.html = b""
    without_address.http_metadata.final_url = None
    without_address.content_metadata.url = None
    without_address.rss_entry.link = None
    no_news = plain_story(4)
    no_news.http_metadata.final_url = "https://www.youtube.com/watch?v=abcdefghijk"
    results = Archiver(store, tmp_path / "a").process_batch([without_page, without_address, no_news, good])
    assert [str(result) for result in results[:3]] == ["no-html", "no-url", "non-news: www.youtube.com"]
    assert isinstance(results[0], Quarantine)
    assert results[3] is good


def test_an_empty_batch_writes_no_file(tmp_path, store):
    assert list(Archiver(store, tmp_path / "a").process_batch([])) == []
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
    Archiver(store, folder).process_batch(stories)
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
            archiver.process_batch(stories)
    assert len(stories_in(tmp_path / "a")) == 2
    assert list(archiver.process_batch(stories)) == stories
    assert sorted(stories_in(tmp_path / "a")) == sorted(story.id for story in stories)
    assert list((tmp_path / "a").rglob("*.tmp")) == []
