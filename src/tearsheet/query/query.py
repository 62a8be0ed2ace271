"""A query that was read: its text, its tree, and what can be made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from tearsheet.query.dates import day_number
from tearsheet.query.parser import parse
from tearsheet.query.tree import Node, OneOf, Range, conjunction, disjunction
from tearsheet.query.words import fold


@dataclass(slots=True, frozen=True)
class Query:
    """A parsed query."""

    source: str
    """The text that was read."""
    tree: Node

    def within(
        self,
        *,
        start: date | None = None,
        end: date | None = None,
        domains: Iterable[str] | None = None,
        sources: Iterable[int] | None = None,
        languages: Iterable[str] | None = None,
    ) -> Query:
        """The same query, only for stories of these days (both included), domains or sources, and languages.

        Domains and sources together mean stories of either, because a source is known by its id or by its domain. An empty
        collection means that no story can match.
        """
        parts = [self.tree]
        if start or end:
            first, last = (None if day is None else day_number(day) for day in (start, end))
            parts.append(Range("publication_date", first, last))
        places: list[Node] = []
        if domains is not None:
            places.append(OneOf("canonical_domain", tuple(sorted({fold(domain) for domain in domains}))))
        if sources is not None:
            places.append(OneOf("source_id", tuple(sorted({str(source) for source in sources}))))
        if places:
            parts.append(places[0] if len(places) == 1 else disjunction(places))
        if languages is not None:
            parts.append(OneOf("language", tuple(sorted({fold(language) for language in languages}))))
        return Query(self.source, conjunction(parts))


def parse_query(text: str) -> Query:
    """Read a query. Raises QueryError, which points at the character.

    `climate AND (policy OR law*) -title:"cap and trade" publication_date:[2024-01 TO 2024-06]`; `*` is every story.
    """
    return Query(text, parse(text))
