"""Why a question found no story: the first thing in the way, in a sentence, and what is near."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tearsheet.engines.index import Index
from tearsheet.errors import TooSlow
from tearsheet.index.answers import words
from tearsheet.index.question import Asked, Question
from tearsheet.near_names import MOST_COMPARED, did_you_mean, near_names
from tearsheet.query import EVERYTHING, Phrase, Prefix, Query, Term, Wildcard, leaves

Word = Term | Phrase | Prefix | Wildcard
_FIRST_FEED = "`tearsheet run FEED` collects some, and `tearsheet demo` shows how"
_MOST_WORDS = 8
"""So many words of a query are looked up; each costs a question to the index."""

_STORIES_READ, _MOST_LIKELY = 200, 5_000
"""What a mistyped word is compared with: the most frequent words of so many stories, so that nobody waits for a guess."""


def why_no_stories(
    index: Index,
    question: Question,
    ask: Callable[[Question], Asked],
    folder: str,
    archived: Callable[[], bool],
    has_feeds: Callable[[], bool],
) -> str:
    """Why the question finds nothing in the index of a data folder.

    `ask` looks up its sources and collections; `archived` says whether the archive has stories, and `has_feeds` whether
    there are feeds to collect from.
    """
    if not index.count(EVERYTHING):
        if archived():
            return f"No stories: the index of {folder} is empty, but its archive is not: `tearsheet index rebuild` fills it again."
        collects = "`tearsheet run` collects some." if has_feeds() else f"{_FIRST_FEED}."
        return f"No stories yet: the index of {folder} is empty. {collects}"
    try:
        return (
            _unknown_value(index, "canonical_domain", question.sources, "source")
            or _unknown_value(index, "language", question.languages, "language")
            or _nothing_to_search(index, question, ask, folder)
            or _words_nowhere(index, question)
        )
    except TooSlow:
        return "No stories match."


def first_and_last_day(index: Index, query: Query = EVERYTHING) -> tuple[str, str] | None:
    """The first and the last day of publication of the stories that match; None when no story has one."""
    days = [day for day, count in index.over_time(query, "day") if count]
    return (min(days), max(days)) if days else None


def _unknown_value(index: Index, field: str, wanted: tuple[str, ...], what: str) -> str:
    known = [value for value, _ in index.top(EVERYTHING, field, MOST_COMPARED)] if wanted else []
    for value in wanted:
        if value not in known:
            hint = did_you_mean(value, known, f"`tearsheet count '*' --by {what}` shows them")
            return f"No stories: none in the index is of the {what} {value!r}; {hint}"
    return ""


def _nothing_to_search(index: Index, question: Question, ask: Callable[[Question], Asked], folder: str) -> str:
    """What is wrong with the days, sources and collections, when no story at all is of these."""
    if index.count(ask(question).everything):
        return ""
    at_any_time = replace(question, start=None, end=None, as_of=None)
    found = first_and_last_day(index, ask(at_any_time).everything)
    if found is None:
        return f"No stories: the index of {folder} has none of these sources and collections."
    these = " of these sources" if question.sources or question.collections else ""
    if question.as_of and index.count(ask(replace(question, as_of=None)).everything):
        return f"No stories: none{these} had been indexed at {question.as_of:%Y-%m-%d %H:%M} UTC."
    return f"No stories of these days: the index has stories{these} from {found[0]} to {found[1]}."


def _words_nowhere(index: Index, question: Question) -> str:
    """Which words occur nowhere, when there is something to search."""
    leaves = list(dict.fromkeys(_words(question.parsed)))[:_MOST_WORDS]
    nowhere = [_written(leaf) for leaf in leaves if not index.count(Query(_written(leaf), leaf))]
    if nowhere:
        near = _meant(index, [leaf.word for leaf in leaves if isinstance(leaf, Term) and _written(leaf) in nowhere])
        return f"No stories match: no story in the index has {_listed(nowhere, 'or')}{near}"
    if len(leaves) > 1:
        return f"No stories match: the index has {_listed([_written(leaf) for leaf in leaves], 'and')}, but no story as asked."
    return "No stories match within these days, sources and languages."


def _meant(index: Index, mistyped: list[str]) -> str:
    """The end of a message about words that occur nowhere: what is spelled like them in some of the stories."""
    known = (
        [found.word for found in words(index, EVERYTHING, _MOST_LIKELY, sample_size=_STORIES_READ)] if mistyped else []
    )
    near = dict.fromkeys(name for word in mistyped for name in near_names(word, known, most=1))
    return f"; did you mean {_listed([f'“{name}”' for name in near], 'and')}?" if near else "."


def _words(query: Query) -> Iterator[Word]:
    """What a story must have in its title or text, from left to right; what it must not have is left out."""
    return (leaf for leaf in leaves(query.tree, negated=False) if isinstance(leaf, Term | Phrase | Prefix | Wildcard))


def _written(leaf: Word) -> str:
    match leaf:
        case Phrase():
            text = " ".join(leaf.words)
        case Prefix():
            text = f"{leaf.start}*"
        case Wildcard():
            text = leaf.glob
        case Term():
            text = leaf.word
    return f"“{text}”"


def _listed(words: list[str], joint: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"
