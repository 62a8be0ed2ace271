"""Errors to a server that speaks Sentry's protocol, when `log.sentry_dsn` names one.

Told are the kinds of exceptions and where in the code they were raised; messages only of what stops
a worker, which are about servers and disks, without secrets. No variables, no contents or addresses of pages, no requests, no
users: what is said about a page may quote it.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from tearsheet import __version__
from tearsheet.engines import load_client
from tearsheet.errors import ConfigError, WorkerError
from tearsheet.masking import redacted

SETTING = "log.sentry_dsn"
_AGAIN_SECONDS = 60.0
"""The same error at the same place is told once in this time: a defect may meet every story."""
_FLUSH_SECONDS = 3.0
_LOGGERS = ("tearsheet", "uvicorn.error", "asyncio")
_MAX_KNOWN = 1_000
_MOST_OF_AN_ANSWER = 64 * 1024


class ErrorReports(logging.Handler):
    """Sends errors, from the log and from where nobody handled them."""

    def __init__(self, dsn: str, clock: Callable[[], float] = time.monotonic) -> None:
        sentry = load_client("sentry_sdk", "sentry", SETTING)
        try:
            self._client = sentry.Client(
                dsn=dsn,
                release=f"tearsheet@{__version__}",
                server_name="",
                default_integrations=False,
                include_local_variables=False,
                include_source_context=False,
                max_breadcrumbs=0,
                auto_session_tracking=False,
                send_client_reports=False,
                shutdown_timeout=0,
                transport=_transport(),
            )
        except ValueError as error:
            raise ConfigError(f"{SETTING}: this is no DSN such as https://KEY@HOST/NUMBER") from error
        super().__init__(logging.ERROR)
        self._clock = clock
        self._told: dict[str, float] = {}
        for name in _LOGGERS:
            logging.getLogger(name).addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Send an error of the log."""
        error = record.exc_info[1] if record.exc_info else None
        stage = getattr(record, "stage", None)
        self._send(record.name, record.msg if record.name.startswith("tearsheet") else "", error, stage)

    def report(self, error: BaseException) -> None:
        """Send an error that nobody handled."""
        self._send("tearsheet", "", error, None)

    def work(self, name: str, attributes: dict[str, str], begun: float, seconds: float, failed: bool) -> None:
        """Nothing: only errors are sent."""

    def figure(self, name: str, attributes: dict[str, str], value: float) -> None:
        """Nothing: only errors are sent."""

    def close(self) -> None:
        """Send what waits."""
        for name in _LOGGERS:
            logging.getLogger(name).removeHandler(self)
        self._client.close(timeout=_FLUSH_SECONDS)
        super().close()

    def _send(self, logger: str, message: str, error: BaseException | None, stage: str | None) -> None:
        event = event_of(logger, message, error, stage)
        key, now = repr(event), self._clock()
        if now - self._told.get(key, float("-inf")) < _AGAIN_SECONDS:
            return
        if len(self._told) >= _MAX_KNOWN:
            self._told.clear()
        self._told[key] = now
        self._client.capture_event(event)


def _transport() -> type:
    """How the server is asked: the key of the DSN goes to it and to no other, and little of its answer is read."""
    from sentry_sdk.transport import HttpTransport

    class Transport(HttpTransport):
        def _request(self, method: str, endpoint_type: Any, body: Any, headers: Any) -> Any:
            url = self._auth.get_api_url(endpoint_type)
            answer = self._pool.request(
                method, url, body=body, headers=headers, redirect=False, retries=False, preload_content=False
            )
            answer.read(_MOST_OF_AN_ANSWER)
            answer.close()
            return answer

    return Transport


def event_of(logger: str, message: str, error: BaseException | None, stage: str | None) -> dict[str, Any]:
    """An error as it is sent. `message` is ours, written in the code."""
    event: dict[str, Any] = {"level": "error", "logger": logger}
    if message:
        event["message"] = redacted(message)
    if stage:
        event["tags"] = {"stage": stage}
    if error is not None:
        event["exception"] = {"values": [_told(one) for one in reversed(list(_chain(error)))]}
    return event


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _told(error: BaseException) -> dict[str, Any]:
    frames = [
        {"filename": _in_package(frame.filename), "function": frame.name, "lineno": frame.lineno}
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    kind = type(error)
    return {
        "type": kind.__qualname__,
        "module": kind.__module__,
        "value": redacted(str(error)) if isinstance(error, WorkerError) else "",
        "stacktrace": {"frames": frames},
    }


def _in_package(filename: str) -> str:
    """The path of a module without that of this machine."""
    for folder in ("/site-packages/", "/src/", "/lib/"):
        _, found, inside = filename.rpartition(folder)
        if found:
            return inside
    return filename.rpartition("/")[2]
