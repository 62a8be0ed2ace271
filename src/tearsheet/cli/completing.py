"""Completion of names that only the data folder knows: topics, sources, collections and queues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Completion = Callable[[Any, str], list[str]]


def names_of(kind: str) -> Completion:
    """What typer calls to complete a name of this kind; it reads the data folder that the command line names so far."""

    def complete(ctx: Any, incomplete: str) -> list[str]:
        from tearsheet.app import names_like  # not needed for a help text

        return names_like(ctx.find_root().params.get("data"), kind, incomplete)

    return complete
