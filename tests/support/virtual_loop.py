"""An event loop whose clock jumps: a sleep of an hour is over at once, and everything wakes in the right order."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
START = 1_000_000.0


class _JumpingSelector(selectors.DefaultSelector):
    """Instead of waiting for the next timer, moves the clock to it."""

    def __init__(self) -> None:
        super().__init__()
        self.time = START

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:  # no timer is set: only another thread or a socket can go on
            return super().select(5)
        self.time += timeout
        return ready


class _SameThread(ThreadPoolExecutor):
    """Work for threads is done on the spot, so that no real time decides the order of things."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        done: Future[T] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except BaseException as error:
            done.set_exception(error)
        return done


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)
        self.set_default_executor(_SameThread(1))

    def time(self) -> float:
        return self._jumping.time


def run_virtually(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run to its end on a loop with a jumping clock."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(coroutine)


def clock() -> float:
    """The time of the loop that runs."""
    return asyncio.get_running_loop().time()
