"""The page of the reference that describes `import tearsheet`, made from the functions, classes and docstrings themselves."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from dataclasses import fields, is_dataclass
from typing import Any

import tearsheet
from tearsheet import errors
from tearsheet.app.library.archives import Archive
from tearsheet.app.library.collection import Collection, ProvedStory
from tearsheet.app.library.rows import Rows
from tearsheet.app.library.topics import MediumLink, StoryLink, Topics, TopicStory, TopicTables
from tearsheet.app.proofs import CaptureRecord
from tearsheet.archive import ArchivedStory
from tearsheet.engines.index import IndexedStory
from tearsheet.feeds import Enclosure, Entry, FeedError, ParsedFeed
from tearsheet.feeds.catalogue import DiscoveredFeed, PossibleFeed
from tearsheet.index import Attention, Total, WordCount
from tearsheet.ingest import IngestWebResult
from tearsheet.query import Query, QueryError
from tearsheet.topics.snapshot import MediumCounts, SnapshotInfo
from tearsheet.urls import BadURL

FUNCTIONS = ("extract_article", "parse_feed", "discover_feeds", "parse_query", "read_archive", "capture", "open")
CLASSES: tuple[type, ...] = (Collection, Topics, TopicTables, Rows, Archive, Query)
RECORDS: tuple[type, ...] = (
    IndexedStory, ProvedStory, CaptureRecord, ArchivedStory, Total, Attention, WordCount, TopicStory, StoryLink, MediumCounts,
    MediumLink, SnapshotInfo, ParsedFeed, Entry, Enclosure, DiscoveredFeed, PossibleFeed, IngestWebResult,
)  # fmt: skip
ERRORS = (*(kind for kind in vars(errors).values() if isinstance(kind, type)), QueryError, FeedError, BadURL)

_MEANINGS = {"Some": "str | Sequence[str]", "Interval": 'Literal["day", "week", "month"]'}
_ONE_LINE = 100

_INTRODUCTION = """\
`import tearsheet` gives programs and notebooks these functions, and `tearsheet.errors`. Importing it takes a few hundredths of a
second and changes nothing: what a function needs is loaded when it is first called. All are typed. They can be called with or
without a running event loop (a notebook has one, which stands still meanwhile) and from any thread, and leave no process behind.

The examples are run by a test, on a small collection in `tearsheet-data` and on a site that answers as `herald.example`.
[How to use Tearsheet from Python](../how-to/use-from-python.md) begins with a task, and three notebooks are in `docs/notebooks`.
"""


def python_page() -> str:
    """The whole page."""
    lines = ["# Python", "", _INTRODUCTION, "## Functions"]
    for name in FUNCTIONS:
        lines += ["", f"### `tearsheet.{name}`", "", *_described(getattr(tearsheet, name), f"tearsheet.{name}")]
    lines += ["", "## Objects", "", "What the functions return, with what it can do."]
    for kind in CLASSES:
        lines += ["", f"### `{kind.__name__}`", "", *_words(_docstring(kind))]
        for name, member in _public_members(kind):
            lines += ["", f"#### `{kind.__name__}.{name}`", "", *_described(member, name)]
    lines += [
        "",
        "## Records",
        "",
        "Dataclasses. What `extract_article` returns, and the parts of an archived story, are described",
    ]
    lines += ["in [Metadata of a story](metadata.md)."]
    for kind in RECORDS:
        lines += ["", f"### `{kind.__name__}`", "", *_words(_docstring(kind)), "", *_table(kind)]
    lines += [
        "",
        "## Errors",
        "",
        "All derive from `tearsheet.errors.TearsheetError`; the message is one line that says what to do.",
    ]
    lines += ["", "| error | meaning |", "|---|---|"]
    lines += [f"| `{kind.__name__}` | {_first_line(kind)} |" for kind in ERRORS]
    return "\n".join(lines) + "\n"


def _public_members(kind: type) -> list[tuple[str, Any]]:
    """The methods and properties of a class that are its own, in order, and worth a word."""
    return [
        (name, member)
        for name, member in vars(kind).items()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property))
    ]


def _described(thing: Any, name: str) -> list[str]:
    """The signature of a function, or the type of a property, and its docstring."""
    if isinstance(thing, property):
        assert thing.fget is not None
        shown = f"{name}: {_type(inspect.signature(thing.fget).return_annotation)}"
    else:
        shown = name + _signature(thing)
    return ["```python", shown, "```", "", *_words(_docstring(thing))]


def _signature(function: Any) -> str:
    """The parameters with their types and defaults, on one line if there is room, and what is returned."""
    signature = inspect.signature(function)
    shown: list[str] = []
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in shown:
            shown.append("*")
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        shown.append(f"{parameter.name}: {_type(parameter.annotation)}{default}".replace("'", '"'))
    returned = f" -> {_type(signature.return_annotation)}"
    line = f"({', '.join(shown)}){returned}"
    return line if len(line) <= _ONE_LINE else "(\n" + "".join(f"    {part},\n" for part in shown) + f"){returned}"


def _type(annotation: str) -> str:
    """A type as it is written in the source, without the names that only the source has for it."""
    for name, meaning in _MEANINGS.items():
        annotation = re.sub(rf"\b{name}\b", meaning, annotation)
    return annotation


def _words(text: str) -> list[str]:
    """A docstring, with its examples in blocks of their own."""
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        if line.startswith(">>>") and not inside:
            lines.append("```pycon")
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return [*lines, "```"] if inside else lines


def _docstring(thing: Any) -> str:
    return inspect.getdoc(thing.fget if isinstance(thing, property) else thing) or ""


def _first_line(kind: type) -> str:
    return _docstring(kind).splitlines()[0]


def _table(kind: type) -> list[str]:
    """The fields of a dataclass, with the lines that stand below them in the source."""
    assert is_dataclass(kind)
    said: dict[str, str] = {}
    for place in reversed(kind.__mro__[:-1]):
        said |= _field_notes(place)
    rows = [
        f"| `{item.name}` | `{str(item.type).replace('|', chr(92) + '|')}` | {said.get(item.name, '')} |"
        for item in fields(kind)
    ]
    return ["| field | type | meaning |", "|---|---|---|", *rows]


def _field_notes(kind: type) -> dict[str, str]:
    [body] = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef)
    notes: dict[str, str] = {}
    for field, following in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and _is_text(following):
            notes[field.target.id] = " ".join(str(ast.literal_eval(following.value)).split())  # type: ignore[attr-defined]
    return notes


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
