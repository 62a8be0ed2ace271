"""Counted nouns: `1 story`, `2 stories`, `1 address was`, `1,200 addresses were`."""

from __future__ import annotations

_VERBS = {"is": "are", "was": "were", "has": "have", "does": "do"}


def how_many(number: int, noun: str, verb: str = "") -> str:
    """A number with its noun, and with its verb if that is given; noun and verb as they are for one thing.

    Without a noun (an empty one), the number stands for things that were named before.
    """
    words = [noun, verb] if number == 1 else [_plural(noun), _of_many(verb)]
    return " ".join([f"{number:,}", *filter(None, words)])


def _plural(noun: str) -> str:
    if not noun:
        return ""
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def _of_many(verb: str) -> str:
    return _VERBS.get(verb, verb.removesuffix("s"))
