"""A WACZ file is read where it lies, and what is wrong with it is said."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tearsheet.archive.captures import Captures, Walked, walk_paths
from tearsheet.archive.wacz import write_wacz
from tearsheet.pipeline.archiver import Archiver
from tests.support.archive_stories import PAGE, archive_all, plain_story


def read(path: Path) -> tuple[list[str], list[str]]:
    """The ids of its stories, and what could not be read."""
    walked = Walked()
    ids = [archived.story.id for archived in walk_paths([path], walked)]
    return ids, [problem.what for problem in walked.problems]


@pytest.fixture
def wacz(tmp_path, store) -> tuple[Path, list[str]]:
    stories = [plain_story(n, PAGE + str(n).encode()) for n in range(3)]
    archive_all(Archiver(store, tmp_path / "a"), stories)
    target = tmp_path / "b" / "out.wacz"
    target.parent.mkdir()
    ids = [story.id for story in stories]
    write_wacz(target, store.captures_of_stories(ids).values(), Captures(store, tmp_path / "a"), title="All")
    return target, ids


def test_the_stories_of_a_wacz_are_read_also_from_a_folder(wacz):
    path, ids = wacz
    assert read(path) == (ids, [])
    assert read(path.parent) == (ids, [])


def test_other_files_and_packed_ones_are_refused(tmp_path):
    plain = tmp_path / "plain.wacz"
    plain.write_bytes(b"not a zip file")
    assert read(plain) == ([], ["cannot be read: File is not a zip file"])
    for name, method, told in (
        ("pages.txt", zipfile.ZIP_STORED, "there is no WARC file in it"),
        ("archive/a.warc", zipfile.ZIP_DEFLATED, "archive/a.warc is packed once more"),
    ):
        with zipfile.ZipFile(plain, "w", method) as outer:
            outer.writestr(name, b"WARC/1.0\r\n" * 50)
        assert told in read(plain)[1][0]


def test_a_damaged_wacz_is_read_as_far_as_it_goes(wacz):
    path, ids = wacz
    data = bytearray(path.read_bytes())
    at = data.index(b"\x1f\x8b\x08", data.index(b"\x1f\x8b\x08") + 100) + 60
    data[at : at + 40] = bytes(40)
    path.write_bytes(data)
    found, problems = read(path)
    assert problems and set(found) < set(ids)


def test_names_that_are_no_text_and_members_that_are_locked_are_told(tmp_path):
    path = tmp_path / "odd.wacz"
    with zipfile.ZipFile(path, "w") as outer:
        outer.writestr("archive/\u00fc.warc", b"WARC/1.0\r\n")
    whole = path.read_bytes()
    path.write_bytes(whole.replace("\u00fc".encode(), b"\xff\xff"))
    assert "can't decode byte 0xff" in read(path)[1][0]
    locked = bytearray(whole)
    locked[6] |= 1
    locked[whole.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(locked)
    assert "encrypted" in read(path)[1][0]
