"""Words that tell what a block is: those in its class and id, and those at the start and end of its text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]

START = 72
END = 40
_SHORT = 60
_MAX_NAMES = 40
_MAX_NAME = 80
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NAME_WORD = re.compile(r"[a-z]{2,24}")
_MARKS = "“”„‘’«»…–—•·|，。、：；！？（）"
"""Non-ASCII punctuation that touches words."""
SEPARATOR = b"\x01"
_FOLD = bytes(
    1 if code == 10 else 48 if 48 <= code <= 57 else code if code > 127 or chr(code).isalpha() else 32
    for code in range(256)
)
"""Letters stay, digits become 0, a line break becomes SEPARATOR, and all other ASCII characters become spaces."""
_ALONE_RUN = re.compile("[\u0e00-\u0eff\u2e80-\u9fff\uf900-\ufaff]{3,}")
_EQUAL_DIGITS = bytes(48 if 48 <= code <= 57 else code for code in range(256))


def split_name(name: str) -> list[str]:
    """The tag and each single class, id and so on of an element's name; the tag is marked with `<`."""
    parts = name.split(None, _MAX_NAMES)
    if parts:
        parts[0] = "<" + parts[0]
    return parts


def name_words(part: str) -> list[str]:
    """The words of one class or id: each one, the first two joined, and all joined."""
    if part[0] == "<":
        return [part]
    part = part[:_MAX_NAME]
    words: list[str] = _NAME_WORD.findall(part if part.islower() else _CAMEL.sub("-", part).lower())
    if len(words) > 1:
        joined = [f"{words[0]}-{words[1]}"]
        if 2 < len(words) <= 4:
            joined.append("-".join(words))
        words += joined
    return words


@dataclass(slots=True)
class PageWords:
    """The words of all texts of a page in one list, with SEPARATOR after those of each text: one search for all is faster.

    First come the words that each text starts with, then those that each text ends with, if they are different ones.
    Words are UTF-8 in lower case, digits made equal.
    """

    words: list[bytes]
    lines: Ints
    """Where in `words` the start of each text is, then where the end of each is."""
    whole: list[bytes]
    """Short texts in lower case with digits made equal; the others are empty."""

    @property
    def ends(self) -> int:
        """Where in `words` the ends of the texts start."""
        return int(self.lines[len(self.whole)])


def page_words(texts: list[str], *, alone: bool) -> PageWords:
    """Split texts into words. `alone`: some scripts in them have no spaces, and their pairs of letters count as words."""
    ends = [text[:START] for text in texts] + [text[-END:] if len(text) > START else "" for text in texts]
    # The leading space makes every word follow a space.
    folded = _fold(" " + " \n ".join(ends) + " \n", alone=alone)
    short = "\n".join([text if len(text) <= _SHORT else "" for text in texts]).lower()
    whole = short.encode("utf-8", "replace").translate(_EQUAL_DIGITS).split(b"\n")
    return PageWords(folded.split(), _line_starts(folded), whole)


def cut_words(text: str) -> list[bytes]:
    """The words of a text. Splitting bytes is many times faster than matching a pattern."""
    return _fold(text, alone=False).split()


def _fold(text: str, *, alone: bool) -> bytes:
    text = text.lower()
    if not text.isascii():
        for mark in _MARKS:
            text = text.replace(mark, " ")
        if alone:
            text = _ALONE_RUN.sub(_pairs, text)
    return text.encode("utf-8", "replace").translate(_FOLD)


def _line_starts(folded: bytes) -> Ints:
    """The number of the first word of each line."""
    codes = np.frombuffer(folded, np.uint8)
    blank = codes == 32
    first_letters = codes[1:][blank[:-1] & ~blank[1:]]
    starts = np.empty(len(found := np.flatnonzero(first_letters == SEPARATOR[0])), np.intp)
    starts[0] = 0
    starts[1:] = found[:-1] + 1
    return starts


def _pairs(run: re.Match[str]) -> str:
    return " " + " ".join(map("".join, pairwise(run[0]))) + " "
