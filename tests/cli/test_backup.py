"""`tearsheet backup` and `tearsheet restore`, as they are typed."""

from __future__ import annotations

import json
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace
from typer.testing import Result

from tearsheet.backup import BackupPlace, moment_of
from tearsheet.cli import backup as command
from tearsheet.engines.blobs.folder import FolderBlobs
from tearsheet.errors import UsageError
from tests.support.moved_archive import collect, move_away, open_moving
from tests.support.second_disk import second_disk
from tests.support.tearsheet_command import in_process
from tests.support.web_seed import open_services


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with open_services(tmp_path / "data") as services:
        collect(services, range(3))
    return tmp_path / "data"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "place"


def said(result: Result, code: int = 0) -> str:
    assert result.exit_code == code, (result.output, result.exception)
    return " ".join(result.output.split())


def test_a_backup_is_made_listed_checked_and_brought_back(data, place, tmp_path):
    assert "begin there with" in said(in_process("backup", place, data=data), 7)
    assert "files unchanged" in said(in_process("backup", place, "--new", data=data))
    second = json.loads(in_process("backup", place, "--json", data=data).stdout)
    assert (second["sent"], second["left_out"]) == (0, []) and second["parts"]["archive"]["files"] == 2
    assert said(in_process("backup", place, "--list", data=data)).count("0.1.0") == 2
    assert len(json.loads(in_process("backup", place, "--list", "--json", data=data).stdout)) == 2
    assert "2 backups" in said(in_process("backup", place, "--verify", data=data))
    new = tmp_path / "new"
    assert "would be restored" in said(in_process("restore", place, "--dry-run", data=new))
    assert not new.exists()
    assert "(3 stories can be searched)" in said(in_process("restore", place, "--data", new, data=data))
    assert "3 of 3 stories" in said(in_process("count", "*", data=new))
    assert "is not empty" in said(in_process("restore", place, data=new), 2)


def test_old_backups_are_shown_and_then_deleted(data, place):
    for words in (("--new",), (), ()):
        said(in_process("backup", place, *words, data=data))
    assert "2 backups" in said(in_process("backup", place, "--keep", "1", "--dry-run", data=data))
    kept = json.loads(in_process("backup", place, "--keep", "1", "--json", data=data).stdout)
    assert len(kept["deleted"]["backups"]) == 3
    assert len(json.loads(in_process("backup", place, "--list", "--json", data=data).stdout)) == 1


def test_what_is_missing_is_said_and_ends_with_3(data, place):
    (data / "linked").symlink_to(place)
    told = said(in_process("backup", place, "--new", "--keep", "1", data=data), 3)
    assert "not in the backup (links)" in told and "old backups were kept" in told
    assert "symbolic link" in said(in_process("backup", place, "--without", "links", data=data))


def test_a_restore_from_nowhere_is_not_told_to_make_a_backup(data, place, tmp_path):
    missing = said(in_process("restore", place, data=tmp_path / "new"), 7)
    assert "mount its disk, or name the place where the backups are" in missing and "--new" not in missing
    place.mkdir()
    empty = said(in_process("restore", place, data=tmp_path / "new"), 5)
    assert "there are no backups in" in empty and "--new" not in empty
    assert "--new" in said(in_process("backup", place, data=data), 5)


def names_of(place: Path) -> set[str]:
    return {path.name for path in (place / "backups").iterdir()}


def test_a_rotten_archive_file_costs_no_good_backup(data, place, tmp_path):
    said(in_process("backup", place, "--new", data=data))
    good = names_of(place)
    (warc,) = (data / "archive").rglob("*.warc.gz")
    content = bytearray(warc.read_bytes())
    content[100:104] = bytes(byte ^ 255 for byte in content[100:104])
    warc.write_bytes(content)
    for _ in range(2):
        told = said(in_process("backup", place, "--keep", "1", data=data), 3)
        assert warc.name in told and "old backups were kept" in told
    assert good < names_of(place)
    moment = moment_of(*good)
    assert moment is not None
    said(in_process("restore", place, "--at", moment.isoformat(), data=tmp_path / "new"))
    (whole,) = (tmp_path / "new/archive").rglob("*.warc.gz")
    warc.write_bytes(whole.read_bytes())
    said(in_process("backup", place, "--keep", "1", data=data))
    assert len(names_of(place)) == 1


