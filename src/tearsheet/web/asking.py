"""A question to the index: a query and its filters, as they stand in an address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Query as Parameter

from tearsheet.engines.database import Database
from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue import find_collection, places_of
from tearsheet.query import Query, parse_query

ORDERS = ("newest", "oldest", "relevance")


@dataclass(slots=True, frozen=True)
class Question:
    """What is asked for."""

    q: Annotated[str, Parameter(description="A query, as `climate AND (policy OR law*)`; `*` is every story.")] = "*"
    start: Annotated[str, Parameter(description="First day of publication, YYYY-MM-DD.")] = ""
    end: Annotated[str, Parameter(description="Last day of publication, YYYY-MM-DD.")] = ""
    domain: Annotated[str, Parameter(description="Only this source, as `example.com`.")] = ""
    collection: Annotated[str, Parameter(description="Only sources of this collection, by its name or id.")] = ""
    language: Annotated[str, Parameter(description="Only this language, as `en`.")] = ""
    order: Annotated[str, Parameter(description="`newest`, `oldest` or `relevance` first.")] = ORDERS[0]

    def query(self, database: Database) -> Query:
        """The query with its filters. Raises QueryError, UsageError or NotFoundError."""
        return self._of_collection(database, self.written())

    def everything(self, database: Database) -> Query:
        """All stories that the filters let through: what shares are shares of."""
        return self._of_collection(database, self._filtered(parse_query("*")))

    def written(self) -> Query:
        """The query with all filters that need no catalogue: what can be explained, and marked in stories."""
        return self._filtered(parse_query(self.q.strip() or "*"))

    def explain(self) -> str:
        """The question in English."""
        place = f", from sources of the collection “{self.collection.strip()}”" if self.collection.strip() else ""
        return self.written().explain().rstrip(".") + place

    def narrows(self) -> bool:
        """Whether any filter or order is set."""
        return self != self.plain()

    def plain(self) -> Question:
        """The same query without filters."""
        return Question(q=self.q)

    def _filtered(self, query: Query) -> Query:
        return query.within(
            start=read_day(self.start, "start"),
            end=read_day(self.end, "end"),
            domains=[self.domain.strip().lower()] if self.domain.strip() else None,
            languages=[self.language.strip().lower()] if self.language.strip() else None,
        )

    def _of_collection(self, database: Database, query: Query) -> Query:
        if not self.collection.strip():
            return query
        domains, sources = places_of(database, collection_ids=[find_collection(database, self.collection.strip())])
        return query.within(domains=domains, sources=sources)

    def checked_order(self) -> str:
        """The order. Raises UsageError."""
        if self.order not in ORDERS:
            raise UsageError(f"order: {self.order!r} is not one of {', '.join(ORDERS)}")
        return self.order

    def address(self, path: str = "/search", **changes: Any) -> str:
        """The address of this question, or of one that differs by `changes`; other words are added as they are."""
        own = {name: changes.pop(name) for name in list(changes) if name in self.__slots__}
        asked = replace(self, **own)
        given = {name: getattr(asked, name) for name in self.__slots__}
        plain = Question()
        kept = {name: value for name, value in given.items() if name == "q" or value != getattr(plain, name)}
        return f"{path}?{urlencode(kept | {name: value for name, value in changes.items() if value})}"


def read_day(text: str, name: str) -> date | None:
    """A day of a form; None when it was left empty. Raises UsageError."""
    if not text.strip():
        return None
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError as error:
        raise UsageError(f"{name}: {text!r} is not a day; write it as 2026-11-15") from error
