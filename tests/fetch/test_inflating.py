"""Content codings are undone within a limit."""

import contextlib
import gzip
import zlib

import brotlicffi
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.fetch.inflating import InflateError, TooLarge, inflate

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
    for name in (None, "", "identity", "none"):
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


@given(st.sampled_from(sorted(ENCODERS)), st.binary(max_size=200), st.integers(0, 100))
def test_garbage_never_escapes_as_another_error(name, garbage, position):
    coded = bytearray(ENCODERS[name](PAGE))
    position = position * len(coded) // 101
    coded[position : position + len(garbage)] = garbage
    for body in (garbage, bytes(coded)):
        with contextlib.suppress(InflateError, TooLarge):
            assert len(inflate(body, name, 1000)) <= 1000
