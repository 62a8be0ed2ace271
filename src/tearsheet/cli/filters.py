"""What may be asked for beside a query, the same for every command that asks the index: days, sources, languages, a moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from tearsheet.errors import UsageError
from tearsheet.query import Query, QueryError, parse_query

if TYPE_CHECKING:
    from tearsheet.app import Services

QueryArgument = Annotated[
    str, typer.Argument(help="A query, as 'climate AND (policy OR law*)'; '*' is everything.", metavar="QUERY")
]
FromOption = Annotated[str, typer.Option("--from", help="First day of publication, YYYY-MM-DD.")]
ToOption = Annotated[str, typer.Option("--to", help="Last day of publication, YYYY-MM-DD.")]
SourceOption = Annotated[
    list[str] | None, typer.Option("--source", help="Only this source, as example.com; may be repeated.")
]
CollectionOption = Annotated[
    list[str] | None,
    typer.Option("--collection", help="Only sources of this collection, by name or id; may be repeated."),
]
LanguageOption = Annotated[
    list[str] | None, typer.Option("--language", help="Only this language, as en; may be repeated.")
]
AsOfOption = Annotated[
    str,
    typer.Option("--as-of", help="Only stories indexed up to this moment, as 2026-11-15T08:00:00Z: repeats a result."),
]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True, frozen=True)
class Filters:
    """The filters as they were given."""

    start: str = ""
    end: str = ""
    sources: Sequence[str] = ()
    collections: Sequence[str] = ()
    languages: Sequence[str] = ()
    as_of: str = ""

    def query(self, text: str, services: Services) -> Query:
        """The query with the filters. Raises UsageError, or NotFoundError for a collection that is not there."""
        try:
            query = parse_query(text)
        except QueryError as error:
            raise UsageError(f"the query cannot be read: {' '.join(str(error).split())}") from error
        domains, ids = _places(services, self.collections)
        return query.within(
            start=read_day(self.start, "--from"),
            end=read_day(self.end, "--to"),
            domains={*self.sources, *domains} if self.sources or self.collections else None,
            sources=ids if self.collections else None,
            languages=self.languages or None,
            indexed_until=nanoseconds(read_moment(self.as_of, "--as-of")) if self.as_of else None,
        )

    def options(self) -> list[str]:
        """The filters as they stand on a command line."""
        words = [*(("--from", self.start) if self.start else ()), *(("--to", self.end) if self.end else ())]
        for name, values in (("source", self.sources), ("collection", self.collections), ("language", self.languages)):
            for value in values:
                words += [f"--{name}", value]
        return [*words, *(("--as-of", self.as_of) if self.as_of else ())]


def source_domains(services: Services, sources: Sequence[str], collections: Sequence[str]) -> set[str] | None:
    """The domains that were asked for by name or by collection; None when nothing was."""
    return {*sources, *_places(services, collections)[0]} if sources or collections else None


def _places(services: Services, collections: Sequence[str]) -> tuple[set[str], set[int]]:
    """The domains and ids of the sources of collections. Raises NotFoundError. No name, no look into the database."""
    if not collections:
        return set(), set()
    from tearsheet.feeds.catalogue import find_collection, places_of

    return places_of(
        services.database, collection_ids=[find_collection(services.database, name) for name in collections]
    )


def read_day(text: str, option: str) -> date | None:
    """A day that was given; None when none was. Raises UsageError."""
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{option}: {text!r} is not a day; write it as 2026-11-15") from error


def read_moment(text: str, option: str) -> datetime:
    """A moment that was given, UTC unless it says otherwise. Raises UsageError."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{option}: {text!r} is not a moment; write it as 2026-11-15T08:00:00Z") from error
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def nanoseconds(moment: datetime) -> int:
    """Nanoseconds since 1970 up to the end of the microsecond."""
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000 + 999
