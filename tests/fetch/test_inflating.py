"""Content codings are undone within a limit."""

import asyncio
import contextlib
import gzip
import time
import zlib

import brotlicffi
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.fetch.inflating import MAX_MEMBERS, InflateError, TooLarge, inflate, inflate_aside
from tests.support.dear_brotli import dear_brotli

PAGE = b"<p>news of the day</p>" * 5000
ENCODERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: brotlicffi.compress(data, quality=1),
    "zstd": zstandard.compress,
}


def raw_deflate(data: bytes) -> bytes:
    return zlib.compress(data)[2:-4]


@pytest.mark.parametrize("name", ENCODERS)
def test_each_coding(name):
    coded = ENCODERS[name](PAGE)
    assert inflate(coded, name, len(PAGE)) == PAGE
    assert inflate(coded, f" {name.upper()} ", len(PAGE)) == PAGE
    with pytest.raises(TooLarge):
        inflate(coded, name, len(PAGE) - 1)
    for cut in (1, len(coded) // 2, len(coded) - 1):
        with pytest.raises(InflateError):
            inflate(coded[:cut], name, len(PAGE))


def test_forms_that_servers_really_send():
    assert inflate(raw_deflate(PAGE), "deflate", 1 << 20) == PAGE
    assert inflate(gzip.compress(b"a") + gzip.compress(b"b"), "x-gzip", 10) == b"ab"
    assert inflate(gzip.compress(b"a") + b"\0\0trailing", "gzip", 10) == b"a"
    assert inflate(zstandard.compress(b"a") + zstandard.compress(b"b"), "zstd", 10) == b"ab"
    assert inflate(gzip.compress(gzip.compress(PAGE)), "gzip, gzip", 1 << 20) == PAGE
    assert inflate(brotlicffi.compress(gzip.compress(b"x")), "gzip, br", 1 << 20) == b"x"
    for name in (None, "", "identity", "none", "UTF-8", "utf-8, 8bit"):
        assert inflate(b"plain", name, 10) == b"plain"
    assert inflate(b"", "gzip", 10) == b""


@pytest.mark.parametrize("name", ENCODERS)
def test_bombs_stop_at_the_limit(name):
    bomb = ENCODERS[name](bytes(200_000_000))
    with pytest.raises(TooLarge):
        inflate(bomb, name, 1_000_000)


def zstd_frame(window_log: int) -> bytes:
    """A frame of one raw byte that asks for a window of this size."""
    return b"\x28\xb5\x2f\xfd\x00" + bytes([(window_log - 10) << 3]) + b"\x09\x00\x00x"


def test_zstd_may_not_ask_for_a_huge_window():
    assert inflate(zstd_frame(23), "zstd", 1000) == b"x"
    with pytest.raises(InflateError):
        inflate(zstd_frame(27), "zstd", 1000)


@pytest.mark.parametrize("name", ["rot13", "gzip, gzip, gzip, gzip", "gzip;q=1"])
def test_unknown_or_too_many_codings(name):
    with pytest.raises(InflateError):
        inflate(gzip.compress(b"x"), name, 10)


EMPTY = {"gzip": gzip.compress(b"", mtime=0), "zstd": zstandard.compress(b"")}
SKIPPED = b"\x50\x2a\x4d\x18" + bytes(4)
"""A zstd frame that says to skip its no bytes."""


@pytest.mark.parametrize("name", EMPTY)
def test_members_are_counted(name):
    full = ENCODERS[name](b"x")
    assert inflate(EMPTY[name] * (MAX_MEMBERS - 1) + full, name, 10) == b"x"
    for many in (EMPTY[name] * (MAX_MEMBERS + 1), SKIPPED * MAX_MEMBERS + full if name == "zstd" else full * 20_000):
        with pytest.raises(InflateError, match="members"):
            inflate(many, name, 1 << 20)


@pytest.mark.parametrize("members", [100_000, 1_000_000])
def test_a_million_empty_members_are_refused_at_once(members):
    body = gzip.compress(EMPTY["gzip"] * members, 1)
    started = time.process_time()
    with pytest.raises(InflateError, match="members"):
        inflate(body, "gzip, gzip", 64 << 20)
    assert time.process_time() - started < 1


@pytest.mark.parametrize("size", [1, 255, 256, 257, 767, 768, 100_000])
def test_members_of_any_size_follow_one_another(size):
    """Slices end within members, at their ends, and between the two bytes by which the next is known."""
    member = gzip.compress(bytes(range(256)) * (size // 256) + b"x" * (size % 256), 0, mtime=0)
    one = inflate(member, "gzip", 1 << 20)
    assert inflate(member * 5, "gzip", 1 << 20) == one * 5
    assert inflate(member * 5 + b"\x1f", "gzip", 1 << 20) == one * 5
    with pytest.raises(InflateError):
        inflate(member * 5 + member[:-1], "gzip", 1 << 20)


def test_brotli_ends_where_it_ends():
    coded = brotlicffi.compress(b"x" * 10)
    for more in (b"\0", bytes(200_000)):
        with pytest.raises(InflateError):
            inflate(coded + more, "br", 1 << 20)


LONG = {
    "gzip": gzip.compress(bytes(64 << 20), 1),
    "br": brotlicffi.compress(bytes(64 << 20), quality=1),
    "zstd": zstandard.compress(bytes(64 << 20)),
}


@pytest.mark.parametrize("name", LONG)
def test_what_takes_long_is_inflated_in_a_thread(name):
    """While it is, other tasks have their turn again and again."""

    async def turns() -> int:
        work = asyncio.create_task(inflate_aside(LONG[name], name, 128 << 20))
        count = 0
        while not work.done():
            await asyncio.sleep(0)
            count += 1
        assert await work == bytes(64 << 20)
        return count

    assert asyncio.run(turns()) > 20


def test_inflating_aside_gives_what_inflating_gives():
    async def both() -> None:
        for body, coding, limit in (
            (b"plain", None, 10), (b"", "gzip", 10), (gzip.compress(PAGE), "gzip", len(PAGE)), (LONG["zstd"], "zstd", 64 << 20)
        ):  # fmt: skip
            assert await inflate_aside(body, coding, limit) == inflate(body, coding, limit)
        for body, coding, limit in (
            (b"plain", None, 4),
            (gzip.compress(PAGE), "gzip", 9),
            (LONG["gzip"], "gzip", 2 << 20),
        ):
            with pytest.raises(TooLarge):
                await inflate_aside(body, coding, limit)
        with pytest.raises(InflateError):
            await inflate_aside(b"x" * 100, "gzip", 10)

    asyncio.run(both())


@given(st.sampled_from(sorted(ENCODERS)), st.binary(max_size=200), st.integers(0, 100))
def test_garbage_never_escapes_as_another_error(name, garbage, position):
    coded = bytearray(ENCODERS[name](PAGE))
    position = position * len(coded) // 101
    coded[position : position + len(garbage)] = garbage
    for body in (garbage, bytes(coded)):
        with contextlib.suppress(InflateError, TooLarge):
            assert len(inflate(body, name, 1000)) <= 1000


def test_a_body_that_is_made_to_take_long_is_given_up():
    blocks = dear_brotli(16_000)
    assert inflate(blocks, "br", 1000).startswith(b"A"), "it is brotli"
    wire = gzip.compress(gzip.compress(dear_brotli(8_000_000)))
    assert len(wire) < 2000
    begun = time.thread_time()
    with pytest.raises(InflateError, match="takes too long"):
        inflate(wire, "br, gzip, gzip", 10_000_000)
    assert time.thread_time() - begun < 5


def test_a_body_that_takes_long_holds_up_nobody(unblocked_loop):
    wire = gzip.compress(gzip.compress(dear_brotli(1_000_000)))

    async def fetch_many() -> None:
        for body, coding in ((wire, "br, gzip, gzip"), (dear_brotli(60_000), "br")):
            with contextlib.suppress(InflateError):
                await inflate_aside(body, coding, 10_000_000)

    asyncio.run(fetch_many())
