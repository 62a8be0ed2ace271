"""What is wrong with a query, and at which character."""

from __future__ import annotations

from tearsheet.errors import UsageError

_CONTEXT = 30


class QueryError(UsageError, ValueError):
    """The query cannot be read, or cannot be expressed in the form that was asked for.

    The message is one line. `position` is the index of the wrong character, counted from 0, or None when the query as a
    whole is wrong; `pointer()` shows the query with a caret under that character.
    """

    def __init__(self, problem: str, text: str = "", position: int | None = None) -> None:
        self.problem = problem
        self.text = text
        self.position = position
        super().__init__(problem if position is None else f"{problem} (at character {position + 1})")

    def pointer(self) -> str:
        """The query, or the part around the error, with a caret below; empty when there is no position."""
        if self.position is None:
            return ""
        start = max(0, self.position - _CONTEXT)
        part = self.text[start : self.position + _CONTEXT]
        shown = "".join(character if character.isprintable() else " " for character in part)
        lead = "…" if start else ""
        tail = "…" if self.position + _CONTEXT < len(self.text) else ""
        return f"{lead}{shown}{tail}\n{' ' * (len(lead) + self.position - start)}^"
