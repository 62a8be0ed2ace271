"""What was archived is checked from end to end, and nothing that was changed goes unseen."""

import hashlib

import pytest

from tearsheet.archive import StoryArchiveWriter
from tearsheet.archive.names import cdxj_name
from tearsheet.archive.profiles import PROFILES
from tearsheet.archive.verify import digest_holds, verify_file
from tearsheet.pipeline.archiver import Archiver
from tests.support.archive_stories import PAGE, archive_all, plain_story


@pytest.fixture(params=PROFILES)
def archived(request, tmp_path, store):
    folder = tmp_path / "a"
    archive_all(Archiver(store, folder, profile=request.param), [plain_story(n, PAGE * (1 + n // 2)) for n in range(6)])
    (file,) = store.files()
    return file, file.local_path(folder)


def problems(store, archived):
    file, path = archived
    return [problem.what for problem in verify_file(path, file, store.captures_of_file(file.id)).problems]


def test_what_was_written_holds(store, archived):
    file, path = archived
    verdict = verify_file(path, file, store.captures_of_file(file.id))
    assert verdict.problems == []
    assert verdict.stories == 6
    assert verdict.size == file.size


def test_every_changed_byte_is_seen(store, archived):
    _, path = archived
    data = path.read_bytes()
    for at in range(0, len(data), max(1, len(data) // 60)):
        changed = bytearray(data)
        changed[at] ^= 0x10
        path.write_bytes(changed)
        assert any(what.startswith("SHA-256") for what in problems(store, archived))
    path.write_bytes(data[:-1])
    assert any("cut off" in what for what in problems(store, archived))
    path.write_bytes(data)
    assert problems(store, archived) == []


def test_a_missing_file_and_a_missing_index_are_named(store, archived):
    _, path = archived
    index = path.with_name(cdxj_name(path.name))
    text = index.read_text()
    index.write_text(text.replace("200", "404", 1))
    assert problems(store, archived) == [f"{index.name} does not match the file"]
    index.unlink()
    assert [what.split(";")[0] for what in problems(store, archived)] == [f"{index.name} is missing"]
    path.unlink()
    assert problems(store, archived) == [f"the file is missing: {path}"]


def test_a_page_that_was_exchanged_is_seen_even_when_every_digest_was_made_anew(store, archived, tmp_path):
    _, path = archived
    other = tmp_path / "b"
    stories = [plain_story(n, PAGE * (1 + n // 2)) for n in range(6)]
    stories[3].raw_html.html = b"<html>another page</html>"
    with StoryArchiveWriter(other) as writer:
        for story in stories:
            writer.write(story)
    path.write_bytes(writer.close().path.read_bytes())
    found = problems(store, archived)
    assert any(stories[3].id in what for what in found)


def test_digests_of_every_kind_are_read():
    sha1_of_x = "sha1:CH3DWDLOL32UJS4D2BUYYIO6LZ5UQYZY"
    assert digest_holds("sha1:" + hashlib.sha1(b"x").hexdigest(), b"x") is True
    assert digest_holds("SHA-256:" + hashlib.sha256(b"x").hexdigest(), b"x") is True
    assert digest_holds("md5:" + hashlib.md5(b"x").hexdigest().upper(), b"x") is True
    assert digest_holds(sha1_of_x, b"y") is False
    assert digest_holds("blake3:00", b"x") is None
    assert digest_holds("sha1:!!", b"x") is None
