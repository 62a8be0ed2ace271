"""The record of hosts: one state for each host, changed by the pure rules of `manners`.

In memory it belongs to one process. In the database it belongs to all: a turn is taken in a transaction that reads the host's
row, applies the rule and writes it, so that processes hear at once what a host said to any of them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from tearsheet.clock import Clock
from tearsheet.fetch.manners import HostState, by_present_clock

T = TypeVar("T")
log = logging.getLogger(__name__)
Rule = Callable[[HostState, float], tuple[HostState, T]]
"""Turns a state and the current time into the next state and an answer."""

FORGET_SECONDS = 86_400.0
FORGET_EVERY = 600.0


class HostRecord(Protocol):
    """What is known of hosts."""

    async def ask(self, host: str, rule: Rule[T]) -> T:
        """Apply a rule to the host's state; returns its answer."""
        ...

    def note(self, host: str, rule: Rule[None]) -> None:
        """Apply a rule to the host's state, before any later one."""
        ...

    async def close(self) -> None:
        """Write pending notes."""
        ...


class StateStore(Protocol):
    """Where states are shared with other processes."""

    def change(self, names: set[str], change: Callable[[dict[str, HostState]], None]) -> None:
        """Read these states, let `change` replace some, and write those, all in one transaction."""
        ...

    def forget(self, before: float) -> None:
        """Delete the states of hosts that had no request since then and need no pause."""
        ...


def open_record(store: StateStore | None, clock: Clock) -> HostRecord:
    """The record in a store; without one, in memory."""
    return SharedRecord(store, clock) if store else MemoryRecord(clock)


class MemoryRecord:
    """The record of a single process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._states: dict[str, HostState] = {}
        self._forget_at = clock() + FORGET_EVERY

    async def ask(self, host: str, rule: Rule[T]) -> T:
        """Apply a rule to the host's state; returns its answer."""
        return self._apply(host, rule)

    def note(self, host: str, rule: Rule[None]) -> None:
        """Apply a rule to the host's state."""
        self._apply(host, rule)

    async def close(self) -> None:
        """There is nothing to write."""

    def _apply(self, host: str, rule: Rule[T]) -> T:
        now = self._clock()
        self._states[host], answer = rule(by_present_clock(self._states.get(host) or HostState(), now), now)
        if now >= self._forget_at:
            self._forget_at = now + FORGET_EVERY
            self._forget(now - FORGET_SECONDS)
        return answer

    def _forget(self, before: float) -> None:
        """Drop hosts that had no request and no pause for a day, so that memory does not grow with every host ever seen."""
        kept = {
            host: state
            for host, state in self._states.items()
            if max(state.updated, state.blocked_until, state.failed_until) >= before
        }
        self._states = kept


@dataclass(slots=True)
class _Step:
    """A rule to apply, and the future that waits for its answer."""

    host: str
    rule: Rule[Any]
    answer: asyncio.Future[Any] | None


class SharedRecord:
    """The record that all processes with the same database share.

    While one transaction is being written, further steps collect for the next: a busy process writes many steps at once,
    an idle one does not wait. It belongs to the event loop of its first step.
    """

    def __init__(self, store: StateStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._steps: list[_Step] = []
        self._writing: asyncio.Task[None] | None = None
        self._forget_at = clock() + FORGET_EVERY

    async def ask(self, host: str, rule: Rule[T]) -> T:
        """Apply a rule to the host's state; returns its answer when it is written."""
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._add(_Step(host, rule, answer))
        return await answer

    def note(self, host: str, rule: Rule[None]) -> None:
        """Apply a rule to the host's state, before any later one."""
        self._add(_Step(host, rule, None))

    async def close(self) -> None:
        """Write pending notes."""
        while self._writing:
            await asyncio.wait([self._writing])
        if self._steps:
            await self._write(self._take())

    def _add(self, step: _Step) -> None:
        self._steps.append(step)
        if self._writing is None:
            self._writing = asyncio.create_task(self._keep_writing())

    def _take(self) -> list[_Step]:
        steps, self._steps = self._steps, []
        return [step for step in steps if step.answer is None or not step.answer.done()]

    async def _keep_writing(self) -> None:
        try:
            while (steps := self._take()) and await self._write_or_tell(steps):
                await self._forget()
        finally:
            self._writing = None

    async def _write_or_tell(self, steps: list[_Step]) -> bool:
        """Write steps; returns whether to go on. On failure, waiting callers get the error, and notes are kept for next time."""
        try:
            await self._write(steps)
        except Exception as error:
            self._steps = [step for step in steps if step.answer is None] + self._steps
            for step in steps:
                if step.answer is not None and not step.answer.done():
                    step.answer.set_exception(error)
            return any(step.answer is not None for step in self._steps)
        return True

    async def _write(self, steps: list[_Step]) -> None:
        answers: list[Any] = []

        def change(states: dict[str, HostState]) -> None:
            now = self._clock()
            answers.clear()
            for step in steps:
                states[step.host], answer = step.rule(by_present_clock(states[step.host], now), now)
                answers.append(answer)

        await asyncio.to_thread(self._store.change, {step.host for step in steps}, change)
        for step, answer in zip(steps, answers, strict=True):
            if step.answer is not None and not step.answer.done():
                step.answer.set_result(answer)

    async def _forget(self) -> None:
        now = self._clock()
        if now >= self._forget_at:
            self._forget_at = now + FORGET_EVERY
            try:
                await asyncio.to_thread(self._store.forget, now - FORGET_SECONDS)
            except Exception as error:  # only tidying: those who wait for their turn must not wait for it
                log.warning("old hosts not forgotten", extra={"error": str(error)})
