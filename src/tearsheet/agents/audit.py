"""The log of what agents saw: a line of JSON for each call, in a file of bounded size that only its owner can read."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tearsheet.files import storage_errors
from tearsheet.masking import redacted, shown_url
from tearsheet.terminal import clean_line, safe_json

NAME = "mcp-audit.jsonl"
_LONGEST_VALUE = 500
_MOST_VALUES = 50


@dataclass(slots=True, frozen=True)
class Seen:
    """One call, and what was shown."""

    time: datetime
    who: str
    program: str
    """What the client calls itself, which proves nothing."""
    tool: str
    arguments: Mapping[str, Any]
    outcome: str
    """`answered`, or why not."""
    stories: Sequence[str] = ()
    characters: int = 0

    def line(self) -> bytes:
        """As a line of JSON, without secrets and without anything that could command a terminal."""
        values = {
            "time": self.time.isoformat(timespec="milliseconds"),
            "client": _told(self.who),
            "program": _told(self.program),
            "tool": _told(self.tool),
            "arguments": _told(dict(self.arguments)),
            "outcome": _told(self.outcome),
            "stories": list(self.stories),
            "characters": self.characters,
        }
        return safe_json(json.dumps(values, ensure_ascii=False)).encode("utf-8", "replace") + b"\n"


def _told(value: Any) -> Any:
    """A value as it may be kept: cleaned, masked and of limited length."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_told(item) for item in value[:_MOST_VALUES]]
    if isinstance(value, dict):
        return {_told(str(key)): _told(item) for key, item in list(value.items())[:_MOST_VALUES]}
    text = clean_line(str(value)[:_LONGEST_VALUE])
    return redacted(shown_url(text) if "://" in text else text)


class AuditLog:
    """The log of a data folder, to which several processes may write. The file before the present one is kept beside it."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self.path = folder / NAME
        self._before = folder / f"{NAME}.1"
        self._most = most_bytes

    def write(self, seen: Seen) -> None:
        """Append a line. Raises StorageError."""
        line = seen.line()
        with storage_errors(f"cannot write {self.path}"):
            while not self._appended(line):
                continue

    def _appended(self, line: bytes) -> bool:
        """Whether the line is in the log; not if another process has just put the file aside."""
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = os.fstat(file)
            if not self._is_at_its_place(size):
                return False
            if size.st_size and size.st_size + len(line) > self._most:
                self.path.replace(self._before)
                return False
            os.write(file, line)
        finally:
            os.close(file)
        return True

    def _is_at_its_place(self, opened: os.stat_result) -> bool:
        try:
            there = self.path.stat()
        except FileNotFoundError:
            return False
        return (there.st_dev, there.st_ino) == (opened.st_dev, opened.st_ino)
