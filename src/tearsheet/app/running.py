"""One way to run to an end, to be interrupted and to report it. No other module handles signals.

Work that waits for more until it is told to stop is run with `run_until_stopped`: SIGINT (Ctrl-C) and SIGTERM ask it to stop, it
finishes what it has begun, and a second signal changes nothing. Work that ends by itself is run with `run_to_its_end`: the first
signal cancels it, so that it can clean up, and a second one ends it at once. Workers in processes of their own are watched by
`run_processes`, which passes signals on to them.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import subprocess
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TypeVar

from tearsheet.errors import EngineError

log = logging.getLogger(__name__)
T = TypeVar("T")
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """A signal ended the work before it was done. The command ends with exit code 11, as after any interruption."""


class Run:
    """One run: `stop` is set when it is to end, and `interrupted` says whether a signal asked for that."""

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        self.interrupted = False

    def interrupt(self) -> None:
        """Ask for the end, as a signal does."""
        log.info("stopping")
        self.interrupted = True
        self.stop.set()


def run_until_stopped(main: Callable[[Run], Awaitable[T]]) -> T:
    """Run `main` on an event loop of its own; signals set the run's `stop`, after which `main` is to come to its end."""

    async def go() -> T:
        run = Run()
        if _in_main_thread():
            for number in _SIGNALS:  # taken back when the loop is closed
                asyncio.get_running_loop().add_signal_handler(number, run.interrupt)
        return await main(run)

    return asyncio.run(go())


def run_to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` on an event loop of its own. Raises KeyboardInterrupt when a signal came before its end."""

    async def go() -> T:
        with _sigterm_as_sigint():
            return await work

    return asyncio.run(go())


def run_processes(command: Sequence[str], count: int) -> None:
    """Run a command in several processes until all of them have ended. Raises EngineError when some of them failed."""
    children = [subprocess.Popen(command) for _ in range(count)]  # noqa: S603 - our own command
    with _passing_signals_to(children):
        codes = [child.wait() for child in children]
    if any(codes):
        raise EngineError(f"{sum(map(bool, codes))} of {count} workers ended with an error; see the lines above")


@contextmanager
def _passing_signals_to(children: Sequence[subprocess.Popen[bytes]]) -> Iterator[None]:
    def pass_on(number: int, _: FrameType | None) -> None:
        for child in children:
            with suppress(ProcessLookupError):
                child.send_signal(number)

    before = [(number, signal.signal(number, pass_on)) for number in _SIGNALS]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


@contextmanager
def _sigterm_as_sigint() -> Iterator[None]:
    """Let SIGTERM do what SIGINT does to an event loop: cancel its main task, and end it at once the second time."""
    if not _in_main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _in_main_thread() -> bool:
    """Only the main thread can handle signals; elsewhere nobody sends any."""
    return threading.current_thread() is threading.main_thread()
