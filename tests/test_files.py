"""Files are whole or not there, whatever happens while they are written."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tearsheet import files
from tearsheet.errors import StorageError
from tearsheet.files import TEMPORARY, make_folder, output_file, storage_errors, write_whole, written_aside


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path):
    target = tmp_path / "list.csv"
    target.write_bytes(b"old")
    with written_aside(target) as file:
        file.write(b"new")
        file.flush()
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == b"new"
    assert names(tmp_path) == ["list.csv"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_what_fails_leaves_the_old_file_and_no_draft(tmp_path: Path, error: BaseException):
    target = tmp_path / "list.csv"
    target.write_bytes(b"old")
    with pytest.raises(type(error)), written_aside(target) as file:
        file.write(b"half")
        raise error
    assert target.read_bytes() == b"old"
    assert names(tmp_path) == ["list.csv"]


def test_a_disk_that_does_not_take_the_file_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError, match="cannot write: No space left on device"), storage_errors("cannot write"):
        write_whole(tmp_path / "list.csv", b"new")
    assert names(tmp_path) == []


def test_a_draft_can_be_told_from_a_leftover(tmp_path: Path):
    aside = tmp_path / "aside"
    aside.mkdir()
    with written_aside(tmp_path / "list.csv", aside):
        (draft,) = aside.iterdir()
        assert draft.name.endswith(TEMPORARY)
        with draft.open("rb") as another, pytest.raises(BlockingIOError):
            fcntl.flock(another, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_bytes_and_names_are_synced_in_this_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    done: list[str] = []

    def noted(word: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            done.append(word)
            return call(*args)

        return run

    monkeypatch.setattr(os, "fsync", noted("bytes", os.fsync))
    monkeypatch.setattr(files, "sync_folder", noted("folder", files.sync_folder))
    monkeypatch.setattr(Path, "replace", noted("name", Path.replace))
    write_whole(tmp_path / "a", b"a")
    assert done == ["bytes", "name", "folder", "bytes"]  # the last is the folder's own
    done.clear()
    write_whole(tmp_path / "b", b"b", sync_name=False)
    assert done == ["bytes", "name"]


def test_folders_are_made_down_to_the_last(tmp_path: Path):
    make_folder(tmp_path / "a" / "b" / "c")
    make_folder(tmp_path / "a" / "b" / "c")
    assert (tmp_path / "a" / "b" / "c").is_dir()


def test_a_result_goes_where_the_user_said(tmp_path: Path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    with output_file(link) as file:
        file.write(b"new")
    assert (real.read_bytes(), link.is_symlink()) == (b"new", True)
    with output_file(Path(os.devnull)) as file:
        file.write(b"gone")
    assert Path(os.devnull).is_char_device()


def test_a_folder_that_is_missing_is_no_full_disk(tmp_path: Path):
    with pytest.raises(StorageError, match="make the folder first, or name another"), storage_errors("cannot write x"):
        (tmp_path / "none" / "x").write_bytes(b"")
    with pytest.raises(StorageError, match="free some disk space or check"), storage_errors("cannot write x"):
        raise OSError(28, "No space left on device")
