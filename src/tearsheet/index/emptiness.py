"""Why a question found no story: the first thing in the way, in a sentence, and what is near."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tearsheet.engines.index import Index
from tearsheet.errors import TooSlow
from tearsheet.index.question import Asked, Question
from tearsheet.near_names import MOST_COMPARED, did_you_mean
from tearsheet.query import And, Or, Phrase, Prefix, Query, Term, Wildcard, parse_query

Word = Term | Phrase | Prefix | Wildcard
_EVERYTHING = parse_query("*")
_MOST_WORDS = 8
"""So many words of a query are looked up; each costs a question to the index."""


def why_no_stories(
    index: Index, question: Question, ask: Callable[[Question], Asked], folder: str, archived: Callable[[], bool]
) -> str:
    """Why the question finds nothing in the index of a data folder.

    `ask` looks up its sources and collections; `archived` says whether the archive has stories.
    """
    if not index.count(_EVERYTHING):
        if archived():
            return f"No stories: the index of {folder} is empty, but its archive is not: `tearsheet index rebuild` fills it again."
        return f"No stories yet: the index of {folder} is empty. `tearsheet run FEED` collects some."
    try:
        return (
            _unknown_value(index, "canonical_domain", question.sources, "source")
            or _unknown_value(index, "language", question.languages, "language")
            or _nothing_to_search(index, question, ask, folder)
            or _words_nowhere(index, question)
        )
    except TooSlow:
        return "No stories match."


def first_and_last_day(index: Index, query: Query = _EVERYTHING) -> tuple[str, str] | None:
    """The first and the last day of publication of the stories that match; None when no story has one."""
    days = [day for day, count in index.over_time(query, "day") if count]
    return (min(days), max(days)) if days else None


def _unknown_value(index: Index, field: str, wanted: tuple[str, ...], what: str) -> str:
    known = [value for value, _ in index.top(_EVERYTHING, field, MOST_COMPARED)] if wanted else []
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
    words = list(dict.fromkeys(_words(question.parsed)))[:_MOST_WORDS]
    nowhere = [_written(leaf) for leaf in words if not index.count(Query(_written(leaf), leaf))]
    if nowhere:
        return f"No stories match: no story in the index has {_listed(nowhere, 'or')}."
    if len(words) > 1:
        return f"No stories match: the index has {_listed([_written(leaf) for leaf in words], 'and')}, but no story as asked."
    return "No stories match within these days, sources and languages."


def _words(query: Query) -> Iterator[Word]:
    """What a story must have in its title or text, from left to right; what it must not have is left out."""
    stack = [query.tree]
    while stack:
        node = stack.pop()
        if isinstance(node, And | Or):
            stack.extend(reversed(node.parts))
        elif isinstance(node, Term | Phrase | Prefix | Wildcard):
            yield node


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
