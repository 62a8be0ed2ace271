"""Which stories are one, and which sources are one. Pure functions; the merging is in `merge`."""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from tearsheet.errors import UsageError
from tearsheet.query import cut

LEAST_WORDS = 3
"""A headline of fewer words says too little to tell that two stories are one."""
_AFTER_NAME = re.compile(r"\s*:\s+")
_BESIDE_NAME = re.compile(r"\s+[-–—]\s+|\s*\|\s*")
_MARKUP = re.compile(r"<[^<>]{0,500}>")
_ADDRESS = re.compile(r"https?://|www\.", re.IGNORECASE)


@dataclass(slots=True, frozen=True)
class TitledStory:
    """What the dedupe rule looks at."""

    id: str
    media: str
    day: date | None
    title: str


def same_story(a: TitledStory, b: TitledStory) -> bool:
    """Whether two stories of one source and one day are one: by equal titles, or because one's title is the other's headline.

    'Washington Post: Nunes Releases FISA Memo' and 'Nunes Releases FISA Memo' are one. Two titles that only share what stands
    before the headline ('Live: …') are two.
    """
    if a.media != b.media or a.day is None or a.day != b.day:
        return False
    whole_a, whole_b = title_words(a.title), title_words(b.title)
    if min(len(whole_a), len(whole_b)) < LEAST_WORDS:
        return False
    return whole_a == whole_b or whole_a in headlines(b.title) or whole_b in headlines(a.title)


def title_words(title: str) -> tuple[str, ...]:
    """A title as its words, without markup, case and punctuation."""
    return tuple(cut(_MARKUP.sub(" ", html.unescape(title))))


def headlines(title: str) -> frozenset[tuple[str, ...]]:
    """The parts of a title that may be the headline without the name of a section or a source.

    A colon follows a name, so what stands behind it counts; beside a dash or a bar a name may stand on either side. The
    part must be longer than what is taken away, and have three words at least.
    """
    text = _MARKUP.sub(" ", html.unescape(title))
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
    """Groups of ids that are one story each, in a fixed order whatever the order of the input."""
    shelves: dict[tuple[str, date], list[TitledStory]] = defaultdict(list)
    for story in stories:
        if story.day is not None:
            shelves[story.media, story.day].append(story)
    groups = []
    for _, shelf in sorted(shelves.items()):
        if len(shelf) > 1:
            groups += _groups_of_shelf(sorted(shelf, key=lambda story: story.id))
    return groups


def _groups_of_shelf(shelf: list[TitledStory]) -> list[list[str]]:
    """Stories that carry one title, as their own or as their headline. A headline that is nobody's own title joins nothing."""
    leader = list(range(len(shelf)))

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    own: dict[tuple[str, ...], int] = {}
    for i, story in enumerate(shelf):
        words = title_words(story.title)
        if len(words) >= LEAST_WORDS:
            leader[find(i)] = find(own.setdefault(words, i))
    for i, story in enumerate(shelf):
        for headline in sorted(headlines(story.title)):
            if headline in own:
                leader[find(i)] = find(own[headline])
    groups: dict[int, list[str]] = defaultdict(list)
    for i, story in enumerate(shelf):
        groups[find(i)].append(story.id)
    return sorted(sorted(group) for group in groups.values() if len(group) > 1)


class MediaCycle(UsageError):
    """The sources that stand for one another do so in a circle."""


def parent_media(media: str, dup_media_id: Mapping[str, str | None]) -> str:
    """The source that stands for another at the end of the chain of `dup_media_id`. Raises MediaCycle."""
    seen = [media]
    while (parent := dup_media_id.get(media)) is not None:
        if parent in seen:
            raise MediaCycle(f"sources are duplicates of one another in a circle: {' → '.join([*seen, parent])}")
        seen.append(parent)
        media = parent
    return media