def test_a_clock_that_was_wrong_costs_no_backup(data, place):
    said(in_process("backup", place, "--new", data=data))
    (made,) = names_of(place)
    with BackupPlace(FolderBlobs(place), "the place") as backups:
        wrong = backups.write(replace(backups.read(made), moment=datetime(2036, 1, 1, tzinfo=UTC)))
    (place / "backups" / made).unlink()
    told = said(in_process("backup", place, "--keep", "1", data=data), 3)
    assert "a backup of 2036-01-01T00:00:00Z, which seems to be later" in told
    (right,) = names_of(place) - {wrong}
    (place / "backups" / wrong).unlink()
    said(in_process("backup", place, "--keep", "2", data=data))
    assert right in names_of(place)


@pytest.mark.parametrize(("lost", "code"), [("tearsheet.db", 7), ("archive", 3), ("index", 3)])
def test_a_lost_part_costs_no_good_backup(data, place, lost, code):
    said(in_process("backup", place, "--new", data=data))
    good = names_of(place)
    (data / lost).rename(data.parent / "lost")
    for _ in range(2):
        assert lost in said(in_process("backup", place, "--keep", "1", data=data), code)
    assert good <= names_of(place)
    if lost == "tearsheet.db":  # a command that makes a new one hides nothing
        said(in_process("feeds", "list", data=data))
        assert "knows none of the archive files" in said(in_process("backup", place, "--keep", "1", data=data), 3)
        assert good <= names_of(place)
    if lost != "archive":
        said(in_process("backup", place, "--keep", "1", "--without", "gone", data=data))
        assert len(names_of(place)) == 1


def test_archive_files_that_a_store_has_are_not_missed(tmp_path, place):
    data = tmp_path / "moved"
    with open_moving(data) as services:
        collect(services, range(3))
        said(in_process("backup", place, "--new", data=data))
        move_away(services)
    assert "1 backup," in said(in_process("backup", place, "--keep", "1", data=data))


def test_a_restore_says_what_it_cannot_bring_back(data, place, tmp_path):
    (data / "linked").symlink_to(place)
    said(in_process("backup", place, "--new", data=data), 3)
    assert "bring it back yourself" in said(in_process("restore", place, data=tmp_path / "new"), 3)
    said(in_process("backup", place, "--without", "links", data=data))
    report = in_process("restore", place, "--json", data=tmp_path / "newer")
    assert report.exit_code == 0
    assert json.loads(report.stdout)["stories"] == 3


def test_damage_is_said_and_ends_with_3(data, place, tmp_path):
    said(in_process("backup", place, "--new", data=data))
    largest = max((place / "objects").rglob("*"), key=lambda path: path.stat().st_size if path.is_file() else 0)
    largest.write_bytes(b"?")
    told = said(in_process("backup", place, "--verify", data=data), 3)
    assert largest.name in told and "delete them" in told
    assert json.loads(in_process("backup", place, "--verify", "--json", data=data).stdout)["problems"]
    told = said(in_process("restore", place, data=tmp_path / "new"), 1)
    assert largest.name in told and "--despite-damage" in told
    told = said(in_process("restore", place, "--despite-damage", data=tmp_path / "new"), 3)
    assert "damaged, and not restored: database: tearsheet.db" in told and "1 file is damaged in the backup" in told
    said(in_process("archive", "index", data=tmp_path / "new"))
    assert "3 of 3 stories" in said(in_process("count", "*", data=tmp_path / "new"))
    largest.unlink()
    said(in_process("backup", place, data=data))
    assert "0 problems" in said(in_process("backup", place, "--verify", data=data))


@pytest.mark.parametrize("harm", ["missing", "cut short"])
def test_a_dry_run_finds_the_damage_that_a_restore_would(data, place, tmp_path, harm):
    said(in_process("backup", place, "--new", data=data))
    largest = max((place / "objects").rglob("*"), key=lambda path: path.stat().st_size if path.is_file() else 0)
    content = largest.read_bytes()
    largest.unlink()
    if harm == "cut short":
        largest.write_bytes(content[:-9])
    new = tmp_path / "new"
    assert largest.name in said(in_process("restore", place, "--dry-run", data=new), 1)
    would = said(in_process("restore", place, "--dry-run", "--despite-damage", data=new), 3)
    assert "damaged, and would not be restored: database: tearsheet.db" in would and largest.name in would
    assert not new.exists()


