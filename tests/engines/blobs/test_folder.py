"""A folder as a store: never made by reading, and outside the data folder not by writing either."""

from __future__ import annotations

import pytest

from tearsheet.engines.blobs.opener import open_blobs
from tearsheet.errors import EngineError, NotFoundError

READS = {
    "get": lambda blobs: blobs.get("a"),
    "open": lambda blobs: blobs.open("a"),
    "read": lambda blobs: blobs.read("a", 0, 1),
    "head": lambda blobs: blobs.head("a"),
    "list": lambda blobs: list(blobs.list()),
    "list of one": lambda blobs: list(blobs.list("a")),
    "versions": lambda blobs: blobs.versions("a"),
    "delete": lambda blobs: blobs.delete("a"),
    "put": lambda blobs: blobs.put("a", b"x"),
}


@pytest.mark.parametrize("call", READS)
def test_a_place_elsewhere_that_is_not_there_is_an_error_and_stays_away(tmp_path, call):
    (tmp_path / "data").mkdir()
    blobs = open_blobs(f"file://{tmp_path}/disk/copies", tmp_path / "data", setting="archive.stores")
    with pytest.raises(
        EngineError, match=rf"archive\.stores: there is no folder {tmp_path}/disk: mount its disk"
    ) as caught:
        READS[call](blobs)
    assert f"mkdir -p {tmp_path}/disk/copies" in str(caught.value)
    assert caught.value.exit_code == 7
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_new_place_elsewhere_is_made_when_the_folder_above_is_there(tmp_path):
    (tmp_path / "data").mkdir()
    blobs = open_blobs(f"{tmp_path}/disk/copies", tmp_path / "data")
    with pytest.raises(EngineError, match="there is no folder"):
        blobs.make()
    (tmp_path / "disk").mkdir()
    blobs.make()
    blobs.put("a", b"x")
    assert (tmp_path / "disk" / "copies" / "a").read_bytes() == b"x"


def test_in_the_data_folder_a_missing_store_is_empty_and_the_first_blob_makes_it(tmp_path):
    blobs = open_blobs("blobs", tmp_path)
    assert (list(blobs.list()), blobs.head("a")) == ([], None)
    with pytest.raises(NotFoundError):
        blobs.get("a")
    blobs.delete("a")
    assert list(tmp_path.iterdir()) == []
    blobs.put("a", b"x")
    assert (tmp_path / "blobs" / "a").read_bytes() == b"x"


def test_a_link_to_a_disk_that_is_not_mounted_is_a_place_elsewhere(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "copies").symlink_to(tmp_path / "disk" / "copies")
    blobs = open_blobs("copies", data)
    with pytest.raises(EngineError, match="mount its disk"):
        blobs.put("a", b"x")
    (tmp_path / "disk" / "copies").mkdir(parents=True)
    blobs.put("a", b"x")
    assert (tmp_path / "disk" / "copies" / "a").is_file()
