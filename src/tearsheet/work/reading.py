"""The one place where what strangers send is read: feeds, sitemaps, pages, style sheets.

A reading job is a function from plain values to plain values, with limits that hold whatever the bytes are: a time after which
its process is ended, the length of its answer, and the memory of the process. All jobs of an event loop share one pool of
processes, so a document that keeps a parser busy or crashes it harms only itself, and the event loop parses nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeVar, get_type_hints

import msgspec

from tearsheet.foreign_text import writable
from tearsheet.work.child import load_named
from tearsheet.work.confine import Limits
from tearsheet.work.outcomes import Quarantine
from tearsheet.work.pool import DEFAULT_LIMITS, ProcessPool

Q = TypeVar("Q")
A = TypeVar("A")
_MAX_DETAIL = 300
_NOTHING = msgspec.Raw(msgspec.msgpack.encode(None))


@dataclass(slots=True, frozen=True)
class ReadingJob(Generic[Q, A]):
    """A function that reads what strangers send, and what it may spend.

    It is a function of a module, with one argument; this and what it returns have types that MessagePack can carry.
    """

    function: Callable[[Q], A]
    seconds: float | None = None
    """No longer than the pool's, which holds if none is given."""
    max_answer: int = 32_000_000
    """Bytes of its answer."""

    @property
    def path(self) -> str:
        """`package.module:name`."""
        return f"{self.function.__module__}:{self.function.__name__}"


class Reader(Protocol):
    """Does reading jobs."""

    async def read(self, job: ReadingJob[Q, A], question: Q) -> A:
        """Do a job. Raises Quarantine, with a reason of the job's own, or `timeout`, `memory`, `answer`, `crash` or `error`."""
        ...


class ThreadReader:
    """Does reading jobs in threads of this process, without limits: for single documents that one trusts, and for tests."""

    async def read(self, job: ReadingJob[Q, A], question: Q) -> A:
        """Do a job. Raises Quarantine if it fails."""
        try:
            return await asyncio.to_thread(job.function, question)
        except Exception as error:
            raise _failure(error) from error


class ReadingPool:
    """Does reading jobs in `size` processes, which start when they are needed. A pool belongs to one event loop.

    `seconds` is the time limit of jobs that have none of their own.
    """

    def __init__(self, size: int, seconds: float, limits: Limits = DEFAULT_LIMITS) -> None:
        self._pool = ProcessPool("tearsheet.work.reading:answering", (), size, seconds, limits)

    async def read(self, job: ReadingJob[Q, A], question: Q) -> A:
        """Do a job. Raises Quarantine, also if it exceeded one of its limits or ended its process."""
        task = _Task(job.path, job.max_answer, msgspec.Raw(msgspec.msgpack.encode(question)))
        # Loading the code of a job is not a document's fault: it comes before the clock starts.
        load = msgspec.msgpack.encode(_Task(job.path, only_load=True))
        data = await self._pool.run(msgspec.msgpack.encode(task), job.seconds, first=load)
        if len(data) > job.max_answer:
            raise _too_long(len(data), job.max_answer)
        reply = msgspec.msgpack.decode(data, type=_Reply)
        if reply.reason:
            raise Quarantine(reply.reason, reply.detail)
        answer: A = msgspec.msgpack.decode(reply.answer, type=_types(job.function)[1])
        return answer

    async def close(self) -> None:
        """End all processes."""
        await self._pool.close()


# ------------------------------------------------------------------------------------------------------ in the process


class _Task(msgspec.Struct, array_like=True):
    path: str
    max_answer: int = 0
    question: msgspec.Raw = _NOTHING
    only_load: bool = False


class _Reply(msgspec.Struct, array_like=True):
    """An answer, or why there is none."""

    answer: msgspec.Raw = _NOTHING
    reason: str = ""
    detail: str = ""


def answering() -> Callable[[bytes], bytes]:
    """What a process of a `ReadingPool` does."""
    return _answer


def _answer(frame: bytes) -> bytes:
    task = msgspec.msgpack.decode(frame, type=_Task)
    try:
        function = _loaded(task.path)
        if task.only_load:
            return msgspec.msgpack.encode(_Reply())
        question = msgspec.msgpack.decode(task.question, type=_types(function)[0])
        reply = _Reply(msgspec.Raw(msgspec.msgpack.encode(function(question))))
        data = msgspec.msgpack.encode(reply)
        if len(data) > task.max_answer:
            raise _too_long(len(data), task.max_answer)
    except MemoryError:
        raise  # ends the process
    except Exception as error:
        failure = _failure(error)
        data = msgspec.msgpack.encode(_Reply(reason=failure.reason, detail=failure.detail))
    return data


def _too_long(size: int, limit: int) -> Quarantine:
    return Quarantine("answer", f"what it says takes {size:,} bytes, and {limit:,} are allowed")


def _failure(error: Exception) -> Quarantine:
    """Why a job failed. A defect of ours costs one document, not the process."""
    if isinstance(error, Quarantine):
        return error
    text = writable(f"{type(error).__name__}: {error}")
    return Quarantine("error", text[:_MAX_DETAIL])


_loaded = lru_cache(load_named)


@lru_cache
def _types(function: Callable[[Any], Any]) -> tuple[Any, Any]:
    """The types of a job's question and answer."""
    hints = get_type_hints(function)
    answer = hints.pop("return")
    [question] = hints.values()
    return question, answer
