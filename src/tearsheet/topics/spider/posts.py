"""Posts as seeds: what people wrote elsewhere about the topic, and the addresses in it. Only `read_posts` does I/O."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from tearsheet.errors import UsageError
from tearsheet.foreign_text import read_json
from tearsheet.query import Query
from tearsheet.tables import csv_table_in, utf8_text
from tearsheet.topics.spider.addresses import clean_url, is_ignored
from tearsheet.topics.spider.links import clear_addresses
from tearsheet.topics.spider.relevance import outside_dates

REQUIRED = ("content", "author", "publish_date")
_MAX_ID = 200


@dataclass(slots=True, frozen=True)
class Post:
    """A post on a social network, a forum or a mailing list."""

    id: str
    author: str
    channel: str
    """Where it was posted; its author if that is not given."""
    day: date
    content: str

    @property
    def urls(self) -> tuple[str, ...]:
        """The addresses in it that may lead to a story, without repeats."""
        cleaned = (clean_url(address) for address in clear_addresses(self.content))
        return tuple(dict.fromkeys(url for url in cleaned if url and not is_ignored(url)))


def read_posts(file: Path) -> Iterator[Post]:
    """The posts of a CSV file or of JSON lines (`.jsonl`, `.ndjson`). Raises UsageError, naming the line that is wrong."""
    try:
        yield from posts_in(file.read_bytes(), as_json=file.suffix.lower() in (".jsonl", ".ndjson"))
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error}") from error
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error


def posts_in(body: bytes, *, as_json: bool) -> Iterator[Post]:
    """The posts of JSON lines, or of CSV. Raises UsageError, naming the line that is wrong."""
    number = 0
    for number, row in enumerate(utf8_text(body).splitlines(), 1) if as_json else csv_table_in(body, REQUIRED):
        try:
            yield make_post(read_json(row) if isinstance(row, str) else row)
        except ValueError as error:
            raise UsageError(f"line {number}: {error}") from error
    if not number:
        raise UsageError("line 1: there is no post in it")


def make_post(row: Mapping[str, Any]) -> Post:
    """A post from its columns: `content`, `author` and `publish_date`; `channel` and `post_id` where they are known.

    Raises ValueError. A post without an id gets one derived_id from its contents, so that reading a file twice adds no post twice.
    """
    if not isinstance(row, Mapping):
        raise ValueError("not an object")
    values = {name: str(row.get(name) or "").strip() for name in (*REQUIRED, "channel", "post_id")}
    for name in REQUIRED:
        if not values[name]:
            raise ValueError(f"there is no {name!r}")
    try:
        day = date.fromisoformat(values["publish_date"][:10])
    except ValueError:
        raise ValueError(f"publish_date {values['publish_date']!r} is not a day: write it as 2024-05-31") from None
    identity = json.dumps([values["author"], values["publish_date"], values["content"]])
    derived_id = hashlib.sha256(identity.encode("utf-8", "replace")).hexdigest()[:32]
    return Post(
        (values["post_id"] or derived_id)[:_MAX_ID],
        values["author"],
        values["channel"] or values["author"],
        day,
        values["content"],
    )


def is_about(post: Post, query: Query, start: date | None, end: date | None) -> bool:
    """Whether a post belongs to a topic, by its day and its content."""
    return not outside_dates(post.day, start, end) and query.matches(title="", text=post.content)
