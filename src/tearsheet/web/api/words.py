"""Which words tell something about a subject, and how a word is shown."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from tearsheet.index.questions import WordCount
from tearsheet.query.words import fold

_SHORTEST = 2


@cache
def common_words() -> frozenset[str]:
    """Words that carry no subject, in the languages that most news is written in."""
    lines = files("tearsheet.web.api").joinpath("common_words.txt").read_text("utf-8").splitlines()
    return frozenset(fold(word) for line in lines if not line.startswith("#") for word in line.split())


def as_word(found: WordCount) -> dict[str, Any]:
    """A word by the names that clients of Media Cloud know; `ratio` is how often it stands in a story, on average."""
    ratio = found.count / found.looked_at
    return {
        "term": found.word,
        "count": found.count,
        "ratio": ratio,
        "term_count": found.count,
        "term_ratio": ratio,
        "doc_count": found.stories,
        "doc_ratio": found.stories / found.looked_at,
        "sample_size": found.looked_at,
    }


def is_telling(word: str) -> bool:
    """Whether a word says anything about a subject."""
    return len(word) >= _SHORTEST and not word.isdecimal() and word not in common_words()
