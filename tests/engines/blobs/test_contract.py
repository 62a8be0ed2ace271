"""The contract of the blobs port. Every adapter runs this suite, unchanged."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tearsheet.engines.blobs.port import Blobs
from tearsheet.errors import NotFoundError, UsageError
from tests.support.blob_stores import BLOBS, BlobsHarness


@pytest.fixture(params=BLOBS)
def harness(request, tmp_path: Path) -> Iterator[BlobsHarness]:
    ready: BlobsHarness = request.param()
    ready.prepare(tmp_path)
    yield ready
    ready.remove()


@pytest.fixture
def blobs(harness: BlobsHarness) -> Iterator[Blobs]:
    store = harness.open()
    yield store
    store.close()


def test_what_was_put_is_got_and_known(blobs):
    before = datetime.now(UTC) - timedelta(seconds=5)
    info = blobs.put("2026/11/a.warc.gz", b"page", content_type="application/warc")
    assert blobs.get("2026/11/a.warc.gz") == b"page"
    assert (info.key, info.size) == ("2026/11/a.warc.gz", 4)
    assert before < info.modified < datetime.now(UTC) + timedelta(seconds=5)
    head = blobs.head("2026/11/a.warc.gz")
    assert (head.key, head.size, head.version) == (info.key, info.size, info.version)


def test_an_empty_blob_is_a_blob(blobs):
    blobs.put("empty", b"")
    assert blobs.get("empty") == b""
    assert list(blobs.open("empty")) in ([], [b""])
    assert blobs.head("empty").size == 0


def test_the_newer_blob_replaces_the_older(blobs):
    blobs.put("k", b"old, and longer")
    blobs.put("k", b"new")
    assert blobs.get("k") == b"new"
    assert [info.size for info in blobs.list("*")] == [3]


def test_a_local_file_is_stored_whole_in_many_pieces(blobs, tmp_path):
    source = tmp_path / "big.warc"
    source.write_bytes(bytes(range(256)) * 50_000 + b"end")
    assert blobs.put("big", source).size == source.stat().st_size
    pieces = list(blobs.open("big"))
    assert len(pieces) > 1
    assert b"".join(pieces) == source.read_bytes()


def test_bytes_are_read_from_the_middle_of_a_blob(blobs):
    content = bytes(range(256)) * 5_000
    blobs.put("a/big", content)
    for start, length in ((0, 1), (0, 300_000), (123_457, 65_536), (len(content) - 7, 7)):
        assert blobs.read("a/big", start, length) == content[start : start + length]
    with pytest.raises(NotFoundError, match="nothing/here"):
        blobs.read("nothing/here", 0, 1)


def test_a_local_file_that_is_missing_stores_nothing(blobs, tmp_path):
    with pytest.raises(NotFoundError, match="no file"):
        blobs.put("k", tmp_path / "missing")
    assert blobs.head("k") is None


def test_what_is_not_there_is_not_found(blobs):
    with pytest.raises(NotFoundError, match="nothing/here"):
        blobs.get("nothing/here")
    with pytest.raises(NotFoundError, match="nothing/here"):
        blobs.open("nothing/here")
    assert blobs.head("nothing/here") is None
    assert list(blobs.versions("nothing/here")) == []
    assert list(blobs.list("nothing/here")) == []
    assert list(blobs.list("nothing/*")) == []


def test_a_folder_of_blobs_is_no_blob(blobs):
    blobs.put("a/b", b"x")
    assert blobs.head("a") is None
    with pytest.raises(NotFoundError):
        blobs.get("a")


def test_lists_are_in_order_of_key(blobs):
    keys = ["a/b", "a-b", "a.b", "a0", "B", "ä", "a/b2/c", "z"]
    for key in keys:
        blobs.put(key, key.encode())
    assert [info.key for info in blobs.list()] == sorted(keys, key=str.encode)


def test_a_star_at_the_end_is_a_wildcard_and_nothing_else_is(blobs):
    for key in ["2026/11/01/a", "2026/11/02/b", "2026/12/01/c", "2026/1", "other"]:
        blobs.put(key, b"x")
    assert [info.key for info in blobs.list("2026/11/*")] == ["2026/11/01/a", "2026/11/02/b"]
    assert [info.key for info in blobs.list("2026/1*")] == ["2026/1", "2026/11/01/a", "2026/11/02/b", "2026/12/01/c"]
    assert [info.key for info in blobs.list("2026/11/02/b")] == ["2026/11/02/b"]
    assert list(blobs.list("2026/11")) == []
    assert list(blobs.list("2026/*/01/a")) == []


def test_lists_of_more_than_one_page_are_complete(blobs):
    keys = {f"many/{n:04}" for n in range(1_010)}
    for key in keys:
        blobs.put(key, b"")
    assert [info.key for info in blobs.list("many/*")] == sorted(keys)


def test_deleting_twice_is_no_error(blobs):
    blobs.put("k", b"x")
    blobs.delete("k")
    blobs.delete("k")
    assert blobs.head("k") is None


@pytest.mark.parametrize(
    "key",
    ["", "/etc/passwd", "../x", "a/../../x", "a//b", "a/./b", "a/", "a\x00b", "a\nb", "a\\b", ".aside/x", "n" * 300],
)
def test_keys_that_would_leave_the_store_are_refused(blobs, key):
    for call in (
        lambda: blobs.put(key, b"x"),
        lambda: blobs.get(key),
        lambda: blobs.open(key),
        lambda: blobs.head(key),
        lambda: blobs.delete(key),
        lambda: blobs.versions(key),
    ):
        with pytest.raises(UsageError):
            call()


def test_keys_of_every_script_and_sign_come_back(blobs):
    keys = ["日本/新聞.html", "a b", "q?x=1&y=%20#f", "naïve+plus", "..hidden", "tilde~'(!)"]
    for key in keys:
        blobs.put(key, key.encode())
    assert {info.key for info in blobs.list()} == set(keys)
    assert all(blobs.get(key) == key.encode() for key in keys)


def test_another_connection_sees_it(harness, blobs):
    blobs.put("k", b"x")
    other = harness.open()
    assert other.get("k") == b"x"
    other.close()


def test_readers_see_the_old_blob_or_the_new_one_whole(blobs):
    def bodies(letter: str) -> bytes:
        return letter.encode() * 300_000

    blobs.put("k", bodies("a"))
    stop = threading.Event()

    def write() -> None:
        for n in range(15):
            blobs.put("k", bodies("ab"[n % 2]))
        stop.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    while not stop.is_set():
        seen.add(blobs.get("k"))
    writer.join()
    assert seen <= {bodies("a"), bodies("b")}


def test_versions_newest_first_with_their_dates(harness, blobs):
    blobs.put("v", b"first")
    blobs.put("v", b"second one")
    blobs.put("v-longer", b"another key with the same start")
    versions = blobs.versions("v")
    if not harness.keeps_versions:
        assert [(info.size, info.version) for info in versions] == [(10, None)]
        return
    assert [info.size for info in versions] == [10, 5]
    assert versions[0].modified >= versions[1].modified
    assert blobs.get("v", version=versions[1].version) == b"first"
    assert b"".join(blobs.open("v", version=versions[1].version)) == b"first"


def test_a_blob_is_a_file_here_or_the_store_is_elsewhere(blobs):
    blobs.put("a/b", b"x")
    file = blobs.file_of("a/b")
    assert file is None or file.read_bytes() == b"x"


def test_one_version_can_be_deleted(harness, blobs):
    blobs.put("v", b"first")
    blobs.put("v", b"second one")
    for old in blobs.versions("v")[1:]:
        blobs.delete("v", version=old.version)
    assert [info.size for info in blobs.versions("v")] == [10]
    assert blobs.get("v") == b"second one"


def test_a_version_that_is_not_there_is_not_found(blobs):
    blobs.put("v", b"x")
    with pytest.raises(NotFoundError, match="version"):
        blobs.get("v", version="00000000-0000-0000-0000-000000000000")


def test_a_key_that_sounds_like_an_answer_of_a_store_is_a_key(blobs):
    blobs.put("any/SlowDown", b"x")
    blobs.delete("any/SlowDown")
    assert blobs.head("any/SlowDown") is None


@given(key=st.text(min_size=1, max_size=40))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_key_is_stored_and_listed_or_refused(blobs, key):
    try:
        blobs.put(f"any/{key}", b"x")
    except UsageError:
        return
    assert [info.key for info in blobs.list(f"any/{key}")] == [f"any/{key}"] or key.endswith("*")
    blobs.delete(f"any/{key}")
