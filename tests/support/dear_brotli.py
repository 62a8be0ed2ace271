"""Brotli that is short and takes long: blocks of one byte of text, each with tables that cost a million steps to read."""

from __future__ import annotations

_TYPES = 256


class _Bits:
    """Numbers as bits, the lowest first."""

    def __init__(self) -> None:
        self.value = 0
        self.length = 0

    def add(self, number: int, bits: int) -> None:
        self.value |= number << self.length
        self.length += bits

    def add_code(self, symbol: int, bits: int) -> None:
        """A code of one symbol, which then takes no bits at all."""
        self.add(1, 2)
        self.add(0, 2)
        self.add(symbol, bits)

    def add_count(self) -> None:
        """The number of types, 256."""
        self.add(1, 1)
        self.add(7, 3)
        self.add(127, 7)


def _block(bits: _Bits) -> None:
    for number, length in ((0, 1), (0, 2), (0, 16), (0, 1)):  # not the last, one byte, compressed
        bits.add(number, length)
    bits.add_count()
    bits.add_code(0, 9)
    bits.add_code(0, 5)
    bits.add(0, 2)
    for length in (1, 1, 2, 4):  # one type of insertions and of distances, no postfix, no direct distances
        bits.add(0, length)
    for _ in range(_TYPES):
        bits.add(0, 2)
    bits.add_count()
    bits.add(0, 1)
    bits.add_code(_TYPES - 1, 8)  # each of the 16,384 entries of the map is the last of the list
    bits.add(1, 1)  # which is moved to its front each time
    bits.add(0, 1)
    for _ in range(_TYPES):
        bits.add_code(ord("A"), 8)
    bits.add_code(8, 10)
    bits.add_code(0, 6)


def dear_brotli(size: int) -> bytes:
    """About so many bytes of such blocks."""
    eight = _Bits()
    for _ in range(8):  # as many as end with a whole byte
        _block(eight)
    unit = eight.value.to_bytes(eight.length // 8, "little")
    body = unit * max(1, size // len(unit))
    value, length = int.from_bytes(body, "little") << 1, 8 * len(body) + 1  # behind the one bit of the window
    return (value | 3 << length).to_bytes(length // 8 + 1, "little")
