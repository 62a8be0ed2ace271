"""A query in English."""

from __future__ import annotations

from datetime import UTC, datetime

from tearsheet.query.dates import day_of
from tearsheet.query.spelled import written
from tearsheet.query.tree import (
    ANY,
    STORY,
    WORD_FIELDS,
    All,
    And,
    Leaf,
    Node,
    Not,
    OneOf,
    Or,
    Phrase,
    Prefix,
    Range,
    Term,
    Wildcard,
    reduce_tree,
)

_IN_FIELD = {ANY: "", "article_title": " in the title", "text_content": " in the text"}
_MANY = 5


def explain_tree(tree: Node) -> str:
    """One sentence that says which stories are found."""
    if tree == All():
        return "All stories."
    if tree == Not(All()):
        return "No stories."
    return f"Stories {reduce_tree(tree, _leaf, _join)[0]}."


_Clause = tuple[str, str]
"""What is said about the stories, and how it was joined: `leaf`, `and`, `or`, `not`."""


def _join(node: And | Or | Not, parts: list[_Clause]) -> _Clause:
    if isinstance(node, Not):
        return _negated(parts[0]), "not"
    word = "and" if isinstance(node, And) else "or"
    simple = all(kind == "leaf" and text.startswith("with ") for text, kind in parts)
    if simple:
        inner = f" {word} ".join(text.removeprefix("with ") for text, _ in parts)
        return f"with {inner}", word
    texts = [f"({text})" if kind in ("and", "or") and kind != word else text for text, kind in parts]
    return f" {word} ".join(texts), word


def _negated(part: _Clause) -> str:
    text, kind = part
    if kind != "leaf":
        return f"not ({text})"
    return "without " + text.removeprefix("with ") if text.startswith("with ") else f"not {text}"


def _leaf(leaf: Leaf) -> _Clause:
    return _describe(leaf), "leaf"


def _describe(leaf: Leaf) -> str:
    if isinstance(leaf, All):
        return "of any kind"
    if isinstance(leaf, Range):
        return _range(leaf)
    if isinstance(leaf, OneOf):
        return _one_of(leaf)
    if leaf.field in (ANY, *WORD_FIELDS):
        return f"with {_words(leaf)}{_IN_FIELD[leaf.field]}"
    return _value(leaf)


def _words(leaf: Term | Phrase | Prefix | Wildcard) -> str:
    if isinstance(leaf, Term):
        return f"“{written([leaf.word])}”"
    if isinstance(leaf, Prefix):
        text = written([leaf.start], True)
        return f"a word that begins with “{leaf.start}”" if text.endswith("*") else f"“{text}”"
    if isinstance(leaf, Wildcard):
        return f"a word like “{leaf.glob}”"
    text = written(leaf.words, leaf.open_end)
    if leaf.slop:
        return f"the words “{text}” at a distance of at most {leaf.slop}"
    return f"the phrase “{text}”"


def _value(leaf: Term | Phrase | Prefix | Wildcard) -> str:
    if isinstance(leaf, Prefix):
        return f"whose address begins with “{leaf.start}”"
    if isinstance(leaf, Wildcard):
        return f"whose address is like “{leaf.glob}”"
    assert isinstance(leaf, Term), "phrases are only of words"
    return {
        "language": f"in the language “{leaf.word}”",
        "canonical_domain": f"from {leaf.word}",
        "source_id": f"from source {leaf.word}",
        "url": f"whose address is “{leaf.word}”",
    }[leaf.field]


def _one_of(leaf: OneOf) -> str:
    if leaf.field == STORY:
        return f"in a set of {len(leaf.values):,}"
    kinds = {"canonical_domain": ("from", "domains"), "source_id": ("from", "sources"), "language": ("in", "languages")}
    preposition, kind = kinds.get(leaf.field, ("from", "values"))
    if len(leaf.values) == 1:
        return _value(Term(leaf.field, leaf.values[0]))
    if len(leaf.values) > _MANY:
        return f"{preposition} one of {len(leaf.values):,} {kind}"
    return (
        f"{preposition} one of the {kind} {', '.join(leaf.values)}"
        if leaf.values
        else f"{preposition} none of the {kind}"
    )


def _range(leaf: Range) -> str:
    verb, show = ("published", _day) if leaf.field == "publication_date" else ("indexed", _moment)
    if leaf.low is None and leaf.high is None:
        return f"{verb} on a known date"
    if leaf.low is None:
        return f"{verb} up to {show(leaf.high or 0)}"
    if leaf.high is None:
        return f"{verb} from {show(leaf.low)} on"
    if leaf.low == leaf.high:
        return f"{verb} on {show(leaf.low)}"
    return f"{verb} from {show(leaf.low)} to {show(leaf.high)}"


def _day(number: int) -> str:
    return day_of(number).isoformat()


def _moment(number: int) -> str:
    seconds, rest = divmod(max(number, 0), 1_000_000_000)
    if rest % 1_000 == 999:
        rest -= 999  # the end of a range is the last nanosecond of the microsecond that was asked for
    text = datetime.fromtimestamp(min(seconds, 253_402_300_799), UTC).strftime("%Y-%m-%d %H:%M:%S")
    return (text + f".{rest:09}".rstrip("0") if rest else text) + " UTC"
