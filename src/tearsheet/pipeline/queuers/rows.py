"""What a queuer reads from its file: rows that are stories, and rows that are not, each with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import BinaryIO

from tearsheet.story import Story
from tearsheet.urls import MAX_URL_LENGTH, BadURL, split_http_url

MAX_LINE = 1 << 16
"""Longest row, in bytes. No row of addresses and dates is longer."""
_DAY = re.compile(r"(?<!\d)(20\d\d|19\d\d)[-_]?(0[1-9]|1[0-2])[-_]?(0[1-9]|[12]\d|3[01])(?!\d)")


@dataclass(slots=True, frozen=True)
class Row:
    """A story, and the line it was read from."""

    line: int
    story: Story


@dataclass(slots=True, frozen=True)
class Problem:
    """A row that is not a story, and why: `reason` is counted, `detail` is for human readers."""

    line: int
    reason: str
    detail: str = ""


class Unreadable(Exception):
    """The file as a whole cannot be used from this line on."""

    def __init__(self, line: int, reason: str, detail: str) -> None:
        super().__init__(f"line {line}: {reason}: {detail}")
        self.problem = Problem(line, reason, detail)


Reader = Callable[[str, BinaryIO], Iterator[Row | Problem]]
"""A queuer's own part: from a file's name and its bytes to its rows."""


def numbered_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """The lines with their numbers; None for a line that is too long, which is never held in memory as a whole."""
    number = 0
    while line := stream.readline(MAX_LINE):
        number += 1
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            while len(more := stream.readline(MAX_LINE)) == MAX_LINE and not more.endswith(b"\n"):
                pass
            yield number, None
        else:
            yield number, line


def checked_url(text: str) -> str:
    """An address that can be fetched. Raises BadURL."""
    url = text.strip()
    if len(url) > MAX_URL_LENGTH:
        raise BadURL(f"longer than {MAX_URL_LENGTH} characters: {url[:60]}…")
    split_http_url(url)
    return url


def whole_number(text: str) -> int | None:
    """A database id, or None. Zero is not an id either."""
    digits = text.strip()
    return int(digits) or None if digits.isascii() and digits.isdigit() and len(digits) < 19 else None


def date_in_name(name: str) -> str | None:
    """The first date in a file name, as YYYY-MM-DD; its folders do not count."""
    for found in _DAY.finditer(name.rpartition("/")[2]):
        try:
            return date(*map(int, found.groups())).isoformat()
        except ValueError:
            continue
    return None


def timestamp_of(text: str) -> float | None:
    """Seconds since 1970 for `2021-09-15 10:20:30.5`; UTC when no zone is given. None for anything else."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
