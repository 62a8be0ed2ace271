"""Feeds in the form of Media Cloud's directory: the JSON that its API answers, read and written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue.model import NewFeed, UnreadRow
from tearsheet.foreign_text import read_json
from tearsheet.tables import utf8_text
from tearsheet.urls import MAX_URL_LENGTH

MAX_ID = 2**53
MAX_NAME = 1_000
_MOST_SHOWN = 100


@dataclass(slots=True, frozen=True)
class DirectoryPage:
    """A page of a directory: its feeds, the rows that are none, how many there are in all, and whether more follow."""

    feeds: list[NewFeed]
    unread: list[UnreadRow]
    count: int | None
    more: bool


def read_page(body: bytes) -> DirectoryPage:
    """One page of a directory; a bare list of feeds is one, too. Raises UsageError when it is none."""
    try:
        answer = read_json(utf8_text(body))
    except ValueError as error:
        raise UsageError(f"this is not JSON: {error}") from error
    rows = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(rows, list):
        raise UsageError("this is no directory: there should be a list of feeds, or an object with one in `results`")
    count = answer.get("count") if isinstance(answer, dict) else None
    more = bool(answer.get("next")) if isinstance(answer, dict) else False
    page = DirectoryPage([], [], count if isinstance(count, int) else None, more)
    for number, row in enumerate(rows, 1):
        try:
            page.feeds.append(_feed(row, number))
        except UsageError as error:
            page.unread.append(UnreadRow(_readable_id(row), str(error)))
    return page


def read_directory(body: bytes) -> list[NewFeed]:
    """The feeds of a directory in one piece. Raises UsageError, which names the row that is wrong."""
    page = read_page(body)
    for row in page.unread:
        raise UsageError(row.problem)
    if page.more:
        raise UsageError("this is one page of a directory: fetch it with a larger limit, or sync from its address")
    return page.feeds


def _feed(row: Any, number: int) -> NewFeed:
    def refuse(problem: str) -> UsageError:
        return UsageError(f"feed {number} of the directory: {problem}")

    if not isinstance(row, Mapping):
        raise refuse("it should be an object")
    url = row.get("url")
    if not isinstance(url, str) or not url.strip() or len(url) > MAX_URL_LENGTH:
        raise refuse(f"`url` should be an address of at most {MAX_URL_LENGTH:,} characters")
    active = row.get("admin_rss_enabled", True)
    if active is not None and not isinstance(active, bool):
        raise refuse("`admin_rss_enabled` should be true or false")
    try:
        return NewFeed(
            url=url.strip(),
            id=_id(row, "id"),
            sources_id=_id(row, "source", "source_id", "sources_id"),
            name=_name(row.get("name")),
            active=active is not False,
            ignore_validators=None,
            created_at=_moment(row, "created_at"),
            modified_at=_moment(row, "modified_at"),
        )
    except ValueError as error:
        raise refuse(str(error)) from error


def _readable_id(row: Any) -> int | None:
    try:
        return _id(row, "id") if isinstance(row, Mapping) else None
    except ValueError:
        return None


def _id(row: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        value = row.get(name)
        if isinstance(value, Mapping):  # some answers have the whole source there
            value = value.get("id")
        if value is not None:
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_ID:
                raise ValueError(f"`{name}` should be a whole number and not {str(value)[:_MOST_SHOWN]!r}")
            return value
    return None


def _name(value: Any) -> str | None:
    return value.strip()[:MAX_NAME].rstrip() or None if isinstance(value, str) else None


def _moment(row: Mapping[str, Any], name: str) -> datetime | None:
    """A time; one without a zone is UTC."""
    value = row.get(name)
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"`{name}` should be a time and not {str(value)[:_MOST_SHOWN]!r}") from None


def directory_row(feed: NewFeed) -> dict[str, Any]:
    """A feed as Media Cloud's clients know it."""
    created = (feed.created_at or datetime.fromtimestamp(0, UTC)).isoformat()
    return {
        "id": feed.id,
        "source_id": feed.sources_id,
        "source": feed.sources_id,
        "url": feed.url,
        "name": _name(feed.name),
        "admin_rss_enabled": feed.active is not False,
        "created_at": created,
        "modified_at": feed.modified_at.isoformat() if feed.modified_at else created,
    }


def write_directory(feeds: Iterable[NewFeed]) -> Iterator[bytes]:
    """A directory in one piece, one feed on each line, as `read_directory` reads it."""
    rows = [json.dumps(directory_row(feed), ensure_ascii=False) for feed in feeds]
    yield f'{{"count": {len(rows)}, "next": null, "previous": null, "results": [\n'.encode()
    yield ",\n".join(rows).encode("utf-8", "replace")
    yield b"\n]}\n"
