"""Whether a page can be about the topic, whether a story is, and why. Pure functions of a query and a text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

import re2

from tearsheet.query import (
    And,
    Leaf,
    Not,
    Or,
    Phrase,
    Prefix,
    Query,
    Term,
    Wildcard,
    fold,
    glob_parts,
    leaves,
    make_subject,
    parse_query,
    reduce_tree,
)
from tearsheet.topics.spider.spellings import other_spellings_pattern, surroundings, unfold, word_pattern

MAX_RAW = 1_048_576
"""Characters of a raw page that are searched."""
_SENTENCE_END = re.compile(r"(?<=[.!?。！？…])[\"'”’»)\]]*\s+|\n+|(?<=[。！？])")
_MAX_SENTENCES = 5_000
_URL_WORD = re.compile(r"[^\W_]+")


class RawTest:
    """Step one, on the page as it was received: can it match at all? If it errs, it errs towards yes.

    Exclusions, order and distance are left to step two. One pass over the page searches for all words of the query at once, so
    many words cost no more than one. The same pass tells whether the page may spell a word in a way that this search misses;
    only then are those parts of the page unfolded and searched again.
    """

    def __init__(self, query: Query) -> None:
        self._tree = query.tree
        words = sorted({word for leaf in leaves(query.tree) for word in _needles(leaf)})
        self._finder = _Finder(words)

    def __call__(self, page: str, url: str = "") -> bool:
        """Whether the page can be relevant. Step two also matches its address, so that is searched too."""
        page = f"{page[:MAX_RAW]}\n{url}" if url else page[:MAX_RAW]
        found, may_hold_more = self._finder.find(page)
        if self._holds(found):
            return True
        return may_hold_more and self._holds(found | self._finder.find(unfold(self._finder.unusual_parts(page)))[0])

    def touches(self, sentence: str) -> bool:
        """Whether a sentence contains any word of the query, and so can change a verdict."""
        return not self._finder.words or bool(self._finder.find(fold(sentence))[0])

    def _holds(self, found: frozenset[str]) -> bool:
        def test(leaf: Leaf) -> bool:
            return found.issuperset(_needles(leaf))

        def join(node: And | Or | Not, parts: list[bool]) -> bool:
            return True if isinstance(node, Not) else all(parts) if isinstance(node, And) else any(parts)

        return reduce_tree(self._tree, test, join)


@lru_cache(maxsize=100)
def raw_test(query: str) -> RawTest:
    """The first test of relevance for a query."""
    return RawTest(parse_query(query))


class _Finder:
    """Finds which words a text contains, and whether it may contain others in spellings that the search does not know."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        options = re2.Options()
        options.case_sensitive = False
        options.log_errors = False
        options.max_mem = 64 << 20
        self._set: Any = re2.Set.SearchSet(options)
        for word in words:
            self._set.Add(word_pattern(word))
        self._unusual: Any = None
        if words:
            unusual = other_spellings_pattern(words)
            self._unusual = re2.compile(surroundings(unusual), options)
            self._set.Add(unusual)
            self._set.Compile()

    def find(self, text: str) -> tuple[frozenset[str], bool]:
        if not self.words:
            return frozenset(), False
        # Bytes, because RE2 would encode a str more slowly than Python does.
        numbers = self._set.Match(text.encode("utf-8", "replace")) or ()
        last = len(self.words)
        return frozenset(self.words[number] for number in numbers if number < last), last in numbers

    def unusual_parts(self, text: str) -> str:
        """The parts of a text that may contain words in unusual spellings, one per line."""
        parts = self._unusual.findall(text.encode("utf-8", "replace"))
        return b"\n".join(parts).decode("utf-8", "replace")


def _needles(leaf: Leaf) -> list[str]:
    """What a page must contain for a leaf to match: nothing if the page alone cannot tell."""
    if isinstance(leaf, Term | Prefix | Phrase | Wildcard) and leaf.field in ("", "article_title", "text_content"):
        if isinstance(leaf, Term):
            return [leaf.word]
        if isinstance(leaf, Prefix):
            return [leaf.start]
        if isinstance(leaf, Phrase):
            return list(leaf.words)
        parts = "".join(c if not wild else "\0" for wild, c in glob_parts(leaf.glob)).split("\0")
        longest = max(parts, key=len)
        return [longest] if longest else []
    return []


@dataclass(slots=True, frozen=True)
class Verdict:
    """Whether a story is relevant, and the reason, which the topic records."""

    relevant: bool
    why: str


@dataclass(slots=True, frozen=True)
class Parts:
    """What step two matches."""

    title: str
    description: str
    url: str
    sentences: tuple[str, ...]
    repeated: int = 0
    """How many sentences were left out because the same source used them in another story of the week."""
    language: str = ""
    media: str = ""
    day: date | None = None


def judge(query: Query, parts: Parts) -> Verdict:
    """Step two: the title, the description, the address or the sentences must match, or all of them together.

    A query that excludes something (NOT) is matched against all parts together only: what is excluded may be in any of them.
    """
    words = " ".join(_URL_WORD.findall(parts.url.partition("://")[2].partition("/")[2]))
    sentences = " ".join(parts.sentences)
    separate = [("title", parts.title, ""), ("description", "", parts.description), ("url", "", words),
                ("sentences", "", sentences)]  # fmt: skip
    everything = "\n\n".join(filter(None, (parts.description, sentences, words)))

    def matches(title: str, text: str) -> bool:
        subject = make_subject(title=title, text=text, url=parts.url, language=parts.language,
                               canonical_domain=parts.media, publication_date=parts.day)  # fmt: skip
        return query.matches_subject(subject)

    if not excludes(query):
        found = [name for name, title, text in separate if (title or text) and matches(title, text)]
        if found:
            return Verdict(True, "matched in " + ", ".join(found))
    if matches(parts.title, everything):
        return Verdict(True, "matched in all parts together")
    left_out = f"; {parts.repeated} repeated sentences left out" if parts.repeated else ""
    return Verdict(False, f"no match in title, description, url or {len(parts.sentences)} sentences{left_out}")


def excludes(query: Query) -> bool:
    """Whether the query has a NOT in it."""
    return reduce_tree(query.tree, lambda _: False, lambda node, parts: isinstance(node, Not) or any(parts))


def outside_dates(day: date | None, start: date | None, end: date | None) -> str | None:
    """Why a story's day keeps it out of the topic; None if it does not. A story without a day is not kept out."""
    if day is None or ((start is None or start <= day) and (end is None or day <= end)):
        return None
    return f"dated {day}, outside {start or '…'} to {end or '…'}"


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, in order."""
    found = (" ".join(piece.split()) for piece in _SENTENCE_END.split(text))
    return [sentence for sentence in found if sentence][:_MAX_SENTENCES]


def fingerprint(sentence: str) -> int:
    """The number that equal sentences share: 63 bits of a hash of the folded words."""
    digest = hashlib.blake2b(fold(" ".join(sentence.split())).encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def calendar_week(day: date | None) -> str:
    """The Monday of a day's week; `undated` for stories without a day."""
    return "undated" if day is None else (day - timedelta(days=day.weekday())).isoformat()


def leave_out_repeated(sentences: Collection[str], is_repeated: Callable[[int], bool]) -> tuple[tuple[str, ...], int]:
    """The sentences that no other story of the source used in that week, and how many were left out."""
    kept = tuple(sentence for sentence in sentences if not is_repeated(fingerprint(sentence)))
    return kept, len(sentences) - len(kept)
