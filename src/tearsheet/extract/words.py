"""Words that tell what a block is: those of class and id, and those that its text begins and ends with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.intp]

START = 90
END = 50
_SHORT = 60
_MAX_NAMES = 40
_MAX_NAME = 80
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NAME_WORD = re.compile(r"[a-z]{2,24}")
_TEXT_WORD = re.compile(r"\w\w+|[©|@»▶•:?\n]")
_ALONE_RUN = re.compile("[\u0e00-\u0eff\u2e80-\u9fff\uf900-\ufaff]{3,}")
_DIGITS = re.compile(r"\d+")


def split_name(name: str) -> list[str]:
    """The tag and each single class, id and so on of an element's name; the tag is marked with `<`."""
    parts = name.split(None, _MAX_NAMES)
    parts[0] = "<" + parts[0]
    return parts


def name_words(part: str) -> list[str]:
    """The words of one class or id: each, the first two together, and all together."""
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
    """The words of all texts of a page in one list, a line break behind those of each text: one search for all is faster."""

    start: list[str]
    """The words that the texts begin with, in lower case."""
    end: list[str]
    """The words that they end with."""
    whole: list[str]
    """The short texts in lower case with numbers made equal, others empty."""
    start_lines: Ints
    """Where in `start` each text begins, and in `end`."""
    end_lines: Ints


def page_words(texts: list[str], *, alone: bool) -> PageWords:
    """Cut texts into words. `alone`: there are scripts that write no blanks; of them, pairs of letters are taken for words."""
    starts = "\n".join([text[:START] for text in texts]).lower() + "\n"
    ends = "\n".join([text[-END:] for text in texts]).lower() + "\n"
    wholes = _DIGITS.sub("0", "\n".join([text if len(text) <= _SHORT else "" for text in texts]).lower()).split("\n")
    if alone:
        starts, ends = _ALONE_RUN.sub(_pairs, starts), _ALONE_RUN.sub(_pairs, ends)
    start, end = _TEXT_WORD.findall(starts), _TEXT_WORD.findall(ends)
    return PageWords(start, end, wholes, _line_starts(start), _line_starts(end))


def _line_starts(words: list[str]) -> Ints:
    """Where in a list of words each text begins."""
    return np.array([0, *[i + 1 for i, word in enumerate(words) if word == "\n"][:-1]], np.intp)


def _pairs(run: re.Match[str]) -> str:
    return " " + " ".join(map("".join, pairwise(run[0]))) + " "