def test_what_was_not_restored_is_not_counted_as_restored(data, place, tmp_path):
    made = json.loads(in_process("backup", place, "--new", "--json", data=data).stdout)
    database = made["parts"]["database"]
    largest = max((place / "objects").rglob("*"), key=lambda path: path.stat().st_size if path.is_file() else 0)
    largest.unlink()
    counted = f"{made['files'] - 1:,} files, {made['bytes'] - database['bytes']:,} bytes of"
    would = said(in_process("restore", place, "--dry-run", "--despite-damage", data=tmp_path / "new"), 3)
    assert counted in would
    assert counted in said(in_process("restore", place, "--despite-damage", data=tmp_path / "new"), 3)
    report = in_process("restore", place, "--despite-damage", "--json", data=tmp_path / "newer")
    summary = json.loads(report.stdout)
    assert (summary["files"], summary["bytes"]) == (made["files"] - 1, made["bytes"] - database["bytes"])


def test_a_backup_that_cannot_be_read_is_listed_apart(data, place):
    said(in_process("backup", place, "--new", data=data))
    (first,) = (place / "backups").iterdir()
    said(in_process("backup", place, data=data))
    first.write_bytes(b"{}")
    told = said(in_process("backup", place, "--list", data=data), 3)
    assert told.count("0.1.0") == 1 and f"the backup {first.name} is damaged" in told


def test_an_empty_place_is_not_said_to_be_whole(data, place):
    said(in_process("backup", place, "--new", data=data))
    for path in (place / "backups").iterdir():
        path.unlink()
    assert "has no finished backup" in said(in_process("backup", place, "--list", data=data))
    assert "nothing to check" in said(in_process("backup", place, "--verify", data=data), 3)
    assert "has no finished backup" in said(in_process("restore", place, data=data.parent / "new"), 5)


@pytest.mark.parametrize(
    "words", [("--list", "--verify"), ("--dry-run",), ("--list", "--keep", "2"), ("--verify", "--new"), ("--keep", "0")]
)
def test_what_makes_no_sense_together_is_refused(tmp_path, place, words):
    place.mkdir()
    (place / "tearsheet-backups.json").write_text('{"folder": "x"}')
    assert in_process("backup", place, *words, data=tmp_path / "data").exit_code == 2


def test_backups_are_for_their_owner_alone(data, place):
    said(in_process("backup", place, "--new", data=data))
    for path in (place, *place.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_a_place_on_the_same_disk_is_warned_of_and_one_on_another_is_not(data, tmp_path):
    assert "on the disk of the data folder" in said(in_process("backup", tmp_path / "place", "--new", data=data))
    with second_disk(tmp_path) as disk:
        assert "on the disk of" not in said(in_process("backup", disk / "place", "--new", data=data))


def test_a_day_means_its_end():
    assert command._until("2026-11-15") == datetime(2026, 11, 15, 23, 59, 59, 999999, UTC)
    assert command._until("2026-11-15T08:30:00") == datetime(2026, 11, 15, 8, 30, tzinfo=UTC)
    assert command._until("") is None
    with pytest.raises(UsageError, match="is not a time"):
        command._until("yesterday")


def test_a_restore_that_was_interrupted_at_its_end_is_finished(data, place, tmp_path, monkeypatch):
    said(in_process("backup", place, "--new", data=data))
    new = tmp_path / "new"
    with monkeypatch.context() as patch:
        patch.setattr("tearsheet.backup.restoring._finish", lambda landings: (_ for _ in ()).throw(KeyboardInterrupt))
        assert in_process("restore", place, data=new).exit_code == 11
    assert "has not ended" in said(in_process("count", "*", data=new), 16)
    assert "is finished" in said(in_process("restore", place, data=new))
    assert "3 of 3 stories" in said(in_process("count", "*", data=new))
