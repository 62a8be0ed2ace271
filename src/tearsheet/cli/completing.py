"""Completion of names that only the data folder knows: topics, sources, collections and queues."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import Any

Completion = Callable[[Any, str], Sequence[str]]
_SHELL = "_TEARSHEET_COMPLETE"
"""The variable by which a shell asks for completions, and says which shell it is."""
_ACTED_ON_BY_ZSH = re.compile(r"[\\\"'`$]")
"""Typer's script for zsh evaluates what it is offered, and a backslash in a name, which may come with somebody's list of feeds,
undoes the escapes: such a name could be a command. It is typed by hand."""
_SPECIAL_IN_BASH = re.compile(r"[^\w@%+=:,./-]")


def names_of(kind: str) -> Completion:
    """What typer calls to complete a name of this kind; it reads the data folder that the command line names so far."""

    def complete(ctx: Any, incomplete: str) -> Sequence[str]:
        from tearsheet.app import names_like  # not needed for a help text

        names = names_like(ctx.find_root().params.get("data"), kind, incomplete)
        if os.environ.get(_SHELL) == "complete_zsh":
            return [name for name in names if not _ACTED_ON_BY_ZSH.search(name)]
        return [_TypedInBash(name) for name in names] if _bash_wants_escapes(incomplete) else names

    return complete


def _bash_wants_escapes(incomplete: str) -> bool:
    """Whether bash puts what it is offered on the line as it is. Within quotes it needs none, and other shells add their own."""
    if os.environ.get(_SHELL) != "complete_bash":
        return False
    line = os.environ.get("COMP_WORDS", "")
    return not (incomplete and line.endswith((f"'{incomplete}", f'"{incomplete}')))


class _TypedInBash(str):
    """A name that typer compares with what was typed, and prints with a backslash before blanks and all that bash acts on."""

    __slots__ = ()

    def __format__(self, _: str) -> str:
        return _SPECIAL_IN_BASH.sub(r"\\\g<0>", self)
