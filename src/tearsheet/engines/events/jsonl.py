"""Events as JSON lines: the embedded event log. One folder a topic, one line an event, readable without the program.

    events/TOPIC/events.jsonl     one {"key": …, "value": …} a line, in the order of publication
    events/TOPIC/groups/GROUP     the byte up to which a group has committed
    events/TOPIC/lock, held/GROUP locks; their contents mean nothing

A line of blanks was an event that has been erased. A line counts only with its newline. What a killed writer left after the last
newline is cut off by the next writer. Writers hold the topic's lock until their lines are on disk, and readers share it, so that no
reader acts on a line that a power cut could take back.
"""

from __future__ import annotations

import io
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import msgspec

from tearsheet.engines.events.names import check_name
from tearsheet.engines.events.port import Event
from tearsheet.files import make_folder, storage_errors, sync_folder, written_aside
from tearsheet.locks import lock, try_lock

_log = logging.getLogger(__name__)
_LOOK_AGAIN_SECONDS = 0.05
_TAIL = 1 << 16


class _Line(msgspec.Struct):
    key: str
    value: dict[str, Any]


_decode = msgspec.json.Decoder(_Line).decode
_encode = msgspec.json.Encoder().encode


class JsonlEvents:
    """Topics in a folder, for many processes at once. Only the first reader of a group reads, until it is closed or dies."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._held: dict[tuple[str, str], IO[bytes]] = {}
        self._checked: set[Path] = set()
        self._mutex = threading.Lock()

    def publish(self, topic: str, pairs: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Append events; they are on disk when this returns. When it raises, none was added."""
        if not pairs:
            return
        lines = b"".join(_encode({"key": key, "value": value}) + b"\n" for key, value in pairs)
        with storage_errors(f"cannot append to topic {topic!r}"), self._locked(topic) as folder:
            path = folder / "events.jsonl"
            is_new = not path.exists()
            with path.open("ab", buffering=0) as file:
                end = _cut_torn_line(path)
                self._check_offsets(folder, end)
                try:
                    rest = memoryview(lines)
                    while rest:
                        rest = rest[file.write(rest) :]
                    os.fsync(file.fileno())
                except OSError:
                    os.truncate(path, end)
                    raise
            if is_new:
                sync_folder(folder)

    def poll(self, topic: str, group: str, limit: int, wait: float = 0.0) -> list[Event]:
        """The next events after the group's committed offset; the same ones again until they are committed."""
        deadline = time.monotonic() + wait
        while True:
            if self._hold(topic, group):
                events = list(self._read(topic, self._committed(topic, group), limit))
                if events:
                    return events
            pause = min(_LOOK_AGAIN_SECONDS, deadline - time.monotonic())
            if pause <= 0:
                return []
            time.sleep(pause)

    def commit(self, group: str, events: Sequence[Event]) -> None:
        """Move the group's offset past these events, never back."""
        offsets: dict[str, int] = {}
        for event in events:
            offsets[event.topic] = max(offsets.get(event.topic, 0), int(event.position))
        for topic, offset in offsets.items():
            with storage_errors(f"cannot commit group {group!r}"), self._locked(topic) as folder:
                if offset <= self._committed(topic, group):
                    continue
                groups = folder / "groups"
                make_folder(groups)
                with written_aside(groups / check_name(group, "group"), folder) as file:
                    file.write(b"%d\n" % offset)

    def latest(self, topic: str) -> dict[str, Mapping[str, Any]]:
        """The newest value of each key."""
        return {event.key: event.value for event in self._read(topic, 0)}

    def erase(self, topic: str, unwanted: Callable[[Event], bool]) -> int:
        """Replace unwanted lines by blank ones of the same length, so that no group's offset changes."""
        if not (self.folder / check_name(topic, "topic") / "events.jsonl").exists():
            return 0
        erased = 0
        with storage_errors(f"cannot rewrite topic {topic!r}"), self._locked(topic) as folder:
            path = folder / "events.jsonl"
            _cut_torn_line(path)
            if not any(unwanted(event) for event in self._unlocked(topic, path)):
                return 0
            with path.open("rb") as file, written_aside(path, folder) as target:
                for line in file:
                    event = next(_events(topic, io.BytesIO(line), 1), None)
                    blank = event is not None and unwanted(event)
                    erased += blank
                    target.write(b" " * (len(line) - 1) + b"\n" if blank else line)
        return erased

    def _unlocked(self, topic: str, path: Path) -> Iterator[Event]:
        with path.open("rb") as file:
            yield from _events(topic, file, None)

    def close(self) -> None:
        """Let another reader of our groups take over."""
        with self._mutex:
            for file in self._held.values():
                file.close()
            self._held.clear()

    @contextmanager
    def _locked(self, topic: str, *, shared: bool = False) -> Iterator[Path]:
        folder = self.folder / check_name(topic, "topic")
        make_folder(folder)
        with (folder / "lock").open("ab") as file:
            lock(file, shared=shared)
            yield folder

    def _hold(self, topic: str, group: str) -> bool:
        """Become the group's reader of a topic, unless there is another."""
        with self._mutex, storage_errors(f"cannot join group {group!r}"):
            if (topic, group) in self._held:
                return True
            held = self.folder / check_name(topic, "topic") / "held"
            make_folder(held)
            file = (held / check_name(group, "group")).open("ab")
            if not try_lock(file):
                file.close()
                return False
            self._held[topic, group] = file
            return True

    def _check_offsets(self, folder: Path, end: int) -> None:
        """Once after each start, move groups back to the end of a log that was cut short: they would miss its new lines."""
        if folder not in self._checked and (groups := folder / "groups").is_dir():
            for path in groups.iterdir():
                if int(path.read_bytes()) > end:
                    with written_aside(path, folder) as file:
                        file.write(b"%d\n" % end)
        self._checked.add(folder)

    def _committed(self, topic: str, group: str) -> int:
        path = self.folder / topic / "groups" / check_name(group, "group")
        with suppress(FileNotFoundError):
            return int(path.read_bytes())
        return 0

    def _read(self, topic: str, start: int, limit: int | None = None) -> Iterator[Event]:
        with storage_errors(f"cannot read topic {topic!r}"), self._locked(topic, shared=True) as folder:
            path = folder / "events.jsonl"
            if not path.exists():
                return
            with path.open("rb") as file:
                file.seek(start)
                events = list(_events(topic, file, limit))
        yield from events


def _events(topic: str, file: IO[bytes], limit: int | None) -> Iterator[Event]:
    given = 0
    position = file.tell()
    for line in file:
        if not line.endswith(b"\n") or given == limit:
            return
        position += len(line)
        if line.isspace():
            continue  # an event that was erased
        try:
            entry = _decode(line)
        except msgspec.DecodeError as error:
            _log.warning("line is no event, skipped", extra={"topic": topic, "byte": position, "error": str(error)})
            continue
        given += 1
        yield Event(topic, entry.key, entry.value, str(position))


def _cut_torn_line(path: Path) -> int:
    """Remove what follows the last newline; returns where the log now ends."""
    with path.open("rb") as file:
        end = size = file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - _TAIL)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
    if end < size:
        os.truncate(path, end)
    return end
