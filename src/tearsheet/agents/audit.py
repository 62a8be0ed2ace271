"""The log of what agents saw: a line of JSON for each call, in a file of bounded size that only its owner can read."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tearsheet.files import make_folder, storage_errors
from tearsheet.locks import lock
from tearsheet.masking import redacted, shown_url
from tearsheet.terminal import clean_line, safe_json

NAME = "mcp-audit.jsonl"
_LONGEST_VALUE = 500
_MOST_VALUES = 50
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
"""Where the system can, a link in the place of the log is refused."""


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
        self._before, self._lock = folder / f"{NAME}.1", folder / f"{NAME}.lock"
        self._most = most_bytes

    def write(self, seen: Seen) -> None:
        """Append a line. Raises StorageError."""
        line = seen.line()
        with storage_errors(f"cannot write {self.path}"):
            make_folder(self.path.parent)  # a machine whose engines are all servers may have none yet
            alone = os.open(self._lock, os.O_WRONLY | os.O_CREAT | _NO_LINKS, 0o600)
            try:
                lock(alone)
                self._append(line)
            finally:
                os.close(alone)

    def _append(self, line: bytes) -> None:
        if self.path.is_file() and self.path.stat().st_size + len(line) > self._most:
            self.path.replace(self._before)
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_LINKS, 0o600)
        try:
            os.write(file, line)
        finally:
            os.close(file)
