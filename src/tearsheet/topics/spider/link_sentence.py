"""The sentence that a link stands in: what its author said when linking. A pure rule, for scripts with and without spaces."""

from __future__ import annotations

import re
import unicodedata

MAX_SENTENCE = 500
"""The longest sentence that is kept, in characters; of a longer one, what is nearest to the link."""
_ELLIPSIS = "…"
_END = re.compile(
    r"""(?<=[.!?…؟۔।॥։።។။])["'”’»)\]]*\s+"""  # a mark that a space must follow, or it is part of a number or a name
    r"""|(?<=[。！？｡])["'”’»」』）)\]]*\s*"""  # a mark that always ends a sentence
    r"""|\n+"""
)
_ABBREVIATION = re.compile(r"(?:^|[^\w.])(?:\w\.)*(?:\w|[A-Z][a-z])\.$")
"""Initials (`U.S.`, `J.`), and titles of two letters (`Mr.`, `Dr.`), whose full stop ends no sentence."""
_LONGEST_ABBREVIATION = 20
_SPACE = re.compile(r"\s+")


def sentence_around(text: str, start: int, end: int) -> str:
    """The sentence of a text that holds what is between `start` and `end`, in one line, cut to `MAX_SENTENCE` around it."""
    first = max(0, start - MAX_SENTENCE)
    window = text[first : min(end, start + MAX_SENTENCE) + MAX_SENTENCE]
    start, end = start - first, min(end - first, start - first + MAX_SENTENCE)
    begins, stops = 0, len(window)
    for mark in _END.finditer(window):
        if mark.end() <= start:
            begins = mark.end() if _ends_sentence(window, mark) else begins
        elif mark.start() >= end and _ends_sentence(window, mark):
            stops = mark.start() + len(mark[0].rstrip())
            break
    before, inside = _one_line(window[begins:start]).lstrip(), _one_line(window[start:end])
    after = _one_line(window[end:stops]).rstrip()
    inside = inside.lstrip() if not before or before.endswith(" ") else inside
    after = after.lstrip() if not inside or inside.endswith(" ") else after
    return _cut(before, inside, after).strip()


def _one_line(text: str) -> str:
    return _SPACE.sub(" ", text)


def _ends_sentence(window: str, mark: re.Match[str]) -> bool:
    """Whether a sentence ends here: not after an initial or a title, nor before a small letter."""
    if "\n" in mark[0]:
        return True
    before = window[max(0, mark.start() - _LONGEST_ABBREVIATION) : mark.start()]
    return not (window[mark.end() : mark.end() + 1].islower() or _ABBREVIATION.search(before))


def _cut(before: str, inside: str, after: str) -> str:
    """The three parts together, shortened at both ends if they are too long."""
    room = MAX_SENTENCE - len(inside)
    if len(before) + len(after) <= room:
        return before + inside + after
    if room <= 2:
        return inside[: MAX_SENTENCE - 1] + _ELLIPSIS
    left = max(room // 2, room - len(after))
    right = room - min(left, len(before))
    return _last(before, left) + inside + _first(after, right)


def _last(text: str, room: int) -> str:
    """The end of a text, from the beginning of a word where there are spaces, and never from a mark on the letter before."""
    if len(text) <= room:
        return text
    kept = text[len(text) - room + 1 :]
    if not text[len(text) - room].isspace():
        kept = kept.partition(" ")[2] or kept
    while kept and unicodedata.category(kept[0]).startswith("M"):
        kept = kept[1:]
    return _ELLIPSIS + kept.lstrip() if kept else _ELLIPSIS


def _first(text: str, room: int) -> str:
    """The beginning of a text, up to the end of a word where there are spaces, and with all marks on its last letter."""
    if len(text) <= room:
        return text
    kept = text[: room - 1]
    if not text[room - 1].isspace():
        if " " in kept.strip():
            kept = kept.rpartition(" ")[0]
        elif unicodedata.category(text[room - 1]).startswith("M"):
            while kept and unicodedata.category(kept[-1]).startswith("M"):
                kept = kept[:-1]
            kept = kept[:-1]
    return kept.rstrip() + _ELLIPSIS
