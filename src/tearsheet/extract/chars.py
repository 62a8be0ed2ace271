"""Characters counted by kind, for all blocks of a page at once."""

from __future__ import annotations

import sys
import unicodedata
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

OTHER, BLANK, LOWER, UPPER, DIGIT, COMMA, STOP, COLON, QUOTE, BRACKET, MARK, SYMBOL, DASH, ALONE, LETTER = range(15)
"""Kinds of characters. ALONE: a letter of a script without spaces, so that each counts as a word."""
KINDS = 15

_LISTED = {
    COMMA: ",，、،;；",
    STOP: ".!?。！？…؟।",
    COLON: ":：",
    QUOTE: "\"'“”„‘’«»「」『』‹›",
    BRACKET: "()[]{}（）【】",
    MARK: "|•·▶►→»›‣■●▪★✓✔/\\",
    SYMBOL: "@#©®™$€£%&+=<>*_~^",
    DASH: "-–—",
}
_ALONE_RANGES = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x2FFF), (0x3005, 0x3007), (0x3041, 0x312F), (0x31A0, 0x31BF),
    (0x31F0, 0x31FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF),
)  # fmt: skip
_CATEGORIES = {
    "Ll": LOWER,
    "Lu": UPPER,
    "Lt": UPPER,
    "Nd": DIGIT,
    "Zs": BLANK,
    "Cc": BLANK,
    "Lo": LETTER,
    "Lm": LETTER,
    "Mn": LETTER,
}
_CODES = 0x10000
_UTF32 = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"


@lru_cache(maxsize=1)
def _kinds_by_code() -> NDArray[np.uint8]:
    kinds = np.zeros(_CODES, np.uint8)
    for code in range(_CODES):
        kinds[code] = _CATEGORIES.get(unicodedata.category(chr(code)), OTHER)
    for start, end in _ALONE_RANGES:
        kinds[start : end + 1] = ALONE
    for kind, characters in _LISTED.items():
        for character in characters:
            kinds[ord(character)] = kind
    return kinds


def count_kinds(
    texts: list[str],
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.uint8], NDArray[np.uint8]]:
    """For each text (none may be empty), its characters by kind, its length, and the kinds of its first and last characters."""
    lengths = np.fromiter(map(len, texts), np.intp, len(texts))
    codes = np.frombuffer("".join(texts).encode(_UTF32, "replace"), np.uint32)
    kinds = _kinds_by_code()[np.minimum(codes, _CODES - 1)]
    ends = np.cumsum(lengths)
    number = np.repeat(np.arange(len(texts), dtype=np.intp) * KINDS, lengths)
    counts = np.bincount(number + kinds, minlength=len(texts) * KINDS).reshape(len(texts), KINDS)
    return counts.astype(np.float32), lengths.astype(np.float32), kinds[ends - lengths], kinds[ends - 1]
