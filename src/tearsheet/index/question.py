"""One question to the index: a query, its days, sources, collections, languages and topic, the order, the page, an as-of time.

The command line, the pages, the API, topics and citations all use it, so that the same question means the same stories. Of
several sources, or several collections, a story has to belong to one. If both are given it has to belong to both. Only ids of
sources and of collections, which are what Media Cloud's clients send, are one list: a story may belong to any of them.

What is given must say something: an empty query, source, collection or language is refused wherever it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, Protocol
from urllib.parse import urlencode

from tearsheet.errors import UsageError
from tearsheet.query import EVERYTHING, Query, day_of, day_span, parse_query

DEFAULT_ORDER = "newest"
ORDERS = {
    DEFAULT_ORDER: "newest first, by day of publication",
    "oldest": "oldest first, by day of publication",
    "relevance": "best match first",
    "indexed-newest": "indexed last first",
    "indexed-oldest": "indexed first first",
}
"""The orders of stories, and what each means. Every index knows them by these names."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_LENGTH = len("2026-11-15")
_DAY = re.compile(r"\d{4}(-?)\d\d\1\d\d")
_Group = tuple[set[str] | None, set[int] | None]
"""Domains and ids of sources; None is ignored."""


class Catalogue(Protocol):
    """Looks up sources and the members of collections."""

    def __call__(
        self, source_ids: Sequence[int], collections: Sequence[str], collection_ids: Sequence[int]
    ) -> tuple[set[str], set[int]]:
        """Domains and ids of the sources and of all members of the collections. Raises NotFoundError."""
        ...


class Scope(Protocol):
    """Looks up a topic."""

    def __call__(self, topic: str) -> Sequence[str]:
        """The ids of the topic's stories. Raises NotFoundError."""
        ...


@dataclass(slots=True, frozen=True)
class Asked:
    """A question as the index gets it."""

    query: Query
    everything: Query
    """All stories of the same days, sources and languages: the whole of which shares are computed."""


