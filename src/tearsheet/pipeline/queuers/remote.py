"""The queuer that takes stories from an rss-fetcher on another machine, through its API and with a cursor.

The server gives rows in order of their ids. Those of a batch are published, and only then does the cursor move past them.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tearsheet.archive import index_id_of
from tearsheet.engines import PATIENCE_SECONDS, pauses
from tearsheet.engines.broker import Broker, Message
from tearsheet.errors import EngineError, ItemRefused
from tearsheet.files import make_folder, storage_errors, written_aside
from tearsheet.foreign_text import read_json
from tearsheet.masking import masked
from tearsheet.pipeline.queuers.http_input import opened_url, whole_answer
from tearsheet.pipeline.queuers.rows import Problem, checked_url
from tearsheet.story import RSSEntry, Story, make_story_id
from tearsheet.urls import BadURL, non_news_host
from tearsheet.work import DiskFloor, Outlet, WaterMarks, new_message

log = logging.getLogger(__name__)
BATCH = 2_500
_MAX_ANSWER = 64 << 20
_PAUSE_SECONDS = 60.0
_FULL_SECONDS = 1.0

Ask = Callable[[int], Sequence[Mapping[str, Any]]]
"""Returns the rows from this id on, in order."""


def story_of(row: Mapping[str, Any], server: str) -> Story:
    """The story of one row of `rss_entries`. Raises BadURL, or ValueError when it has no id."""
    number = row.get("id")
    if not isinstance(number, int):
        raise ValueError(f"{number!r} is not an id")
    url = checked_url(_text(row.get("url")) or "")
    published, fetched = _moment(row.get("published_at")), _moment(row.get("fetched_at"))
    return Story(
        id=make_story_id("rss-fetcher", server, number),
        rss_entry=RSSEntry(
            link=url,
            title=_text(row.get("title")),
            domain=_text(row.get("domain")),
            pub_date=format_datetime(published) if published else None,
            fetch_date=fetched.date().isoformat() if fetched else None,
            source_url=_text(row.get("feed_url")),
            source_feed_id=_number(row.get("feed_id")),
            source_source_id=_number(row.get("sources_id")),
            via=f"{number}@{server}",
        ),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _moment(value: Any) -> datetime | None:
    """A time of the database, which keeps UTC without saying so."""
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def rss_fetcher(url: str, batch: int = BATCH) -> Ask:
    """How to ask the rss-fetcher at `https://USER:PASSWORD@HOST[:PORT]`."""

    def ask(first: int) -> Sequence[Mapping[str, Any]]:
        with opened_url(f"{url.rstrip('/')}/api/rss_entries/{first}?_limit={batch}") as response:
            body = whole_answer(response, _MAX_ANSWER)
        try:
            return rows_in(body, batch)
        except ValueError as error:
            raise EngineError(f"feeds.remote: {masked(url)} does not answer as an rss-fetcher: {error}") from error

    return ask


def rows_in(body: bytes, batch: int) -> list[Mapping[str, Any]]:
    """The rows of an answer, of which `batch` were asked for. Raises ValueError when it is none."""
    if len(body) > _MAX_ANSWER:
        raise ValueError(f"more than {_MAX_ANSWER:,} bytes")
    answer = read_json(body.decode("utf-8", "replace"))
    if not isinstance(answer, dict) or answer.get("status") != "OK" or not isinstance(answer.get("results"), list):
        raise ValueError(str(answer.get("message"))[:200] if isinstance(answer, dict) else "not an object")
    return [row for row in answer["results"][:batch] if isinstance(row, dict)]


class Cursor:
    """The id of the last row that was queued, in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> int:
        """The id, or 0 when no row has been queued yet."""
        try:
            return int(json.loads(self._path.read_text("utf-8"))["id"])
        except FileNotFoundError:
            return 0
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EngineError(f"{self._path} holds no cursor ({error}): fix it, or remove it to start again") from error

    def write(self, row: Mapping[str, Any]) -> None:
        """Move past a row."""
        with storage_errors(f"cannot write {self._path}"):
            make_folder(self._path.parent)
            with written_aside(self._path) as file:
                file.write(json.dumps(dict(row), default=str).encode())


