"""Queues into WARC files and back: to set them aside, or to move them from one broker to another.

A dumped story is written as in the archive, with two more objects in its metadata: `rabbitmq_headers`, the journey of its
message (`x-mc-retries` and so on), and `queue_data`, the queue it was taken from.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from tearsheet.archive import ArchivedStory, Record, StoryArchiveReader, StoryArchiveWriter
from tearsheet.clock import Clock, wall_clock
from tearsheet.engines.broker import Broker, Depth, Headers, Lease, Message, Output, Settlement
from tearsheet.pipeline.queuers import CannotOpen, InputFile, Place, Tracker, tracked_name
from tearsheet.story import Story, WireStory, decode_story, encode_story, make_story_id
from tearsheet.urls import BadURL, host_of
from tearsheet.work import DUE, domain_of, partition_key

log = logging.getLogger(__name__)
HEADERS = "rabbitmq_headers"
QUEUE_DATA = "queue_data"
MAX_STORIES = 5_000
_MAX_BYTES = 64 << 20
_LEASE = 500
_BATCH = 250
FORMAT = 1
"""Raised when a dump holds what earlier versions would lose. They refuse it; dumps that name no format are older than this."""
_LONGEST_WAIT = 7 * 86_400.0
"""No story waits longer than this, whatever a file says."""
_QUEUE_NAME = re.compile(r"[A-Za-z0-9._-]{1,200}")


def jsonable(value: Any) -> Any:
    """A header's value in a form that JSON can hold: dates as ISO, bytes as text, anything else as its `repr`."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, date):  # a datetime is one too
        return value.isoformat()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode("utf-8", "backslashreplace")
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    return repr(value)


# ---------------------------------------------------------------------------------------------------------------- dump


@dataclass(slots=True)
class Dumped:
    """What was taken out of one queue, and the files it was written to."""

    queue: str
    stories: int = 0
    files: list[str] = field(default_factory=list)


async def dump_queue(broker: Broker, queue: str, folder: Path, *, limit: int | None = None) -> Dumped:
    """Move a queue's messages, including those that wait for a retry, into WARC files below a folder.

    Messages leave the queue once their file is safe on disk. A kill before that leaves them where they were. With a limit, those
    that are ready come first, and no more of the others than needed stop waiting.
    """
    dumped = Dumped(queue)
    ready = (await broker.depths()).get(queue, Depth()).ready
    await broker.hasten(queue, None if limit is None else max(0, limit - ready))
    while leases := await _lease_for_one_file(
        broker, queue, MAX_STORIES if limit is None else min(MAX_STORIES, limit - dumped.stories)
    ):
        path = await asyncio.to_thread(_write, folder, queue, [lease.message for lease in leases])
        await broker.settle([Settlement(lease) for lease in leases])
        dumped.stories += len(leases)
        dumped.files.append(str(path))
        log.info("queue dumped", extra={"queue": queue, "stories": len(leases), "file": path.name})
    return dumped


async def _lease_for_one_file(broker: Broker, queue: str, limit: int) -> list[Lease]:
    """Lease as many messages as fit into one file."""
    leases: list[Lease] = []
    size = 0
    while len(leases) < limit and size < _MAX_BYTES:
        more = await broker.lease(queue, min(_LEASE, limit - len(leases)))
        if not more:
            break
        leases += more
        size += sum(len(lease.message.body) + len(lease.message.page) for lease in more)
    return leases


def _write(folder: Path, queue: str, messages: Sequence[Message]) -> Path:
    with StoryArchiveWriter(folder, prefix=queue) as writer:
        for message in messages:
            story, extra = archived_form(queue, message)
            writer.write(story, extra)
        return writer.close().path


def archived_form(queue: str, message: Message) -> tuple[Story, dict[str, Any]]:
    """A message in a form that the archive can hold. One that is not a story is kept as it is, in `queue_data`."""
    data: dict[str, Any] = {"format": FORMAT, "queue": queue, "key": message.key}
    try:
        story = decode_story(WireStory(message.body, message.page))
    except ValueError:
        data |= {
            name: base64.b64encode(part).decode() for name, part in (("body", message.body), ("page", message.page))
        }
        story = Story(id=make_story_id("message", queue, message.body))
    return story, {HEADERS: jsonable(message.headers), QUEUE_DATA: data}


# ---------------------------------------------------------------------------------------------------------------- load


@dataclass(slots=True)
class Loaded:
    """What was put into the queues, and what was not."""

    files: int = 0
    queues: Counter[str] = field(default_factory=Counter)
    left_out: int = 0
    """Stories whose domain was not wanted."""
    known: int = 0
    """Stories that were loaded before."""
    damages: list[str] = field(default_factory=list)


@dataclass(slots=True, frozen=True)
class Wanted:
    """Which stories of the files are loaded, and into which queue."""

    queue: str | None = None
    """None for the queue that each was taken from."""
    include: frozenset[str] = frozenset()
    exclude: frozenset[str] = frozenset()
    dry_run: bool = False
    force: bool = False
    """Load stories that were loaded before, too."""
    read: frozenset[str] | None = None
    """The queues that somebody reads, where that is known: no other one is filled."""

    def takes(self, story: Story) -> bool:
        """Whether the story's domain is wanted: its canonical domain, its host, or one that its host is a part of."""
        if not self.include and not self.exclude:
            return True
        names = {domain_of(story), *_host_and_above(story)}
        return names.isdisjoint(self.exclude) and (not self.include or not names.isdisjoint(self.include))


