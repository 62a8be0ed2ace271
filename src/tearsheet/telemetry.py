"""What the program tells about itself to those who watch it from elsewhere: errors, traces and figures.

Nothing is sent, and no library for it is loaded, until `watch_with` names somebody who listens; `app/telemetry.py` does, when the
settings or the variables of OpenTelemetry ask for it. Neither addresses nor contents of pages are told, only names of our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import perf_counter
from typing import Protocol


class Watcher(Protocol):
    """Somebody who listens. No method raises or waits for a server."""

    def report(self, error: BaseException) -> None:
        """An error that nobody handled."""
        ...

    def work(self, name: str, attributes: dict[str, str], begun: float, seconds: float, failed: bool) -> None:
        """A piece of work that ended `seconds` after `begun`, which is a reading of `perf_counter`."""
        ...

    def figure(self, name: str, attributes: dict[str, str], value: float) -> None:
        """A figure that may rise and fall."""
        ...

    def close(self) -> None:
        """Send what is not sent yet, within a few seconds."""
        ...


class _Watching:
    by: tuple[Watcher, ...] = ()


def watch_with(*watchers: Watcher) -> None:
    """Tell these from now on, instead of any before."""
    _Watching.by = watchers


def is_watched() -> bool:
    """Whether anybody listens."""
    return bool(_Watching.by)


def report(error: BaseException) -> None:
    """Tell of an error that nobody handled."""
    for watcher in _Watching.by:
        watcher.report(error)


def tell_figure(name: str, value: float, **attributes: str) -> None:
    """Tell a figure that may rise and fall."""
    for watcher in _Watching.by:
        watcher.figure(name, attributes, value)


def tell_work(name: str, begun: float, seconds: float, *, failed: bool = False, **attributes: str) -> None:
    """Tell of a piece of work that was timed elsewhere."""
    for watcher in _Watching.by:
        watcher.work(name, attributes, begun, seconds, failed)


@contextmanager
def timed(name: str, **attributes: str) -> Iterator[dict[str, str]]:
    """Time a piece of work, which may add to its attributes."""
    if not _Watching.by:
        yield attributes
        return
    begun, failed = perf_counter(), True
    try:
        yield attributes
        failed = False
    finally:
        for watcher in _Watching.by:
            watcher.work(name, attributes, begun, perf_counter() - begun, failed)


def close() -> None:
    """Send what is not sent yet, at the end of the program."""
    watchers, _Watching.by = _Watching.by, ()
    for watcher in watchers:
        with suppress(Exception):  # the program has done its work
            watcher.close()
