"""The most frequent words of some texts, without those that every text has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from tearsheet.query.words import cut, fold

_SHORTEST = 2


@cache
def common_words() -> frozenset[str]:
    """Words that carry no subject, in the languages that most news is written in."""
    lines = files("tearsheet.web.api").joinpath("common_words.txt").read_text("utf-8").splitlines()
    return frozenset(fold(word) for line in lines if not line.startswith("#") for word in line.split())


def top_words(texts: Sequence[str], limit: int) -> list[dict[str, Any]]:
    """The most frequent words: how often, in how many texts, and the shares of both."""
    often: Counter[str] = Counter()
    widely: Counter[str] = Counter()
    total = 0
    for text in texts:
        words = cut(text)
        total += len(words)
        kept = [word for word in words if is_telling(word)]
        often.update(kept)
        widely.update(set(kept))
    ranked = sorted(often.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]
    return [
        {
            "term": word,
            "count": count,
            "ratio": count / total,
            "term_count": count,
            "term_ratio": count / total,
            "doc_count": widely[word],
            "doc_ratio": widely[word] / len(texts),
            "sample_size": len(texts),
        }
        for word, count in ranked
    ]


def is_telling(word: str) -> bool:
    """Whether a word says anything about a subject."""
    return len(word) >= _SHORTEST and not word.isdecimal() and word not in common_words()
