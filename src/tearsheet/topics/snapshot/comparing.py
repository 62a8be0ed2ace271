"""Which words, or names, tell two parts of a topic apart: foci or periods, by what their stories say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tearsheet.errors import NotFoundError
from tearsheet.near_names import did_you_mean
from tearsheet.query import cut
from tearsheet.topics.names import names_in
from tearsheet.topics.snapshot.frozen import Frozen
from tearsheet.topics.snapshot.timespans import Counting, Timespan, timespans_of
from tearsheet.topics.telling_words import TellingWord, telling_words

REST = "the rest"
"""What a part is compared with when nothing is named: all other stories of the snapshot."""


@dataclass(slots=True)
class Part:
    """A part of a topic, and what its stories say."""

    name: str
    stories: Sequence[str]
    """The ids of those that are in this part alone."""
    texts: int = 0
    """Stories whose text is stored. The others were erased."""
    words: Counter[str] = field(default_factory=Counter)
    stories_with: Counter[str] = field(default_factory=Counter)
    """How many stories have each word."""


@dataclass(slots=True, frozen=True)
class Row:
    """A word that one part has more often than the other."""

    word: str
    more_in: str
    count: int
    """In the first part."""
    other_count: int
    stories: int
    other_stories: int
    log_odds: float
    """Above 0 if the first part has it more often."""
    z: float


def parts_of(frozen: Frozen, name: str, against: str, language: str = "") -> tuple[Part, Part, int]:
    """Two parts by their names, and how many stories are in both: those count in neither. Raises NotFoundError.

    With a language, only stories in it are taken: otherwise parts in several languages are told apart by these.
    """
    if language:
        spoken = tuple(number for number, story in enumerate(frozen.stories) if story.language == language)
    else:
        spoken = tuple(range(len(frozen.stories)))
    counting = Counting(frozen)
    ids = [story.id for story in frozen.stories]
    first = counting.dated_inside(_timespan(frozen, name))
    other = counting.dated_inside(_timespan(frozen, against)) if against else ~first
    parts = [
        Part(called, [ids[number] for number in spoken if mine[number] and not others[number]])
        for called, mine, others in ((name, first, other), (against or REST, other, first))
    ]
    for part in parts:
        if not part.stories:
            what = f"stories of its own in {language!r}" if language else "stories of its own"
            raise NotFoundError(f"{part.name!r} has no {what} to compare")
    return parts[0], parts[1], sum(bool(first[number] and other[number]) for number in spoken)


def _timespan(frozen: Frozen, name: str) -> Timespan:
    """A focus over the whole topic by its name, or a period by the name that exports give it, with a focus or without."""
    known = {timespan.name: timespan for timespan in timespans_of(frozen)}
    known |= {focus: Timespan("overall", None, None, focus) for focus, _ in frozen.foci}
    if name not in known:
        hint = did_you_mean(name, known, "`tearsheet topic focus list` shows foci, and `export` names periods")
        raise NotFoundError(f"the snapshot has no focus or period {name!r}; {hint}")
    return known[name]


def add_text(part: Part, title: str, text: str, *, names: bool) -> None:
    """Count the words of a story, or its names. Titles are left out of names: some write all their words with capitals."""
    found = names_in(text) if names else cut(f"{title}\n{text}")
    part.texts += 1
    part.words.update(found)
    part.stories_with.update(set(found))


def compared(first: Part, other: Part, limit: int) -> list[Row]:
    """The most telling words of each part, the first part's before those of the other, the most telling first."""
    told = telling_words(first.words, other.words)
    return [
        *_rows([word for word in told if word.z > 0][:limit], first.name, first, other),
        *_rows([word for word in reversed(told) if word.z < 0][:limit], other.name, first, other),
    ]


def _rows(words: Iterable[TellingWord], more_in: str, first: Part, other: Part) -> list[Row]:
    return [
        Row(
            one.word,
            more_in,
            one.first,
            one.second,
            first.stories_with[one.word],
            other.stories_with[one.word],
            round(one.log_odds, 3),
            round(one.z, 2),
        )
        for one in words
    ]
