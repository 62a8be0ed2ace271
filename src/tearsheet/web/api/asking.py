"""The parameters that every search of Media Cloud's API takes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated

from fastapi import Query as Parameter

from tearsheet.engines.database import Database
from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue import places_of
from tearsheet.query import Query, parse_query
from tearsheet.web.asking import read_day

MAX_DAYS = 20_000
LARGEST_ID = 2**63 - 1


@dataclass(slots=True, frozen=True)
class Asked:
    """A query, its days, and where to look."""

    q: Annotated[str, Parameter(description="A query, as `climate AND (policy OR law*)`; `*` is every story.")] = "*"
    start: Annotated[str, Parameter(description="First day of publication, YYYY-MM-DD.")] = ""
    end: Annotated[str, Parameter(description="Last day of publication, YYYY-MM-DD.")] = ""
    ss: Annotated[str, Parameter(description="Ids of sources, with commas.")] = ""
    cs: Annotated[str, Parameter(description="Ids of collections, with commas.")] = ""
    platform: Annotated[str, Parameter(description="Taken as it is: there is one platform here.")] = ""

    def query(self, database: Database, text: str | None = None) -> Query:
        """The query for the index; `text` stands for another one with the same filters. Raises QueryError or UsageError."""
        first, last = self.days()
        domains, sources = self._places(database)
        query = parse_query(self.q.strip() or "*" if text is None else text)
        return query.within(start=first, end=last, domains=domains, sources=sources)

    def everything(self, database: Database) -> Query:
        """All stories that the filters let through."""
        return self.query(database, "*")

    def days(self) -> tuple[date | None, date | None]:
        """The first and the last day. Raises UsageError."""
        first, last = read_day(self.start, "start"), read_day(self.end, "end")
        if first and last and (last < first or last - first > timedelta(days=MAX_DAYS)):
            raise UsageError(f"start and end: from {first} to {last} is no period that can be counted")
        return first, last

    def _places(self, database: Database) -> tuple[set[str] | None, set[int] | None]:
        """Domains and ids of the sources asked for; None when all are. A source is known by its id and by its domain."""
        if not self.ss.strip() and not self.cs.strip():
            return None, None
        return places_of(database, read_ids(self.ss, "ss"), read_ids(self.cs, "cs"))


def read_ids(text: str, name: str) -> list[int]:
    """Ids with commas between them. Raises UsageError."""
    try:
        ids = [int(part) for part in text.split(",") if part.strip()]
        if any(not 0 <= one <= LARGEST_ID for one in ids):
            raise ValueError("no database has such an id")
    except ValueError as error:
        raise UsageError(f"{name}: {text[:100]!r} is no list of ids; write it as 1,2,3") from error
    return ids
