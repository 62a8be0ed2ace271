"""One way to run to an end, to be interrupted and to report it. Only `start` handles signals, too: before anything runs.

Work that waits for more until it is told to stop is run with `run_until_stopped`: SIGINT (Ctrl-C) and SIGTERM ask it to stop, it
finishes what it has begun, and a second signal changes nothing, not even while the process ends afterwards. Work that ends by
itself is run with `run_to_its_end`: the first signal cancels it, so that it can clean up, and a second one ends it at once.
Workers in separate processes are watched by `run_processes`, which passes signals on to them.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import subprocess
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, TypeVar

from tearsheet.counts import how_many
from tearsheet.errors import EngineError
from tearsheet.work import WatchedLoop

log = logging.getLogger(__name__)
T = TypeVar("T")
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_ENDED_BY_A_SIGNAL = {-signal.SIGINT, -signal.SIGTERM, 11, 130}
"""How a process ends that is signalled while it starts: killed, or with the exit code of an interruption, ours or typer's."""


class Interrupted(KeyboardInterrupt):
    """A signal ended the work before it was done. The command ends with exit code 11, as after any interruption."""


class Run:
    """One run: `stop` is set when it is to end, and `interrupted` says whether a signal set it."""

    def __init__(self) -> None:
        self.stop = asyncio.Event()
        self.interrupted = False

    def interrupt(self) -> None:
        """Ask the run to end, as a signal does."""
        log.info("stopping")
        self.interrupted = True
        self.stop.set()


def run_until_stopped(main: Callable[[Run], Awaitable[T]]) -> T:
    """Run `main` on a new event loop; signals set the run's `stop`, after which `main` should finish."""
    run = Run()
    loops: list[asyncio.AbstractEventLoop] = []

    def interrupt(_: int) -> None:
        for loop in loops:
            loop.call_soon_threadsafe(run.interrupt)

    async def go() -> T:
        loops.append(asyncio.get_running_loop())
        try:
            if told:  # before there was a loop
                run.interrupt()
            return await main(run)
        finally:
            loops.clear()

    with _told_to_stop(interrupt) as told:
        return _run(go())


def run_to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` on a new event loop. Raises Interrupted when a signal came before its end.

    Where an event loop runs already, as in every notebook, it runs in a thread, and the loop stands still until its end.
    """
    if _in_a_loop():
        return _run_in_thread(work)
    received: list[int] = []

    async def go() -> T:
        with _cancelled_by_signals(received):
            return await work

    try:
        return _run(go())
    except asyncio.CancelledError:
        if received:
            raise Interrupted from None
        raise


def _run(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=WatchedLoop) as runner:
        return runner.run(work)


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run_in_thread(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` in a thread, and wait for it. Ctrl-C cancels the work, so that it can clean up, and is raised when it has.

    A second one is raised at once. The first must not be: it could come while the thread is being started, which nobody would then
    wait for or cancel.
    """
    begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []
    received: list[int] = []

    def interrupt(number: int, _: FrameType | None) -> None:
        received.append(number)
        if len(received) > 1:
            raise KeyboardInterrupt
        for loop, task in begun:
            with suppress(RuntimeError):  # it has just ended
                loop.call_soon_threadsafe(task.cancel)

    async def go() -> T:
        task = asyncio.current_task()
        assert task is not None
        begun.append((asyncio.get_running_loop(), task))
        if received:
            task.cancel()
        return await work

    with _handling(interrupt, _heeded([signal.SIGINT])), ThreadPoolExecutor(1, "tearsheet") as thread:
        try:
            return thread.submit(lambda: _run(go())).result()
        except asyncio.CancelledError:
            if received:
                raise KeyboardInterrupt from None
            raise


def run_processes(command: Sequence[str], count: int) -> None:
    """Run a command in several processes until all of them have ended. Raises EngineError when some of them failed."""
    children: list[subprocess.Popen[bytes]] = []

    def pass_on(_: int) -> None:
        for child in children:
            with suppress(ProcessLookupError):
                child.terminate()  # also for SIGINT: a Python that is still starting answers that one with a traceback and 1

    with _told_to_stop(pass_on) as told:
        while len(children) < count and not told:
            children.append(subprocess.Popen(command))  # noqa: S603 - our own command
        if told:
            pass_on(told[-1])  # the last one was perhaps not in the list yet
        codes = [child.wait() for child in children]
    failed = sum(code != 0 and not (told and code in _ENDED_BY_A_SIGNAL) for code in codes)
    if failed:
        raise EngineError(f"{failed} of {how_many(count, 'worker')} ended with an error; see the lines above")


@contextmanager
def _told_to_stop(tell: Callable[[int], None]) -> Iterator[list[int]]:
    """Call `tell` with each signal that comes, and collect their numbers.

    After the first, signals are ignored for good when the block ends: what follows is the end of the process, while engines close
    and Python shuts down, and it must not be killed then.
    """
    told: list[int] = []

    def handle(number: int, _: FrameType | None) -> None:
        told.append(number)
        tell(number)

    with _handling(handle, _SIGNALS if _in_main_thread() else (), told):
        yield told


@contextmanager
def _cancelled_by_signals(received: list[int]) -> Iterator[None]:
    """Let the first signal cancel the running task, and a second one end everything. Their numbers go into `received`."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def interrupt(number: int, _: FrameType | None) -> None:
        received.append(number)
        if len(received) > 1:
            raise Interrupted
        task.cancel()
        loop.call_soon_threadsafe(lambda: None)  # the loop may be asleep

    with _handling(interrupt, _heeded(_SIGNALS)):
        yield


def _heeded(numbers: Iterable[signal.Signals]) -> list[signal.Signals]:
    """Those of these signals that are to be handled here.

    One that this process was started to ignore, as shells do with SIGINT for background jobs, stays ignored.
    """
    return [number for number in numbers if _in_main_thread() and signal.getsignal(number) is not signal.SIG_IGN]


@contextmanager
def _handling(
    handler: Callable[[int, FrameType | None], None], numbers: Sequence[signal.Signals], told: Sequence[int] = ()
) -> Iterator[None]:
    """Handle signals in the block; afterwards they are handled as before, or ignored if any was `told`."""
    before = [(number, signal.signal(number, handler)) for number in numbers]
    try:
        yield
    finally:
        for number, earlier in before:
            signal.signal(number, signal.SIG_IGN if told else earlier)


def _in_main_thread() -> bool:
    """Only the main thread can set signal handlers; other threads do not need any."""
    return threading.current_thread() is threading.main_thread()
