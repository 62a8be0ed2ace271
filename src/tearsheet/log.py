"""Structured logs on stderr: `key=value` on a terminal, JSON lines in a pipe or with `log.format = "json"`."""

from __future__ import annotations

import json
import logging
import sys
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from tearsheet.masking import redacted
from tearsheet.terminal import clean, clean_line, safe_json

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


def _bound(record: logging.LogRecord) -> dict[str, Any]:
    return {key: _told(value) for key, value in vars(record).items() if key not in _STANDARD}


def _told(value: Any) -> Any:
    """A value as it may be logged: numbers as they are, everything else without secrets."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return [_told(item) for item in value]
    if isinstance(value, dict):
        return {redacted(str(key)): _told(item) for key, item in value.items()}
    return redacted(str(value))


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": redacted(record.getMessage()),
            **_bound(record),
        }
        if record.exc_info:
            line["exception"] = redacted(self.formatException(record.exc_info))
        return safe_json(json.dumps(line, ensure_ascii=False))


class _KeyValue(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        pairs = "".join(f" {key}={value}" for key, value in _bound(record).items())
        text = clean_line(f"{time} {record.levelname.lower():7} {redacted(record.getMessage())}{pairs}")
        return f"{text}\n{clean(redacted(self.formatException(record.exc_info)))}" if record.exc_info else text


class _Stderr(logging.StreamHandler[Any]):
    """Writes to what is stderr at that moment: a table that is drawn again and again at the end of it takes its place."""

    def emit(self, record: logging.LogRecord) -> None:
        self.stream = sys.stderr
        super().emit(record)


def set_up_logging(level: str = "info", form: str = "auto") -> None:
    """Send every log line to stderr. `form` is `auto`, `text` or `json`; `auto` is text on a terminal and JSON elsewhere."""
    as_json = form == "json" or (form == "auto" and not (sys.stderr and sys.stderr.isatty()))
    handler = _Stderr()
    handler.setFormatter(_JsonLines() if as_json else _KeyValue())
    root = logging.getLogger("tearsheet")
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    root.propagate = False
    others = _Stderr()
    others.setFormatter(handler.formatter)
    others.setLevel(logging.WARNING)
    logging.lastResort = others  # what libraries warn of comes from strangers too, and may name our passwords


def tell_crash(error: BaseException) -> None:
    """Print the traceback of a defect to stderr, where nothing else could handle it."""
    with suppress(OSError, AttributeError):  # stderr is closed
        sys.stderr.write(clean(redacted("".join(traceback.format_exception(error)))))
