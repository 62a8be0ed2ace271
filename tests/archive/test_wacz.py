"""A WACZ holds what was chosen, says so by digests, and is whole or not there."""

import hashlib
import io
import json
import struct
import zipfile

import pytest

from tearsheet.archive import StoryArchiveReader
from tearsheet.archive.captures import Captures
from tearsheet.archive.profiles import PROFILES
from tearsheet.archive.verify import verify_file
from tearsheet.archive.wacz import write_wacz
from tearsheet.errors import NotFoundError
from tearsheet.pipeline.archiver import Archiver
from tests.support.archive_stories import PAGE, archive_all, plain_story


@pytest.mark.parametrize("profile", PROFILES)
def test_chosen_captures_are_packed(tmp_path, store, profile):
    folder = tmp_path / "a"
    stories = [plain_story(n, PAGE) for n in range(6)]
    for half in (stories[:3], stories[3:]):
        archive_all(Archiver(store, folder, profile=profile), half)
    chosen = [stories[n] for n in (4, 1, 2)]  # in `full`, all but the first of a file are revisits
    captures = store.captures_of_stories([story.id for story in chosen]).values()
    target = tmp_path / "out.wacz"
    packed = write_wacz(target, captures, Captures(store, folder), title="Chosen", description="a query")
    assert (packed.pages, packed.missing, packed.size) == (3, [], target.stat().st_size)
    with zipfile.ZipFile(target) as archive:
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
        contents = {name: archive.read(name) for name in archive.namelist()}
    assert set(contents) == {
        "archive/data.warc.gz", "indexes/index.cdxj", "pages/pages.jsonl", "datapackage.json", "datapackage-digest.json",
    }  # fmt: skip
    package = json.loads(contents["datapackage.json"])
    assert package["wacz_version"] == "1.1.1"
    for resource in package["resources"]:
        data = contents[resource["path"]]
        assert (resource["bytes"], resource["hash"]) == (len(data), f"sha256:{hashlib.sha256(data).hexdigest()}")
    digest = json.loads(contents["datapackage-digest.json"])
    assert digest["hash"] == f"sha256:{hashlib.sha256(contents['datapackage.json']).hexdigest()}"
    found = {story.id: story for story in StoryArchiveReader(io.BytesIO(contents["archive/data.warc.gz"]))}
    assert found == {story.id: story for story in chosen}
    (tmp_path / "data.warc.gz").write_bytes(contents["archive/data.warc.gz"])
    assert verify_file(tmp_path / "data.warc.gz").problems == []
    pages = [json.loads(line) for line in contents["pages/pages.jsonl"].splitlines()]
    assert {page["url"] for page in pages[1:]} == {story.url for story in chosen}
    for line in contents["indexes/index.cdxj"].decode().splitlines():
        entry = json.loads(line.split(" ", 2)[2])
        raw = contents["archive/data.warc.gz"][int(entry["offset"]) :][: int(entry["length"])]
        assert len(list(StoryArchiveReader(io.BytesIO(raw)).records())) == 1
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_an_entry_has_an_extra_field_in_the_directory_wherever_it_has_one_before_its_data(tmp_path, store):
    """Without it ReplayWeb.page begins to read too early, and opens nothing."""
    archive_all(Archiver(store, tmp_path / "a"), [plain_story(1)])
    captures = store.captures_of_stories([plain_story(1).id]).values()
    write_wacz(tmp_path / "out.wacz", captures, Captures(store, tmp_path / "a"))
    data = (tmp_path / "out.wacz").read_bytes()
    with zipfile.ZipFile(tmp_path / "out.wacz") as archive:
        for info in archive.infolist():
            (before,) = struct.unpack_from("<H", data, info.header_offset + 28)
            assert bool(before) <= bool(info.extra), info.filename


def test_parts_of_a_page_are_packed_and_are_no_pages(tmp_path, store):
    folder = tmp_path / "a"
    stories = [plain_story(n, PAGE + bytes([n])) for n in range(3)]
    archive_all(Archiver(store, folder), stories)
    page, *parts = (store.captures_of_stories([story.id])[story.id] for story in stories)
    packed = write_wacz(tmp_path / "out.wacz", [page, page], Captures(store, folder), parts=[*parts, page, page])
    assert (packed.pages, packed.missing) == (1, [])
    with zipfile.ZipFile(tmp_path / "out.wacz") as archive:
        assert len(archive.read("pages/pages.jsonl").splitlines()) == 2
        found = [json.loads(line.split(" ", 2)[2]) for line in archive.read("indexes/index.cdxj").decode().splitlines()]
    assert [entry["url"] for entry in found if entry["status"] == "200"] == [story.url for story in stories]


def test_a_capture_that_cannot_be_read_is_named(tmp_path, store):
    folder = tmp_path / "a"
    for n in range(2):
        archive_all(Archiver(store, folder), [plain_story(n)])
    captures = list(store.captures_of_stories([plain_story(n).id for n in range(2)]).values())
    captures[0].file.local_path(folder).unlink()
    target = tmp_path / "out.wacz"
    packed = write_wacz(target, captures, Captures(store, folder))
    assert (packed.pages, packed.missing) == (1, [captures[0].story_id])
    captures[1].file.local_path(folder).unlink()
    before = target.read_bytes()
    with pytest.raises(NotFoundError, match="nothing to pack"):
        write_wacz(target, captures, Captures(store, folder))
    assert target.read_bytes() == before
