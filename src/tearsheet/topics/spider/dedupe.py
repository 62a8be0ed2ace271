"""Which stories are the same. Pure functions; the merging is in `merge`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from tearsheet.foreign_text import unescape
from tearsheet.query import cut

LEAST_WORDS = 3
"""A headline with fewer words is too short to show that two stories are the same."""
_AFTER_NAME = re.compile(r"\s*:\s+")
_BESIDE_NAME = re.compile(r"\s+[-–—]\s+|\s*\|\s*")
_MARKUP = re.compile(r"<[^<>]{0,500}>")
_ADDRESS = re.compile(r"https?://|www\.", re.IGNORECASE)


@dataclass(slots=True, frozen=True)
class TitledStory:
    """What the dedupe rule compares."""

    id: str
    media: str
    day: date | None
    title: str


def same_story(a: TitledStory, b: TitledStory) -> bool:
    """Whether two stories of one source and day are the same: their titles are equal, or one's title is the other's headline.

    'Washington Post: Nunes Releases FISA Memo' and 'Nunes Releases FISA Memo' are the same story. Two titles that share only
    what comes before the headline ('Live: …') are not.
    """
    if a.media != b.media or a.day is None or a.day != b.day:
        return False
    whole_a, whole_b = title_words(a.title), title_words(b.title)
    if min(len(whole_a), len(whole_b)) < LEAST_WORDS:
        return False
    return whole_a == whole_b or whole_a in headlines(b.title) or whole_b in headlines(a.title)


def title_words(title: str) -> tuple[str, ...]:
    """The words of a title, without markup, case or punctuation."""
    return tuple(cut(_MARKUP.sub(" ", unescape(title))))


def headlines(title: str) -> frozenset[tuple[str, ...]]:
    """The parts of a title that may be the headline without the name of a section or a source.

    A colon follows a name, so what comes after it counts; with a dash or a bar, the name may be on either side. The part must
    be longer than what is removed, and have at least three words.
    """
    text = _MARKUP.sub(" ", unescape(title))
    if _ADDRESS.search(text):
        return frozenset()
    found = set()
    for pieces, is_candidate in _cuts(text):
        words = [tuple(cut(piece)) for piece in pieces]
        for i, part in enumerate(words):
            rest = sum(len(other) for j, other in enumerate(words) if j != i)
            if is_candidate(i, len(words)) and len(part) >= LEAST_WORDS and len(part) > rest:
                found.add(part)
    return frozenset(found)


def _cuts(text: str) -> Iterator[tuple[list[str], _Candidate]]:
    before, colon, after = _partition(_AFTER_NAME, text)
    if colon:
        yield [before, after], _is_last
        beside = _BESIDE_NAME.split(after)
        if len(beside) > 1:
            yield [before, *beside], _is_not_first
    beside = _BESIDE_NAME.split(text)
    if len(beside) > 1:
        yield beside, _is_any


class _Candidate:
    def __init__(self, first: int, *, last_only: bool = False) -> None:
        self._first = first
        self._last_only = last_only

    def __call__(self, index: int, count: int) -> bool:
        return index == count - 1 if self._last_only else index >= self._first


_is_any, _is_not_first, _is_last = _Candidate(0), _Candidate(1), _Candidate(0, last_only=True)


def _partition(pattern: re.Pattern[str], text: str) -> tuple[str, bool, str]:
    found = pattern.search(text)
    return (text[: found.start()], True, text[found.end() :]) if found else (text, False, "")


def group_duplicates(stories: Iterable[TitledStory]) -> list[list[str]]:
    """Groups of ids that are the same story, in a fixed order whatever the order of the input."""
    same_day: dict[tuple[str, date], list[TitledStory]] = defaultdict(list)
    for story in stories:
        if story.day is not None:
            same_day[story.media, story.day].append(story)
    groups = []
    for _, stories_of_day in sorted(same_day.items()):
        if len(stories_of_day) > 1:
            groups += _groups_of_day(sorted(stories_of_day, key=lambda story: story.id))
    return groups


def _groups_of_day(stories_of_day: list[TitledStory]) -> list[list[str]]:
    """Group stories whose title or headline is the same. A headline that is no story's whole title joins nothing."""
    leader = list(range(len(stories_of_day)))

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    own: dict[tuple[str, ...], int] = {}
    for i, story in enumerate(stories_of_day):
        words = title_words(story.title)
        if len(words) >= LEAST_WORDS:
            leader[find(i)] = find(own.setdefault(words, i))
    for i, story in enumerate(stories_of_day):
        for headline in sorted(headlines(story.title)):
            if headline in own:
                leader[find(i)] = find(own[headline])
    groups: dict[int, list[str]] = defaultdict(list)
    for i, story in enumerate(stories_of_day):
        groups[find(i)].append(story.id)
    return sorted(sorted(group) for group in groups.values() if len(group) > 1)
