"""What a backup holds, whatever the program does while it is made."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import sqlite3
from collections import namedtuple
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tearsheet.app.backups import back_up
from tearsheet.app.places import layout_of
from tearsheet.backup.making import About, Progress, Registered, make_backup
from tearsheet.backup.manifest import LeftOut, Manifest
from tearsheet.backup.place import BackupPlace
from tearsheet.backup.restoring import Restoring
from tearsheet.engines.blobs.folder import FolderBlobs
from tearsheet.errors import StorageError
from tearsheet.settings import load_settings
from tests.support.backup_kills import Ordeal, bring_back, place_of, services_of, work

ABOUT = About("1.0", "0013", "me")


class Scene:
    """A data folder, a place, and the backups that are made there."""

    def __init__(self, folder: Path) -> None:
        self.data, self.folder = folder / "data", folder
        self.data.mkdir()
        self.place = BackupPlace(FolderBlobs(folder / "place"), "the place")
        self.place.begin("me")
        self.layout = layout_of(load_settings(self.data, environ={}))

    def write(self, name: str, content: bytes = b"x") -> Path:
        path = self.data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def back_up(
        self, tell: Callable[[Progress], None] = lambda _: None, agreed: str = "", **archived: bytes | None
    ) -> tuple[Manifest, Progress]:
        """Back up; `archived` are the files that the database knows, each with its bytes or, if a store has it, None."""
        expected = {
            name.replace("_", "."): Registered(
                len(data or b""), hashlib.sha256(data or b"").hexdigest(), data is not None
            )
            for name, data in archived.items()
        }
        _, manifest, progress = make_backup(
            self.layout, self.place, ABOUT, archived=lambda: expected, tell=tell, agreed=frozenset({agreed})
        )
        return manifest, progress

    def files(self, manifest: Manifest) -> set[str]:
        return {f"{entry.part}:{entry.path}" for entry in self.place.entries(manifest)}

    def restored(self, manifest: Manifest, name: str = "new") -> Path:
        folder = self.folder / name
        Restoring(self.place, manifest, layout_of(load_settings(folder, environ={})), lambda _: None).run(
            lambda layout: None
        )
        return folder


@pytest.fixture
def scene(tmp_path):
    scene = Scene(tmp_path)
    yield scene
    scene.place.objects.close()


def database(path: Path, rows: int) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE rows (n INTEGER)")
    connection.executemany("INSERT INTO rows VALUES (?)", [(n,) for n in range(rows)])
    return connection


def rows(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM rows").fetchone()[0])


def test_it_holds_what_belongs_to_the_folder_and_nothing_that_passes(scene):
    for name in (
        "rss/2025.xml", "rss/2026.xml", "rss-fetcher/x.json", "archive/2026/a.warc.gz", "archive/2026/a.cdxj", "pages/2026/META",
        "blobs/html/a.lock", "events/t/events.jsonl", "events/t/groups/g", "queues.db-pages/1.1", "copies/a.warc.gz",
    ):  # fmt: skip
        scene.write(name)
    for name in (
        "run.lock", "archive/2026/b.warc.gz.tmp", "blobs/.aside/.1.tmp", "events/t/lock", "events/t/held/g",
        "index/words/meta.json",
        "queues.db-holders/1", "trackers/csv.sqlite3-holders/1", "rss/.1-x.tmp", "restored.tmp/x", "backup.tmp/left",
    ):  # fmt: skip
        scene.write(name)
    for name in ("tearsheet.db", "queues.db", "index/stories.db", "trackers/csv.sqlite3"):
        database(scene.data / name, 1).close()
    manifest, _ = scene.back_up()
    assert scene.files(manifest) == {
        "folder:rss/2025.xml", "folder:rss/2026.xml", "folder:rss-fetcher/x.json", "folder:copies/a.warc.gz",
        "archive:2026/a.warc.gz", "archive:2026/a.cdxj", "pages:2026/META", "blobs:html/a.lock", "events:t/events.jsonl",
        "offsets:t/groups/g", "broker:pages/1.1", "broker:queues.db", "database:tearsheet.db", "index:stories.db",
        "tables:trackers/csv.sqlite3",
    }  # fmt: skip
    assert manifest.left_out == ()
    assert not (scene.data / "backup.tmp").exists()
    new = scene.restored(manifest)
    assert rows(new / "trackers/csv.sqlite3") == rows(new / "queues.db") == 1
    assert (new / "blobs/html/a.lock").read_bytes() == b"x"
    assert scene.files(scene_of(new, scene).back_up()[0]) == scene.files(manifest)


def scene_of(data: Path, scene: Scene) -> Scene:
    """The same place, used by the restored folder."""
    other = Scene.__new__(Scene)
    other.data, other.folder, other.place = data, scene.folder, scene.place
    other.layout = layout_of(load_settings(data, environ={}))
    return other


def test_what_did_not_change_is_neither_sent_nor_read(scene):
    scene.write("archive/a.warc.gz", random.Random(1).randbytes(100_000))
    paper = scene.write("rss/day.xml", b"one")
    scene.back_up()
    _, progress = scene.back_up()
    assert (progress.unchanged, progress.sent) == (2, 0)
    paper.write_bytes(b"two")
    manifest, progress = scene.back_up()
    assert progress.unchanged == 1 and 0 < progress.sent < 100
    new = scene.restored(manifest)
    _, progress = scene_of(new, scene).back_up()
    assert progress.unchanged == 2, "a restored folder goes on where the lost one stopped"


def test_an_object_that_is_gone_is_stored_again(scene):
    scene.write("rss/day.xml", b"one")
    manifest, _ = scene.back_up()
    (entry,) = scene.place.entries(manifest)
    scene.place.objects.remove(entry.objects[0])
    manifest, progress = scene.back_up()
    assert progress.unchanged == 0
    assert (scene.restored(manifest) / "rss/day.xml").read_bytes() == b"one"


def test_a_damaged_earlier_backup_does_not_stop_the_next(scene):
    scene.write("rss/day.xml", b"one")
    manifest, _ = scene.back_up()
    scene.place.objects.remove(manifest.listing[0])
    manifest, _ = scene.back_up()
    assert (scene.restored(manifest) / "rss/day.xml").read_bytes() == b"one"


def test_what_cannot_be_read_is_named(scene, monkeypatch):
    scene.write("rss/day.xml")
    scene.write("rss/no.xml")
    (scene.data / "linked").symlink_to(scene.folder / "place")
    Path(os.fsdecode(os.fsencode(scene.data) + b"/\xff")).write_bytes(b"x")
    real = Path.open

    def refuse(path: Path, *words: object, **more: object):
        if path.name == "no.xml":
            raise PermissionError(13, "Permission denied")
        return real(path, *words, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse)
    manifest, _ = scene.back_up()
    assert scene.files(manifest) == {"folder:rss/day.xml"}
    whats = [(one.what, one.why) for one in manifest.left_out]
    assert len(whats) == 3
    assert ("links", f"{scene.data}/linked is a symbolic link, which is not followed") in whats
    assert any(what == "unreadable" and "no.xml: Permission denied" in why for what, why in whats)
    assert any(what == "unreadable" and "its name is not UTF-8" in why for what, why in whats)


def test_an_archive_file_that_is_missing_or_another_is_told(scene):
    scene.write("archive/a.warc.gz", b"12345")
    assert scene.back_up(a_warc_gz=b"12345")[0].left_out == ()
    for missing in ({"a_warc_gz": b"123456"}, {"a_warc_gz": b"12345", "b_warc_gz": b"12345"}):
        (told,) = scene.back_up(**missing)[0].left_out
        assert isinstance(told, LeftOut)
        assert told.what == "archive" and "1 archive files are not here" in told.why


def test_an_archive_file_with_other_bytes_is_told_until_it_is_mended(scene):
    file = scene.write("archive/a.warc.gz", b"12345")
    assert scene.back_up(a_warc_gz=b"12345")[0].left_out == ()
    file.write_bytes(b"12?45")
    for _ in range(2):  # also when the last backup has the very same bytes, which need not be read again
        (told,) = scene.back_up(a_warc_gz=b"12345")[0].left_out
        assert (
            told.what == "archive"
            and "1 archive files no longer have the bytes" in told.why
            and "a.warc.gz" in told.why
        )
    file.write_bytes(b"12345")
    assert scene.back_up(a_warc_gz=b"12345")[0].left_out == ()
    assert scene.back_up(a_warc_gz=b"12345")[1].unchanged == 1


def gone(manifest: Manifest) -> list[str]:
    assert {one.what for one in manifest.left_out} <= {"gone"}
    return [one.why for one in manifest.left_out if not one.agreed]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tearsheet.db", "the database"), ("queues.db", "the broker"), ("index/stories.db", "the index"),
        ("pages/2026/META", "the page store"), ("archive/b.warc.gz", "1 archive files, such as b.warc.gz"),
    ],
)  # fmt: skip
def test_what_an_earlier_backup_has_and_is_gone_is_told_until_it_is_agreed(scene, name, said):
    for database_name in ("tearsheet.db", "queues.db", "index/stories.db"):
        database(scene.data / database_name, 1).close()
    for other in ("pages/2026/META", "archive/a.warc.gz", "archive/b.warc.gz", "queues.db-pages/1.1"):
        scene.write(other)
    assert gone(scene.back_up(a_warc_gz=b"x", b_warc_gz=b"x")[0]) == []
    lost = scene.data / name
    content = lost.read_bytes()
    lost.unlink()
    for _ in range(2):
        (told,) = gone(scene.back_up(a_warc_gz=b"x")[0])
        assert told.startswith(said) and "--without gone" in told
    lost.write_bytes(content)
    assert gone(scene.back_up(a_warc_gz=b"x")[0]) == []
    lost.unlink()
    assert gone(scene.back_up(agreed="gone", a_warc_gz=b"x")[0]) == []
    assert scene.back_up(a_warc_gz=b"x")[0].left_out == ()


def test_what_may_go_is_not_missed(scene):
    """Archive files that only a store has, drafts, files of feeds, and the blobs and queued pages that nobody needs any more."""
    names = ("archive/a.warc.gz", "archive/a.cdxj", "rss/day.xml", "blobs/html/a", "queues.db-pages/1.1")
    for name in names:
        scene.write(name)
    scene.back_up(a_warc_gz=b"x")
    for name in names:
        (scene.data / name).unlink()
    assert scene.back_up(a_warc_gz=None)[0].left_out == ()


def test_a_database_that_knows_nothing_of_the_archive_is_told(scene):
    scene.write("archive/a.warc.gz")
    assert gone(scene.back_up(a_warc_gz=b"x")[0]) == []
    (told,) = gone(scene.back_up()[0])
    assert "the database knows none of the archive files" in told and "tearsheet archive index" in told


def test_files_that_no_database_has_known_yet_are_not_taken_for_those_of_another(scene):
    scene.write("archive/a.warc.gz")
    assert gone(scene.back_up()[0]) == []
    assert gone(scene.back_up()[0]) == [], "it was killed before it could register them, as it was before"
    assert gone(scene.back_up(a_warc_gz=b"x")[0]) == []
    assert len(gone(scene.back_up()[0])) == 1


def test_the_pages_of_queued_stories_are_held(scene):
    """The program deletes them as soon as no story needs them, which may be before they are copied."""
    database(scene.data / "queues.db", 1).close()
    page = scene.write("queues.db-pages/1.1", b"page")

    def delete(progress: Progress) -> None:
        if progress.doing == "copying broker":
            page.unlink(missing_ok=True)

    manifest, _ = scene.back_up(delete)
    assert (scene.restored(manifest) / "queues.db-pages/1.1").read_bytes() == b"page"


def test_databases_are_of_one_moment_and_logs_may_grow(scene):
    with closing(database(scene.data / "tearsheet.db", 3)) as connection:
        log = scene.write("events/t/events.jsonl", b"{}\n")

        def write(progress: Progress) -> None:
            connection.execute("INSERT INTO rows VALUES (9)")
            with log.open("ab") as file:
                file.write(b"{}\n")

        def write_later(progress: Progress) -> None:
            if progress.doing == "copying database":
                write(progress)

        manifest, _ = scene.back_up(write_later)
        assert rows(scene.restored(manifest) / "tearsheet.db") == 3
        manifest, _ = scene.back_up(write)
        new = scene.restored(manifest, "newer")
        assert 3 <= rows(new / "tearsheet.db") < rows(scene.data / "tearsheet.db")


def test_a_disk_without_room_for_the_copies_is_told_at_once(scene, monkeypatch):
    database(scene.data / "tearsheet.db", 3).close()
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage(10, 10, 0))
    with pytest.raises(StorageError, match="make room"):
        scene.back_up()
    assert scene.place.names() == []


def interrupt_at(ordeal: Ordeal, when: Callable[[int, Progress], bool]) -> int:
    """Back up, and let the whole pipeline run once, as soon as `when` says so; returns how often progress was told."""
    told = 0
    waiting = True

    def tell(progress: Progress) -> None:
        nonlocal told, waiting
        told += 1
        if waiting and when(told, progress):
            waiting = False
            work(ordeal.data, ordeal.stories)

    with services_of(ordeal.data) as services:
        made = back_up(services, ordeal.place, new=False, without=(), keep=None, tell=tell)
    assert made.missing == []
    return told


class Meanwhile:
    """The pipeline runs from its first story to its last while the backup stands still."""

    def __init__(self, folder: Path, *, queued: bool) -> None:
        self.ordeal = Ordeal(folder, str(folder / "place"), 12, random.Random(1))
        self.before = folder / "before"
        if queued:
            work(self.ordeal.data, self.ordeal.stories, queue_only=True)
        else:  # there is a tracker, and it does not know the file yet
            work(self.ordeal.data, self.ordeal.write(range(2)))
        shutil.copytree(self.ordeal.data, self.before)

    def happens(self, when: Callable[[int, Progress], bool]) -> int:
        ordeal = self.ordeal
        shutil.rmtree(ordeal.place, ignore_errors=True)  # its backups have what this folder does not have yet
        with place_of(ordeal.place, ordeal.data) as place:
            place.begin("ours")
        shutil.rmtree(ordeal.data, ignore_errors=True)
        shutil.copytree(self.before, ordeal.data)
        told = interrupt_at(ordeal, when)
        shutil.rmtree(ordeal.data)
        bring_back(ordeal.data, ordeal.place)
        ordeal.compare(set())
        ordeal.finish()
        return told


@pytest.mark.parametrize("doing", ["copying databases", "copying archive"])
def test_a_story_is_in_a_queue_or_kept_whatever_happens_meanwhile(tmp_path, doing):
    Meanwhile(tmp_path, queued=True).happens(lambda told, progress: progress.doing == doing)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("queued", [True, False])
def test_a_story_is_in_a_queue_or_kept_wherever_the_backup_stands(tmp_path, queued):
    meanwhile = Meanwhile(tmp_path, queued=queued)
    number = 0
    while meanwhile.happens(lambda told, progress: told == number) >= number:  # noqa: B023 - called at once
        number += 1
    assert number > 10
