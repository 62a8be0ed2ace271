"""An event loop whose clock jumps: whoever sleeps wakes at once, in the right order, and hours pass in a second."""

from __future__ import annotations

import asyncio
import selectors
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


class _JumpingSelector(selectors.DefaultSelector):
    """Waiting takes no time: it moves the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.time = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(0)
        if not ready and timeout:
            self.time += timeout
        return ready


class _SameThread(ThreadPoolExecutor):
    """Work for threads is done on the spot, so that no real time decides the order of things."""

    def submit(self, fn, /, *args, **kwargs):
        done: Future[Any] = Future()
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


def run_virtually(make) -> Any:
    """Run `make(loop)`, a coroutine function, to its end on a loop with a jumping clock."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(make(loop))
    finally:
        loop.close()
