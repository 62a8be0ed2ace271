"""Reading a WARC file takes time that grows with the file and what it unpacks to, wherever its marks, members and heads stand."""

import gzip
import io
import struct
import time
import zlib

import pytest

from tearsheet.archive.members import MARK, Damage
from tearsheet.archive.scan import scan
from tests.support.growth import assert_linear

EMPTY, OTHER_EMPTY = gzip.compress(b"", mtime=0), gzip.compress(b"", mtime=1)
SMALL = b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
KINDS = {
    "marks": (lambda count: b"\nWARC/" * count, 100_000),
    "marks, packed": (lambda count: gzip.compress(b"\nWARC/" * count), 100_000),
    "heads without a length": (lambda count: b"\nWARC/\r\n\r\n" * count, 1_500),
    "many marks to a head": (lambda count: (b"\nWARC/" * 50 + b"\r\n\r\n") * count, 1_500),
    "a mark that ends far away": (lambda count: (b"\nWARC/" + b"x" * 70_000 + b"\r\n\r\n") * count, 20),
    "a line without an end": (lambda count: b"WARC/1.0\r\nA: " + b"x" * count, 200_000),
    "headers": (lambda count: b"WARC/1.0\r\n" + b"a:\r\n" * count, 50_000),
    "line ends": (lambda count: b"\r\n" * count + SMALL, 200_000),
    "records": (lambda count: SMALL * count, 500),
    "members": (lambda count: gzip.compress(SMALL, mtime=0) * count, 300),
    "empty members": (lambda count: EMPTY * count, 500),
    "empty members of another kind after one that is usual": (lambda count: EMPTY + OTHER_EMPTY * count, 500),
    "members of one byte": (lambda count: gzip.compress(b"W", mtime=0) * count, 500),
    "a byte of a head to a member": (lambda count: b"".join(gzip.compress(b"WARC/"[i : i + 1] or b"a") for i in range(count)), 300),
    "the mark of a member": (lambda count: EMPTY + b"\x1f\x8b\x08" * count, 1_500),
    "cut members": (lambda count: gzip.compress(SMALL)[:-3] * count, 300),
}  # fmt: skip


def read(data: bytes) -> tuple[int, int]:
    damages: list[Damage] = []
    return sum(1 for _ in scan(io.BytesIO(data), damages.append)), len(damages)


@pytest.mark.parametrize("kind", KINDS)
def test_time_grows_with_the_file(kind):
    make, count = KINDS[kind]
    assert_linear(read, make, count)


def overlapping(members: int, tail: int) -> bytes:
    """Members that each begin within the one before, and of which all reach to the same end, where every checksum is wrong."""
    nested = b""
    for _ in range(members):
        size = len(MARK) + len(nested)
        nested = b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + struct.pack("<BHH", 0, size, ~size & 0xFFFF) + MARK + nested
    return nested + zlib.compress(bytes(tail), wbits=-15) + bytes(8)


def test_members_within_members_are_not_all_read_to_their_end():
    """Three thousand members that share twenty megabytes would be sixty gigabytes."""
    data = overlapping(3_000, 20_000_000)
    started = time.process_time()
    assert read(data)[0] == 0
    assert time.process_time() - started < 5


def test_a_record_after_a_stretch_of_damage_is_found():
    good = SMALL.replace(b"Length: 0\r\n\r\n", b"Length: 4\r\n\r\ngood")
    for bad in (b"\nWARC/" * 1000, b"\nWARC/\r\n\r\n" * 1000, b"x" * 300_000, b"WARC/1.0\r\nContent-Length: x\r\n\r\n"):
        records = list(scan(io.BytesIO(SMALL + bad + b"\n" + good), lambda damage: None))
        assert [record.block for record in records] == [b"", b"good"], bad[:20]
        packed = gzip.compress(SMALL) + bad + gzip.compress(good)
        assert [record.block for record in scan(io.BytesIO(packed), lambda damage: None)] == [b"", b"good"], bad[:20]


def test_a_head_that_was_cut_off_does_not_swallow_the_next():
    cut = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 999999\r\n"
    records = list(scan(io.BytesIO(cut + SMALL), lambda damage: None))
    assert [(record.type, record.block) for record in records] == [("", b"")]


def test_what_is_left_out_is_said():
    damages: list[Damage] = []
    good = SMALL.replace(b"Length: 0\r\n\r\n", b"Length: 4\r\n\r\ngood")
    assert [record.block for record in scan(io.BytesIO(good + b"\nWARC/\r\n\r\n" * 20_000 + good), damages.append)] == [
        b"good"
    ]
    assert "left out" in damages[-1].what
    assert damages[-1].offset > 100_000
