"""Whether a topic can be made as it was defined: what would be lost, empty or overwritten is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tearsheet.errors import UsageError
from tearsheet.index import check_period
from tearsheet.query import All, Leaf, leaves, parse_query
from tearsheet.topics.foci import ALL_FOCI, COMMUNITIES, set_of
from tearsheet.topics.model import NewTopic, file_part

_LONGEST_NAME = 200
_LONGEST_FOCUS = 50
"""In characters: with a period before it, it is the name of a folder, which may have 255 bytes."""
_UNKNOWN_TO_PAGES = "source_id"
"""What stories of the index have and pages of the web have not."""


def check_definition(new: NewTopic) -> None:
    """Raises UsageError, which says what to write instead, and QueryError for a focus that cannot be parsed."""
    for problem in _problems(new):
        raise UsageError(problem)
    for start, end in new.timespans:
        check_period(start, end)


def _problems(new: NewTopic) -> Iterator[str]:
    if not new.name.strip():
        yield "a topic needs a name"
    if len(new.name) > _LONGEST_NAME:
        yield f"the name of a topic has at most {_LONGEST_NAME} characters"
    if new.max_iterations < 0:
        yield "--iterations: 0 takes the seeds alone; there is nothing before them"
    if new.max_stories < 1:
        yield "--max-stories: a topic needs room for one story at least"
    if new.seconds_per_media_fetch is not None and not new.seconds_per_media_fetch >= 0:
        yield "--seconds: give 0 or more"
    yield from _queries(new)
    yield from _focus_names(new.foci)


def _focus_names(names: Iterable[str]) -> Iterator[str]:
    files: dict[str, str] = {}
    for name in names:
        other = files.setdefault(file_part(name).casefold(), name)
        if not name.strip():
            yield "--focus: a focus needs a name, as in NAME=QUERY"
        if len(name) > _LONGEST_FOCUS:
            yield f"the name of a focus has at most {_LONGEST_FOCUS} characters; {name[:20]!r} begins a longer one"
        if set_of(name) in (ALL_FOCI, COMMUNITIES):
            yield f"{set_of(name)!r} is what --color-by calls something else; give the set of {name!r} another name"
        if other != name:
            yield f"--focus: {other!r} and {name!r} would be written to the same files; give one of them another name"


def _queries(new: NewTopic) -> Iterator[str]:
    of_foci = [(f"--focus {name}: ", focus.query) for name, focus in new.foci.items() if focus.query]
    for option, query in [("", new.query), *of_foci]:
        if any(_field(leaf) == _UNKNOWN_TO_PAGES for leaf in leaves(parse_query(query).tree)):
            yield f"{option}pages of the web have no {_UNKNOWN_TO_PAGES}; ask for canonical_domain, or take seeds by --source"


def _field(leaf: Leaf) -> str:
    return "" if isinstance(leaf, All) else leaf.field