def erase_from_cursors(folder: Path, keys: Container[str], *, dry_run: bool = False) -> int:
    """Leave only the id of rows whose stories are erased, given the keys of their addresses; returns how many there are."""
    erased = 0
    for path in sorted(folder.glob("*.json")):
        row = json.loads(path.read_bytes())
        if index_id_of(str(row.get("url", ""))) in keys:
            erased += 1
            if not dry_run:
                Cursor(path).write({"id": row["id"]})
    return erased


class RemoteQueuer:
    """Moves rows of an rss-fetcher to the fetch queue, between the water marks."""

    def __init__(
        self, ask: Ask, server: str, cursor: Cursor, broker: Broker, outputs: Sequence[str], marks: WaterMarks,
        note: Callable[[Sequence[Problem]], None] = lambda problems: None, patience: float = PATIENCE_SECONDS,
        floor: DiskFloor | None = None,
    ) -> None:  # fmt: skip
        self.queued = 0
        self._ask = ask
        self._server = server
        self._cursor = cursor
        self._outlet = Outlet(broker, outputs, marks, floor)
        self._note = note
        self._patience = patience
        self._answered = False

    async def run(self, stop: asyncio.Event, *, once: bool = False) -> None:
        """Take what is new until stopped; with `once`, until there is no more.

        A server that does not answer is asked again: its trouble is no reason to stop the rest of the program. With `once`, its
        error is raised when patience is at an end; a refusal of the first request, always.
        """
        while not stop.is_set() and not self._outlet.gave_up:
            has_room = await self._outlet.has_room()
            moved = await self._move_batch(stop, self._patience if once else math.inf) if has_room else None
            if moved == 0 and once:
                return
            if not moved:
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), _FULL_SECONDS if moved is None else _PAUSE_SECONDS)

    async def _move_batch(self, stop: asyncio.Event, patience: float) -> int:
        last = await asyncio.to_thread(self._cursor.read)
        rows = await self._rows(last + 1, stop, patience)
        newer = [row for row in rows if isinstance(row.get("id"), int) and row["id"] > last]
        messages, problems = await asyncio.to_thread(_messages_of, newer, self._server)
        await self._outlet.send(messages)
        if problems:
            await asyncio.to_thread(self._note, problems)
        if newer:
            await asyncio.to_thread(self._cursor.write, max(newer, key=lambda row: int(row["id"])))
            log.info("stories taken", extra={"from": self._server, "stories": len(messages), "left out": len(problems)})
        self.queued += len(messages)
        return len(newer)

    async def _rows(self, first: int, stop: asyncio.Event, patience: float) -> Sequence[Mapping[str, Any]]:
        """The rows from an id on; none when stopped before the server answered."""
        waits = pauses(patience, longest=_PAUSE_SECONDS)
        while not stop.is_set():
            try:
                rows = await asyncio.to_thread(self._ask, first)
                self._answered = True
                return rows
            except (EngineError, ItemRefused) as error:
                pause = next(waits, None)
                if pause is None or (isinstance(error, ItemRefused) and not self._answered):
                    raise  # a refusal from the start is a wrong address or password; later, the server has trouble
                log.warning(
                    "the rss-fetcher is asked again later", extra={"seconds": round(pause, 1), "error": str(error)}
                )
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), pause)
        return []


def stories_of(rows: Sequence[Mapping[str, Any]], server: str) -> tuple[list[Story], list[Problem]]:
    """The stories of a batch, and the rows that are not stories, by their ids."""
    stories, problems = [], []
    for row in rows:
        try:
            story = story_of(row, server)
            if non_news_host(story.url):
                problems.append(Problem(int(row["id"]), "non-news", story.url or ""))
            else:
                stories.append(story)
        except BadURL as error:
            problems.append(Problem(int(row["id"]), "no-url" if not row.get("url") else "bad-url", str(error)))
    return stories, problems


def _messages_of(rows: Sequence[Mapping[str, Any]], server: str) -> tuple[list[Message], list[Problem]]:
    """The same, packed; in a thread, because a batch may be made of long texts."""
    stories, problems = stories_of(rows, server)
    return [new_message(story) for story in stories], problems


def server_name(url: str) -> str:
    """The server's name, which follows the `@` in `via`."""
    return urlsplit(url).hostname or "rss-fetcher"
