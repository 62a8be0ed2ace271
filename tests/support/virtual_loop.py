"""An event loop whose time is imaginary: a sleep of an hour is over at once."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _NoWaiting(selectors.DefaultSelector):
    """Instead of waiting for the next timer, moves the clock to it."""

    loop: "VirtualLoop"

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if not ready and timeout:
            self.loop.now += timeout
        elif not ready and timeout is None:
            return super().select(5)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        selector = _NoWaiting()
        selector.loop = self
        self.now = 1_000_000.0
        super().__init__(selector)

    def time(self) -> float:
        return self.now

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # type: ignore[override]  # good enough here
        """At once, since the clock would not wait for a thread."""
        done = self.create_future()
        done.set_result(func(*args))
        return done


def run_virtually(coroutine: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(coroutine)


def clock() -> float:
    return asyncio.get_running_loop().time()
