"""The smallest query language that the pipeline needs; the full language replaces this module."""

from __future__ import annotations

from dataclasses import dataclass


class QueryError(ValueError):
    """The query cannot be read; the message points at the character."""


@dataclass(slots=True, frozen=True)
class Query:
    """A parsed query."""

    source: str


def parse_query(text: str) -> Query:
    """Read a query. Raises QueryError."""
    return Query(text)
