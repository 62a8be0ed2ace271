"""A place that backups are kept in: whose it is, which backups count, what is deleted, what is found to be damaged."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tearsheet.backup.manifest import FORMAT, OBJECT_BYTES, DamagedBackup, Entry, Manifest, PartSize, encode_entry
from tearsheet.backup.place import MARKER, BackupPlace, Verified
from tearsheet.engines.blobs import Blobs
from tearsheet.engines.blobs.folder import FolderBlobs
from tearsheet.errors import EngineError, NotFoundError, UsageError
from tests.support.blob_stores import BLOBS

MOMENT = datetime(2026, 11, 18, 4, 8, 24, 700_000, tzinfo=UTC)


@pytest.fixture(params=BLOBS)
def blobs(request, tmp_path) -> Iterator[Blobs]:
    harness = request.param()
    harness.prepare(tmp_path)
    yield harness.open()
    harness.remove()


@pytest.fixture
def place(blobs) -> Iterator[BackupPlace]:
    with BackupPlace(blobs, "the place") as place:
        place.begin("me")
        yield place


def keep(place: BackupPlace, day: int, **files: bytes) -> str:
    """A backup with these files."""
    entries = []
    for name, data in sorted(files.items()):
        stored = place.objects.store([data[at : at + OBJECT_BYTES] for at in range(0, len(data), OBJECT_BYTES)])
        entries.append(Entry("folder", name, stored.size, 0, stored.objects))
    listing = place.objects.store([b"".join(map(encode_entry, entries))]).objects
    moment = MOMENT + timedelta(days=day)
    parts = {"folder": PartSize(len(entries), sum(entry.size for entry in entries))}
    return place.write(Manifest(FORMAT, "1", "0013", "me", moment, parts, listing))


def content(place: BackupPlace, name: str) -> dict[str, bytes]:
    return {entry.path: b"".join(place.objects.read(entry.objects)) for entry in place.entries(place.read(name))}


def verified(place: BackupPlace) -> Verified:
    return list(place.verify())[-1]


def test_what_is_stored_comes_back(place):
    files = {
        "small": b"x",
        "empty": b"",
        "large": random.Random(1).randbytes(2 * OBJECT_BYTES + 5),
        "zeros": bytes(10**6),
    }
    name = keep(place, 0, **files)
    assert content(place, name) == files
    assert place.names() == [name]
    assert verified(place).problems == []


def test_what_is_there_is_not_sent_again(place):
    data = os.urandom(1000)
    assert place.objects.store([data]).sent > 1000
    assert place.objects.store([data]).sent == 0
    other = place.objects.__class__(place._blobs)
    other.look_around()
    assert other.store([data]).sent == 0
    assert other.has(place.objects.store([data]).objects) and not other.has(["00" * 32])
    other.close()


def test_a_place_belongs_to_one_data_folder(place):
    place.check()
    place.check("me")
    with pytest.raises(UsageError, match="another data folder"):
        place.check("you")
    with pytest.raises(UsageError, match="in use already"):
        place.begin("me")


def test_a_place_without_backups_is_not_made_by_looking(blobs):
    with BackupPlace(blobs, "the place") as place:
        with pytest.raises(NotFoundError, match=r"mount its disk.*--new"):
            place.check("me")
        assert list(blobs.list()) == []


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with BackupPlace(FolderBlobs(tmp_path / "away" / "place", at_home=False), "x") as place:
        for look in (place.check, place.names, lambda: place.begin("me")):
            with pytest.raises(EngineError, match="there is no folder"):
                look()
    assert list(tmp_path.iterdir()) == []


def test_the_newest_before_a_time_is_found(place):
    with pytest.raises(NotFoundError, match="no finished backup"):
        place.find()
    first, second = keep(place, 0), keep(place, 1)
    assert place.find() == second
    assert place.find(MOMENT) == first
    assert place.find(MOMENT.replace(microsecond=0)) == first, "the second that the list shows"
    assert place.find(MOMENT + timedelta(hours=30)) == second
    with pytest.raises(NotFoundError, match="the first is of 2026-11-18"):
        place.find(MOMENT - timedelta(seconds=1))


def test_old_backups_are_deleted_and_the_others_stay_whole(place):
    names = [keep(place, day, same=b"same" * 99, own=f"of day {day}".encode() * 99) for day in range(4)]
    assert place.prune(9).backups == []
    would = place.prune(2, dry_run=True)
    assert would.backups == names[:2] and place.names() == names
    assert place.prune(2) == would
    assert place.names() == names[2:]
    assert content(place, names[3]) == {"same": b"same" * 99, "own": b"of day 3" * 99}
    report = verified(place)
    assert (report.backups, report.objects, report.problems) == (2, 5, [])
    assert len(list(place.objects.all())) == 5


def test_the_remains_of_an_interrupted_backup_count_for_nothing_and_are_removed(place):
    name = keep(place, 0, a=b"a")
    place.objects.store([b"never listed"])
    assert place.names() == [name]
    pruned = place.prune(1)
    assert (pruned.backups, pruned.objects) == ([], 1)
    assert content(place, name) == {"a": b"a"}


def test_nothing_is_deleted_while_a_backup_that_stays_cannot_be_read(place):
    keep(place, 0, a=b"a")
    damaged = keep(place, 1, a=b"b")
    blobs = place._blobs
    blobs.put(f"backups/{damaged}", b"{}")
    before = [info.key for info in blobs.list()]
    with pytest.raises(DamagedBackup):
        place.prune(1)
    assert [info.key for info in blobs.list()] == before


def test_a_damaged_object_is_named_with_its_file(place):
    keep(place, 0, a=b"first", b=b"second")
    keep(place, 1, a=b"first", b=b"third")
    (digest,) = place.objects.store([b"first"]).objects
    key = f"objects/{digest[:2]}/{digest}"
    packed = place._blobs.get(key)
    for wrong in (packed[:-1], b"", b"not zstd", place._blobs.get(_other(place, key))):
        place._blobs.put(key, wrong)
        (problem,) = verified(place).problems
        assert digest in problem and "folder a" in problem
    place._blobs.delete(key)
    assert "is missing" in verified(place).problems[0]
    listing = place.read(place.names()[0]).listing[0]
    place._blobs.delete(f"objects/{listing[:2]}/{listing}")
    assert (
        len(verified(place).problems) == 3
    )  # the object of the listing, the backup that needs it, and `first` of the other


def _other(place: BackupPlace, key: str) -> str:
    return next(info.key for info in place._blobs.list("objects/*") if info.key != key)


def test_an_object_that_would_fill_the_memory_is_refused(place):
    import zstandard

    packer = zstandard.ZstdCompressor()
    declared, undeclared = packer.compress(bytes(OBJECT_BYTES + 1)), packer.compressobj()
    bombs = (
        declared,
        bytes.fromhex("28b52ffde0ffffffffffffff7f"),  # eight exabytes, by its own words
        undeclared.compress(bytes(20 * OBJECT_BYTES)) + undeclared.flush(),
        bytes(2 * OBJECT_BYTES),
    )
    for bomb in bombs:
        place._blobs.put(f"objects/00/{'00' * 32}", bomb)
        with pytest.raises(DamagedBackup):
            list(place.objects.read(["00" * 32]))


def test_a_marker_that_cannot_be_read_is_told(place):
    place._blobs.put(MARKER, b"\xff")
    with pytest.raises(DamagedBackup, match="cannot be read"):
        place.check()


@pytest.mark.parametrize(
    "marker", [b"", b"no JSON", b"[]", b"\xff", b'{"folder":' + b"[" * 9_000, b'{"a":' + b"[" * 9_000, b" " * 20_000]
)
def test_a_marker_that_a_stranger_wrote_is_damage(blobs, marker):
    blobs.put(MARKER, marker)
    with (
        BackupPlace(blobs, "the place") as place,
        pytest.raises(DamagedBackup, match=f"{MARKER} in the place cannot be read"),
    ):
        place.check()
