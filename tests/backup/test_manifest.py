"""What a manifest and a listing may say; whatever else they say is refused."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.backup import manifest
from tearsheet.backup.manifest import (
    FORMAT,
    OBJECT_BYTES,
    PARTS,
    DamagedBackup,
    Entry,
    Manifest,
    PartSize,
    check_entry,
    decode_entries,
    decode_manifest,
    encode_entry,
    encode_manifest,
    moment_of,
)
from tests.support.growth import assert_linear

MOMENT = datetime(2026, 11, 18, 2, 30, 15, 123456, tzinfo=UTC)
MANIFEST = Manifest(FORMAT, "1.0", "0013", "id", MOMENT, {"folder": PartSize(1, 3)}, ("ab" * 32,))
DIGEST = "0123456789abcdef" * 4

names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\x00"), min_size=1, max_size=8).filter(
    lambda name: name not in (".", "..")
)
paths = st.lists(names, min_size=1, max_size=4).map("/".join)


def entry(path: str = "a/b", part: str = "folder", size: int = 1, objects: tuple[str, ...] = (DIGEST,)) -> Entry:
    return Entry(part, path, size, 0, objects)


@st.composite
def listings(draw: st.DrawFn) -> list[Entry]:
    """What a walk may find: no file is a folder, too."""
    found: dict[tuple[str, str], Entry] = {}
    for part, path in draw(st.lists(st.tuples(st.sampled_from(PARTS), paths), max_size=12)):
        words = path.split("/")
        above = {(part, "/".join(words[:n])) for n in range(1, len(words))}
        if not above & found.keys() and not any(key[0] == part and key[1].startswith(f"{path}/") for key in found):
            size = draw(st.integers(0, 3 * OBJECT_BYTES))
            found[part, path] = entry(path, part, size, (DIGEST,) * -(-size // OBJECT_BYTES))
    return sorted(found.values(), key=lambda one: one.key)


@given(listings(), st.integers(1, 50))
def test_a_listing_is_read_as_it_was_written(entries, cut):
    data = b"".join(map(encode_entry, entries))
    pieces = [data[at : at + cut * 10] for at in range(0, len(data), cut * 10)]
    assert list(decode_entries(pieces)) == entries


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../x", "a/../../x", "a/..", "..", ".", "a/./b", "a//b", "a/", "/", "a\x00b", "x" * 5000],
)
def test_a_path_that_leads_elsewhere_is_refused(path):
    with pytest.raises(DamagedBackup, match="cannot be restored"):
        list(decode_entries([encode_entry(entry(path))]))


@pytest.mark.parametrize(
    "wrong",
    [
        entry(part="home"),
        entry(size=-1, objects=()),
        entry(size=0),
        entry(size=OBJECT_BYTES + 1),
        entry(objects=()),
        entry(objects=("../../etc/passwd",)),
        entry(objects=(DIGEST.upper(),)),
        entry(objects=(DIGEST + "\n",)),
        Entry("folder", "a", 1, -1, (DIGEST,)),
    ],
)
def test_an_entry_that_nobody_wrote_is_refused(wrong):
    with pytest.raises(DamagedBackup):
        check_entry(wrong)


@pytest.mark.parametrize(
    ("first", "second"),
    [("a", "a"), ("b", "a"), ("a", "a/b"), ("a/b", "a/b/c"), ("a/b", "a")],
)
def test_a_file_is_listed_once_and_is_no_folder(first, second):
    with pytest.raises(DamagedBackup, match="out of order"):
        list(decode_entries([encode_entry(entry(first)), encode_entry(entry(second))]))


def test_parts_have_names_of_their_own():
    assert len(list(decode_entries([encode_entry(entry("a")), encode_entry(entry("a/b", "archive"))]))) == 2


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_a_listing_or_refused(data):
    try:
        list(decode_entries([data]))
    except DamagedBackup:
        return


def test_a_listing_that_was_cut_is_refused():
    with pytest.raises(DamagedBackup, match="middle of a line"):
        list(decode_entries([encode_entry(entry())[:-1]]))


def test_a_manifest_is_read_as_it_was_written():
    name, data = encode_manifest(MANIFEST)
    assert decode_manifest(name, data) == MANIFEST
    assert moment_of(name) == MOMENT
    assert (MANIFEST.files, MANIFEST.bytes) == (1, 3)


@given(st.integers(0, 400), st.integers(0, 255))
def test_a_manifest_with_one_other_byte_is_refused(at, byte):
    name, data = encode_manifest(MANIFEST)
    at %= len(data)
    changed = data[:at] + bytes([byte]) + data[at + 1 :]
    if changed != data:
        with pytest.raises(DamagedBackup, match="its digest"):
            decode_manifest(name, changed)


@given(st.binary(max_size=100) | st.dictionaries(st.sampled_from(["format", "tearsheet", "parts", "moment"]),
       st.integers(-5, 5) | st.text(max_size=5)).map(msgspec.json.encode))  # fmt: skip
def test_any_bytes_are_a_manifest_or_refused(data):
    from hashlib import sha256

    with pytest.raises(DamagedBackup):
        decode_manifest(f"20261118T023015.123456Z-{sha256(data).hexdigest()[:16]}.json", data)


def test_a_later_version_is_refused_with_what_to_do():
    name, data = encode_manifest(msgspec.structs.replace(MANIFEST, format=FORMAT + 1, tearsheet="9.0"))
    with pytest.raises(DamagedBackup, match=r"made by tearsheet 9\.0.*install that version or a later one"):
        decode_manifest(name, data)


@pytest.mark.parametrize(
    "changed", [{"parts": {"home": PartSize()}}, {"listing": ("../../x",)}, {"listing": (DIGEST, "")}]
)
def test_a_manifest_of_something_else_is_refused(changed):
    name, data = encode_manifest(msgspec.structs.replace(MANIFEST, **changed))
    with pytest.raises(DamagedBackup, match="no manifest"):
        decode_manifest(name, data)


def test_names_sort_by_time_and_others_are_no_backups():
    later, _ = encode_manifest(msgspec.structs.replace(MANIFEST, moment=MOMENT + timedelta(microseconds=1)))
    assert encode_manifest(MANIFEST)[0] < later
    for name in ("x.json", "20261118T023015.123456Z.json", "20269918T023015.123456Z-0123456789abcdef.json"):
        assert moment_of(name) is None


def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(monkeypatch):
    """A place may hold one object of blanks, and a manifest that names it a million times."""
    monkeypatch.setattr(manifest, "_LONGEST_LINE", 10_000)
    read = []

    def pieces():
        for number in range(1_000_000):
            read.append(number)
            yield b" " * 4096

    with pytest.raises(DamagedBackup, match="longer than any that this program writes"):
        list(decode_entries(pieces()))
    assert len(read) == 3


def test_a_listing_may_be_cut_anywhere():
    entries = [Entry("folder", f"{number:03}", 3, 0, (DIGEST,)) for number in range(50)]
    whole = b"".join(map(encode_entry, entries))
    for size in (1, 7, 150, 1000, len(whole)):
        pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
        assert list(decode_entries(pieces)) == entries


def test_the_time_for_a_long_line_grows_with_it():
    def read(count: int) -> None:
        with suppress(DamagedBackup):
            list(decode_entries([b" " * 10_000] * count + [b"\n"]))

    assert_linear(read, lambda count: count, 500)
