"""Structured logs on stderr: `key=value` on a terminal, JSON lines in a pipe or with `log.format = "json"`."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


def _bound(record: logging.LogRecord) -> dict[str, Any]:
    return {key: value for key, value in vars(record).items() if key not in _STANDARD}


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **_bound(record),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class _KeyValue(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        pairs = "".join(f" {key}={value}" for key, value in _bound(record).items())
        text = f"{time} {record.levelname.lower():7} {record.getMessage()}{pairs}"
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


def set_up_logging(level: str = "info", form: str = "auto") -> None:
    """Send every log line to stderr. `form` is `auto`, `text` or `json`; `auto` is text on a terminal and JSON elsewhere."""
    as_json = form == "json" or (form == "auto" and not (sys.stderr and sys.stderr.isatty()))
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines() if as_json else _KeyValue())
    root = logging.getLogger("tearsheet")
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    root.propagate = False