def _host_and_above(story: Story) -> list[str]:
    """`sport.paper.example`, `paper.example` and `example` for a story of the first."""
    try:
        parts = host_of(story.url or "").split(".")
    except BadURL:
        return []
    return [".".join(parts[start:]) for start in range(len(parts))]


async def load_files(
    broker: Broker, files: Iterable[InputFile], wanted: Wanted, tracker: Tracker, clock: Clock = wall_clock
) -> Loaded:
    """Put the stories of dumped files back into their queues, with their headers. What was loaded before is left out.

    So the rest of a file that was cut off is taken from the whole one. A kill may load the last few again, under the same ids.
    """
    loaded = Loaded()
    for file in files:
        try:
            stream = await asyncio.to_thread(file.open)
        except CannotOpen as error:
            loaded.damages.append(str(error))
            continue
        with stream:
            dump = _Dump(tracked_name(file.name))
            reader = StoryArchiveReader(stream, watch=dump.watch)
            refused: list[str] = []
            outputs = _outputs(reader, dump, wanted, tracker, loaded, refused, clock)
            while batch := await asyncio.to_thread(_next_batch, outputs):
                if not wanted.dry_run:
                    await broker.publish([output for _, output in batch])
                    await asyncio.to_thread(tracker.note_loaded, dump.name, [place for place, _ in batch])
                loaded.queues.update(output.queue for _, output in batch)
            damages = [f"at byte {damage.offset}: {damage.what}" for damage in reader.damages]
            loaded.damages += [f"{file.name}: {damage}" for damage in (*damages, *refused)]
        loaded.files += 1
    return loaded


class _Refused(Exception):
    """Why a story of a dump is not loaded."""


class _Dump:
    """The name that a dump is known by: the id that its own first record has, also in a copy; or else the name of the file."""

    def __init__(self, file: str) -> None:
        self.name = file

    def watch(self, record: Record) -> None:
        if record.type == "warcinfo":
            self.name = record.id


def _next_batch(outputs: Iterator[tuple[Place, Output]]) -> list[tuple[Place, Output]]:
    batch: list[tuple[Place, Output]] = []
    size = 0
    for place, output in outputs:
        batch.append((place, output))
        size += len(output.message.page)
        if len(batch) >= _BATCH or size >= _MAX_BYTES // 8:
            break
    return batch


def _outputs(
    reader: StoryArchiveReader,
    dump: _Dump,
    wanted: Wanted,
    tracker: Tracker,
    loaded: Loaded,
    refused: list[str],
    clock: Clock,
) -> Iterator[tuple[Place, Output]]:
    known: set[Place] | None = set() if wanted.force else None
    for archived in reader.archived():
        known = tracker.loaded(dump.name) if known is None else known
        place = (archived.offset, archived.story.id)
        if not wanted.takes(archived.story):
            loaded.left_out += 1
        elif place in known:
            loaded.known += 1
        else:
            try:
                output = _queued_form(archived, wanted, clock())
            except _Refused as error:
                refused.append(f"at byte {archived.offset}: {error}")
            else:
                yield place, output


def _queued_form(archived: ArchivedStory, wanted: Wanted, now: float) -> Output:
    """An archived story as a message for its queue. A retry that is not due yet waits out the rest of its time."""
    data = archived.extra.get(QUEUE_DATA)
    data = data if isinstance(data, dict) else {}
    if data.get("format", FORMAT) not in range(FORMAT + 1):
        raise _Refused("a newer version of tearsheet wrote it: upgrade tearsheet, then load it again")
    target = wanted.queue or data.get("queue")
    if not isinstance(target, str) or not _QUEUE_NAME.fullmatch(target):
        raise _Refused("it does not say which queue it was taken from: name it with --queue")
    if wanted.read is not None and target not in wanted.read:
        raise _Refused(f"no stage reads the queue {target!r} that it was taken from: name another with --queue")
    headers = known_headers(archived.extra.get(HEADERS))
    message = _message(archived.story, data, headers)
    due = headers.get(DUE, 0.0)
    rest = due - now if isinstance(due, (int, float)) else 0.0
    return Output(target, message, min(max(0.0, rest), _LONGEST_WAIT))


def known_headers(value: Any) -> Headers:
    """The headers that a message can have: text, and numbers that JSON has too."""
    headers = value if isinstance(value, dict) else {}
    return {
        name: item
        for name, item in headers.items()
        if isinstance(item, str)
        or (isinstance(item, (int, float)) and not isinstance(item, bool) and math.isfinite(item))
    }


def _message(story: Story, data: Mapping[str, Any], headers: Headers) -> Message:
    key = data.get("key")
    if "body" in data:
        try:
            body, page = (base64.b64decode(data.get(name, ""), validate=True) for name in ("body", "page"))
        except (ValueError, TypeError):
            raise _Refused("the message in it is damaged") from None
        return Message(body, headers, str(key or ""), page)
    wire = encode_story(story)
    return Message(wire.meta, headers, key if isinstance(key, str) else partition_key(story), wire.page)
