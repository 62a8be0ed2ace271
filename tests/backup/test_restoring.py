"""A backup comes back whole or not at all, and over nothing that is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tearsheet.backup.layout import RESTORING, Layout
from tearsheet.backup.manifest import FORMAT, DamagedBackup, Entry, Manifest, PartSize, encode_entry
from tearsheet.backup.place import BackupPlace
from tearsheet.backup.restoring import Restoring, check_landings, finish_interrupted, landings_of
from tearsheet.engines.blobs.folder import FolderBlobs
from tearsheet.errors import BusyError, EngineError, StorageError, UsageError
from tearsheet.files import write_whole

FILES = {
    ("folder", "config.toml"): b"[web]\n",
    ("folder", "rss/day.xml"): b"<rss/>",
    ("database", "tearsheet.db"): b"database",
    ("broker", "pages/1.1"): b"page",
    ("broker", "queues.db"): b"queues",
    ("archive", "2026/a.warc.gz"): b"warc" * 1000,
}


@pytest.fixture
def place(tmp_path) -> Iterator[BackupPlace]:
    with BackupPlace(FolderBlobs(tmp_path / "place"), "the place") as place:
        place.begin("me")
        yield place


def layout(data: Path, **elsewhere: Any) -> Layout:
    inside = Layout(
        data, data / "tearsheet.db", data / "queues.db", data / "index", data / "blobs", data / "events",
        data / "archive", data / "pages",
    )  # fmt: skip
    return replace(inside, **elsewhere)


def backup_of(place: BackupPlace, *more: Entry, parts: dict[str, PartSize] | None = None) -> Manifest:
    """A backup of the files above, and of whatever somebody else has put in."""
    entries = [
        Entry(part, path, len(data), 10**18, place.objects.store([data]).objects)
        for (part, path), data in FILES.items()
    ]
    entries = sorted([*entries, *more], key=lambda entry: entry.key)
    sizes: dict[str, PartSize] = {}
    for entry in entries:
        before = sizes.get(entry.part, PartSize())
        sizes[entry.part] = PartSize(before.files + 1, before.bytes + entry.size)
    listing = place.objects.store([b"".join(map(encode_entry, entries))]).objects
    return Manifest(FORMAT, "1", "0013", "me", datetime.now(UTC), sizes if parts is None else parts, listing)


def restore(place: BackupPlace, manifest: Manifest, where: Layout) -> None:
    check_landings(landings_of(where))
    Restoring(place, manifest, where, lambda _: None).run(lambda _: None)


def found(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


WHOLE = {
    "config.toml": b"[web]\n", "rss/day.xml": b"<rss/>", "tearsheet.db": b"database", "queues.db-pages/1.1": b"page",
    "queues.db": b"queues", "archive/2026/a.warc.gz": b"warc" * 1000,
}  # fmt: skip


@pytest.mark.parametrize("there", [False, True])
def test_everything_is_where_it_was(place, tmp_path, there):
    if there:
        (tmp_path / "new").mkdir()
    restore(place, backup_of(place), layout(tmp_path / "new"))
    assert found(tmp_path / "new") == WHOLE
    assert (tmp_path / "new/config.toml").stat().st_mtime_ns == 10**18
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        "archive", "config.toml", "queues.db", "queues.db-pages", "rss", "tearsheet.db",
    ]  # fmt: skip


def test_places_outside_the_folder_are_filled_too(place, tmp_path):
    for name in ("fast", "large"):
        (tmp_path / name).mkdir()
    (tmp_path / "fast/other.db").write_bytes(b"not ours")
    fast, large = tmp_path / "fast", tmp_path / "large/archive"
    where = layout(tmp_path / "new", database=fast / "t.db", broker=fast / "q.db", archive=large)
    restore(place, backup_of(place), where)
    assert found(fast) == {"other.db": b"not ours", "t.db": b"database", "q.db": b"queues", "q.db-pages/1.1": b"page"}
    assert found(large) == {"2026/a.warc.gz": b"warc" * 1000}
    assert found(tmp_path / "new") == {"config.toml": b"[web]\n", "rss/day.xml": b"<rss/>"}


def test_what_a_server_keeps_is_not_written(place, tmp_path):
    restore(place, backup_of(place), layout(tmp_path / "new", database=None, broker=None))
    assert "tearsheet.db" not in found(tmp_path / "new") and "queues.db" not in found(tmp_path / "new")


def test_nothing_is_written_over(place, tmp_path):
    new, outside = tmp_path / "new", tmp_path / "outside"
    new.mkdir()
    (new / "precious").write_bytes(b"x")
    with pytest.raises(UsageError, match=r"is not empty \(it has 'precious'\)"):
        check_landings(landings_of(layout(new)))
    (new / "precious").unlink()
    outside.write_bytes(b"precious")
    for part in ({"database": outside}, {"archive": outside}):
        with pytest.raises(UsageError, match="is there already"):
            check_landings(landings_of(layout(new, **part)))
    with pytest.raises(EngineError, match="mount its disk"):
        check_landings(landings_of(layout(new, archive=tmp_path / "away" / "archive")))


@pytest.mark.parametrize("path", ["../../stolen", "/stolen", "a/../../stolen"])
def test_nothing_is_written_elsewhere(place, tmp_path, path):
    manifest = backup_of(place, Entry("folder", path, 0, 0, ()))
    with pytest.raises(DamagedBackup):
        restore(place, manifest, layout(tmp_path / "new"))
    assert not list(tmp_path.rglob("stolen"))


@pytest.mark.parametrize(("name", "path"), [("config.toml", "config.toml/x"), ("rss", "rss")])
def test_a_name_is_a_file_or_a_folder(place, tmp_path, name, path):
    with pytest.raises(DamagedBackup):
        restore(
            place,
            backup_of(place, Entry("folder", path, 0, 0, ()), Entry("folder", name, 0, 0, ())),
            layout(tmp_path / "n"),
        )


def test_files_of_two_parts_in_one_place_are_refused(place, tmp_path):
    """Somebody has put a file into one part that would be that of another."""
    manifest = backup_of(place, Entry("folder", "tearsheet.db", 0, 0, ()))
    with pytest.raises(StorageError, match="File exists"):
        restore(place, manifest, layout(tmp_path / "new"))


def test_damage_is_found_before_anything_is_in_its_place(place, tmp_path):
    manifest = backup_of(place)
    (digest,) = place.objects.store([b"warc" * 1000]).objects
    place._blobs.put(f"objects/{digest[:2]}/{digest}", b"something else")
    with pytest.raises(DamagedBackup):
        restore(place, manifest, layout(tmp_path / "new"))
    assert [path.name for path in (tmp_path / "new").iterdir()] == [RESTORING]
    place.objects.remove(digest)
    place._blobs.put(f"objects/{digest[:2]}/{digest}", zstandard.compress(b"warc" * 1000))
    restore(place, manifest, layout(tmp_path / "new"))
    assert found(tmp_path / "new") == WHOLE


def test_an_entry_that_lies_about_its_size_is_refused(place, tmp_path):
    wrong = Entry("pages", "a", 3, 0, place.objects.store([b"four"]).objects)
    with pytest.raises(DamagedBackup, match="4 bytes instead of 3"):
        restore(place, backup_of(place, wrong), layout(tmp_path / "new"))


def test_a_listing_that_is_not_the_manifests_is_refused(place, tmp_path):
    with pytest.raises(DamagedBackup, match="not the one that its manifest describes"):
        restore(place, backup_of(place, parts={"folder": PartSize(1, 1)}), layout(tmp_path / "new"))


class Killed(BaseException):
    pass


@pytest.mark.parametrize("after", range(12))
def test_interrupted_at_any_step_it_is_finished_or_begun_anew(place, tmp_path, monkeypatch, after):
    manifest, where = backup_of(place), layout(tmp_path / "new", archive=tmp_path / "archive")
    steps = 0

    def counted(real):
        def step(*arguments, **more):
            nonlocal steps
            steps += 1
            if steps > after:
                raise Killed
            return real(*arguments, **more)

        return step

    with monkeypatch.context() as patch:
        for owner, name in ((os, "utime"), (Path, "rename"), (Path, "mkdir")):
            patch.setattr(owner, name, counted(getattr(owner, name)))
        patch.setattr("tearsheet.backup.restoring.write_whole", counted(write_whole))
        try:
            restore(place, manifest, where)
        except Killed:
            assert (tmp_path / "new" / RESTORING).exists() or found(tmp_path / "new") in ({}, _without_archive())
    if not finish_interrupted(where.data) and not (where.data / "config.toml").exists():
        restore(place, manifest, where)
    assert found(where.data) == _without_archive()
    assert found(where.archive) == {"2026/a.warc.gz": b"warc" * 1000}
    assert not (where.data / RESTORING).exists()


def _without_archive() -> dict[str, bytes]:
    return {path: data for path, data in WHOLE.items() if not path.startswith("archive")}


def test_one_restore_at_a_time(place, tmp_path):
    manifest, where = backup_of(place), layout(tmp_path / "new")

    def again(_: Layout) -> None:
        with pytest.raises(BusyError, match="another restore"):
            Restoring(place, manifest, where, lambda _: None).run(lambda _: None)

    Restoring(place, manifest, where, lambda _: None).run(again)
    assert found(where.data) == WHOLE
