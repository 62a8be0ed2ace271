import gzip
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tearsheet.archive.members import Damage
from tearsheet.archive.records import compress
from tearsheet.archive.scan import scan


def record(block: bytes, *, kind: str = "resource", length: int | None = None) -> bytes:
    size = len(block) if length is None else length
    head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:x>\r\nContent-Length: {size}\r\n\r\n"
    return head.encode() + block + b"\r\n\r\n"


def read(data: bytes, **options):
    damages: list[Damage] = []
    return list(scan(io.BytesIO(data), damages.append, **options)), damages


BLOCKS = [b"first", b"", b"WARC/1.0\r\n\r\n", b"\r\n\r\n", b"x" * 300_000]
FORMS = {
    "each alone": lambda records: b"".join(map(gzip.compress, records)),
    "all in one": lambda records: gzip.compress(b"".join(records)),
    "plain": lambda records: b"".join(records),
}


@pytest.mark.parametrize("form", FORMS)
def test_records_are_read_whatever_way_they_were_packed(form):
    records, damages = read(FORMS[form]([record(block) for block in BLOCKS]))
    assert [found.block for found in records] == BLOCKS
    assert damages == []


def test_a_record_can_be_read_alone_by_its_offset():
    for form in ("each alone", "plain"):
        data = FORMS[form]([record(block) for block in BLOCKS])
        for found in read(data)[0]:
            alone, damages = read(data[found.offset : found.offset + found.length])
            assert [one.block for one in alone] == [found.block]
            assert damages == []


def test_a_record_that_shares_its_member_has_no_place_of_its_own():
    assert {found.length for found in read(FORMS["all in one"]([record(b"a"), record(b"b")]))[0]} == {0}


def test_large_records_have_a_place_too():
    big = bytes(9_000_000)
    data = gzip.compress(record(big), 1) + gzip.compress(record(b"after"))
    records, damages = read(data)
    assert [(len(found.block), found.length) for found in records] == [
        (len(big), records[1].offset),
        (5, len(data) - records[1].offset),
    ]
    assert damages == []


@pytest.mark.parametrize("form", FORMS)
def test_a_file_cut_anywhere_gives_whole_records_only(form):
    blocks = [b"one" * 50, b"two" * 50, b"three" * 50]
    data = FORMS[form]([record(block) for block in blocks])
    between = {
        cut for found in read(data)[0] for cut in range(found.offset + found.length, found.offset + found.length + 5)
    }
    for cut in range(1, len(data)):
        records, damages = read(data[:cut])
        assert [found.block for found in records] == blocks[: len(records)]
        assert damages or cut in between


@pytest.mark.parametrize("form", ["each alone", "plain"])
def test_reading_goes_on_after_damage(form):
    blocks = [bytes([65 + n]) * 200 for n in range(5)]
    parts = [record(block) for block in blocks]
    data = bytearray(FORMS[form](parts))
    places = [found.offset for found in read(bytes(data))[0]]
    data[places[2] : places[2] + 12] = b"\x00" * 12
    records, damages = read(bytes(data))
    assert [found.block for found in records] == [block for n, block in enumerate(blocks) if n != 2]
    assert damages


@pytest.mark.parametrize("size", range(1, 40))
def test_bytes_behind_a_member_are_seen(size):
    member = compress(record(b"good" * 100))
    for tail in (bytes(size), member[:size], b"\x1f\x8b\x08\x00" + bytes(size)):
        records, damages = read(member + tail)
        assert [(found.block, found.length) for found in records] == [(b"good" * 100, len(member))]
        assert [damage.offset for damage in damages] == [len(member)]


def test_a_damaged_record_behind_one_of_the_same_size_is_seen():
    member = compress(record(b"same"))
    records, damages = read(member + b"\x00" + member[1:])
    assert [(found.block, found.length) for found in records] == [(b"same", len(member))]
    assert [damage.offset for damage in damages] == [len(member)]


@settings(max_examples=150)
@given(st.lists(st.binary(max_size=200), min_size=1, max_size=4), st.data())
def test_the_quick_way_of_unpacking_finds_what_the_slow_one_finds(blocks, data):
    packed = bytearray(b"".join(compress(record(block)) for block in blocks))
    at = data.draw(st.integers(0, len(packed)))
    packed[at : at + data.draw(st.integers(0, 30))] = data.draw(st.binary(max_size=30))
    del packed[data.draw(st.integers(0, len(packed))) + 40 :]
    quick = read(bytes(packed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tearsheet.archive.members._Members._at_once", lambda _: None)
        assert read(bytes(packed)) == quick


def test_a_wrong_checksum_is_damage():
    good, bad = gzip.compress(record(b"good")), bytearray(gzip.compress(record(b"bad")))
    bad[-5] ^= 1
    records, damages = read(bytes(bad) + good)
    assert [found.block for found in records] == [b"good"]
    assert damages[0].offset == 0


def test_an_oversized_record_is_passed_over():
    blocks = [b"a", b"b" * 10_000, b"c" * 10_000, b"d"]
    for form in FORMS.values():
        records, damages = read(form([record(block) for block in blocks]), max_block=9_000)
        assert [found.block for found in records] == [b"a", b"d"]
        assert len(damages) == 2


def test_a_length_that_lies_costs_one_record():
    data = record(b"a") + record(b"b" * 10, length=4) + record(b"c")
    records, damages = read(data)
    assert [found.block for found in records] == [b"a", b"bbbb", b"c"]
    assert damages
    records, _ = read(gzip.compress(record(b"b" * 10, length=99)) + gzip.compress(record(b"c")))
    assert [found.block for found in records] == [b"c"]


def test_headers_are_folded_and_names_have_no_case():
    data = (
        b"WARC/1.1\r\nwarc-TYPE: Response\r\nX: a\r\n b\r\nX: second\r\nno colon\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    )
    (found,), _ = read(data)
    assert found.type == "response"
    assert found.headers["x"] == "a b"
    assert found.version == "1.1"


@settings(max_examples=150)
@given(st.binary(max_size=600), st.booleans(), st.integers(0, 3))
def test_no_bytes_raise(noise, packed, where):
    good = [record(b"good" * n) for n in range(1, 4)]
    parts = [gzip.compress(part) for part in good] if packed else good
    parts.insert(where, noise)
    records, _ = read(b"".join(parts))
    if packed and where:
        # What stands before the noise is never lost.
        assert [found.block for found in records][:where] == [b"good" * n for n in range(1, 4)][:where]


@settings(max_examples=150)
@given(st.data())
def test_no_flipped_bit_raises_or_is_believed_in_a_packed_file(data):
    blocks = [b"alpha" * 20, b"beta" * 20, b"gamma" * 20]
    packed = bytearray(b"".join(gzip.compress(record(block)) for block in blocks))
    at = data.draw(st.integers(0, len(packed) - 1))
    packed[at] ^= 1 << data.draw(st.integers(0, 7))
    for found in read(bytes(packed))[0]:
        assert found.block in blocks