@dataclass(slots=True, frozen=True)
class Question:
    """What a user asks for. Raises QueryError or UsageError when it is created with invalid values."""

    text: str
    start: date | None = None
    """First and last day of publication."""
    end: date | None = None
    sources: tuple[str, ...] = ()
    """Domains."""
    source_ids: tuple[int, ...] = ()
    """Sources and collections by the ids that programs use: a story may belong to any of these."""
    collections: tuple[str, ...] = ()
    """By name, or by id as text."""
    collection_ids: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()
    topic: str = ""
    """Only stories of this topic, collected or fetched by its spider. They are in an index of their own; without a topic, what was
    collected is asked for."""
    order: str = DEFAULT_ORDER
    limit: int = 20
    """Stories per page; 0 means all of them."""
    token: str | None = None
    """Where the page begins: the token that came with the previous page."""
    as_of: datetime | None = None
    """Only stories indexed up to this moment."""
    parsed: Query = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check all values, once."""
        check_period(self.start, self.end)
        if self.order not in ORDERS:
            raise UsageError(f"order: {self.order!r} is not one of {', '.join(ORDERS)}")
        if self.limit < 0:
            raise UsageError(f"limit: {self.limit} is negative; 0 means all")
        object.__setattr__(self, "parsed", parse_query(self.text))

    def ask(self, catalogue: Catalogue, scope: Scope | None = None) -> Asked:
        """The queries for the index. Raises NotFoundError for a collection or a topic that does not exist.

        The catalogue is asked once, or not at all when there is no id or collection to look up. Where there is no scope, as for
        the seeds of a topic, a topic is refused with a UsageError.
        """
        groups = _named(self.sources)
        if self.source_ids or self.collections or self.collection_ids:
            domains, ids = catalogue(self.source_ids, self.collections, self.collection_ids)
            groups = [*groups, (domains, ids)]
        asked = Asked(self._framed(self.parsed, groups), self._framed(EVERYTHING, groups))
        if not self.topic:
            return asked
        if scope is None:
            raise UsageError("topic: only what was collected can be asked for here")
        members = scope(self.topic)
        return Asked(asked.query.within(ids=members), asked.everything.within(ids=members))

    def explain(self) -> str:
        """The question in English, without a full stop; collections and the topic are named."""
        names = " or ".join(f"“{name}”" for name in self.collections)
        collected = f", from sources of the collection {names}" if names else ""
        return f"{self._written()}{collected}{f', in the topic “{self.topic}”' if self.topic else ''}"

    def _written(self) -> str:
        return self._framed(self.parsed, _named(self.sources)).explain().rstrip(".")

    def _framed(self, query: Query, groups: Sequence[_Group]) -> Query:
        """A query with all its filters: a story has to belong to each group of sources."""
        first, *others = groups or [(None, None)]
        query = query.within(
            start=self.start,
            end=self.end,
            domains=first[0],
            sources=first[1],
            languages=self.languages or None,
            indexed_until=nanoseconds(self.as_of) if self.as_of else None,
        )
        for domains, ids in others:
            query = query.within(domains=domains, sources=ids)
        return query

    def plain(self) -> Question:
        """The same query, asked of all stories."""
        return Question(self.text)

    def address(self, path: str = "/search", **changes: str | None) -> str:
        """The address of the page that answers this question, or one that differs by `changes`; empty values are left out."""
        given = {
            "start": _text(self.start),
            "end": _text(self.end),
            "domain": _only(self.sources),
            "collection": _only(self.collections),
            "language": _only(self.languages),
            "topic": self.topic,
            "order": "" if self.order == DEFAULT_ORDER else self.order,
            "as_of": _moment_text(self.as_of),
        }
        return f"{path}?{urlencode({'q': self.text} | {name: value for name, value in (given | changes).items() if value})}"

    def filters(self) -> dict[str, Any]:
        """The filters by name, as `read_question` reads them."""
        return {
            "start": _text(self.start),
            "end": _text(self.end),
            "sources": list(self.sources),
            "collections": list(self.collections),
            "languages": list(self.languages),
            **({"topic": self.topic} if self.topic else {}),
            "as_of": _moment_text(self.as_of),
        }

    def options(self) -> list[str]:
        """The filters as command-line arguments."""
        names = {"start": "from", "end": "to", "sources": "source", "collections": "collection"}
        names |= {"languages": "language", "topic": "topic", "as_of": "as-of"}
        arguments = []
        for name, given in self.filters().items():
            for value in given if isinstance(given, list) else [given] if given else []:
                arguments += [f"--{names[name]}", value]
        return arguments


def read_question(
    text: str,
    *,
    start: str = "",
    end: str = "",
    sources: Sequence[str] = (),
    source_ids: Sequence[int] = (),
    collections: Sequence[str] = (),
    collection_ids: Sequence[int] = (),
    languages: Sequence[str] = (),
    topic: str | None = None,
    order: str = DEFAULT_ORDER,
    limit: int = 20,
    token: str | None = None,
    as_of: str = "",
    names: Mapping[str, str] | None = None,
) -> Question:
    """A question from what a user wrote. Raises QueryError or UsageError, which name parameters as `names` does."""
    called = names or {}
    return Question(
        text.strip(),
        read_day(start, called.get("start", "start")),
        read_day(end, called.get("end", "end"), last=True),
        tuple(value.lower() for value in _filled(sources, called.get("sources", "sources"))),
        tuple(source_ids),
        _filled(collections, called.get("collections", "collections")),
        tuple(collection_ids),
        languages=tuple(value.lower() for value in _filled(languages, called.get("languages", "languages"))),
        topic="".join(_filled([] if topic is None else [topic], called.get("topic", "topic"))),
        order=order,
        limit=limit,
        token=token or None,
        as_of=read_moment(as_of, called.get("as_of", "as_of")),
    )


def read_day(text: str, name: str, *, last: bool = False) -> date | None:
    """The day that a text means, None if it is empty: a day, the first or `last` day of a month or a year, or the day
    of a moment as written. Raises UsageError, which mentions its `name`.
    """
    given = text.strip()
    if not given:
        return None
    try:
        return _days(given)[1 if last else 0]
    except ValueError as error:
        raise UsageError(f"{name}: {text!r} is not a day; write it as 2026-11-15") from error


def _days(text: str) -> tuple[date, date]:
    """The first and the last day that the text means. Raises ValueError."""
    if text[_DAY_LENGTH : _DAY_LENGTH + 1] in ("T", " "):
        datetime.fromisoformat(text)
        text = text[:_DAY_LENGTH]
    with suppress(ValueError):
        if _DAY.fullmatch(text):  # Python would also take a week, for its Monday
            day = date.fromisoformat(text)
            return day, day
    first, last = day_span(text)
    return day_of(first), day_of(last)


def read_moment(text: str, name: str) -> datetime | None:
    """The moment that a text means, in UTC unless it says otherwise; None if it is empty. Raises UsageError."""
    if not text.strip():
        return None
    try:
        moment = datetime.fromisoformat(text.strip())
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{name}: {text!r} is not a moment; write it as 2026-11-15T08:00:00Z") from error


def check_period(start: date | None, end: date | None) -> None:
    """Raises UsageError when a period ends before it starts."""
    if start and end and end < start:
        raise UsageError(f"the period would end ({end}) before it starts ({start})")


def nanoseconds(moment: datetime) -> int:
    """Nanoseconds since 1970 up to the end of the microsecond."""
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000 + 999


def _filled(values: Sequence[str], name: str) -> tuple[str, ...]:
    """The values without surrounding spaces. Raises UsageError for an empty one, which could mean all or none."""
    found = tuple(value.strip() for value in values)
    if not all(found):
        raise UsageError(f"{name}: an empty value asks for nothing; leave it out or say which one is meant")
    return found


def _named(sources: Sequence[str]) -> list[_Group]:
    return [(set(sources), None)] if sources else []


def _text(day: date | None) -> str:
    return day.isoformat() if day else ""


def _moment_text(moment: datetime | None) -> str:
    return moment.isoformat().replace("+00:00", "Z") if moment else ""


def _only(values: Sequence[str]) -> str:
    """The only value, since an address has room for one."""
    if len(values) > 1:
        raise ValueError("the address of a page has room for one source, one collection and one language")
    return values[0] if values else ""
