"""Makes inputs for the readers of `READERS`, and sees to it that each is answered in time, within limits, and harms none after it.

Inputs are made from what a reader understands: its samples, its tokens and its worst cases are repeated, nested, spliced, cut off,
packed into one another, encoded again, and their numbers are replaced by others. All of them follow from a seed.
"""

from __future__ import annotations

import asyncio
import re
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from tearsheet.work import Quarantine, ReadingPool
from tests.support.foreign.model import ForeignReader
from tests.support.loop_watch import unblocked_loop

MAX_INPUT = 40_000
_NEIGHBOUR = 8
"""After so many inputs, a good one is read."""
_MEMORY = 1_500_000_000
"""Bytes that the process may grow by, at any time."""
_DEADLINE = 60.0
"""Of jobs that have none of their own; on the clock, so that a busy machine keeps it too."""
_NUMBER = re.compile(rb"[0-9]+")
_NUMBERS = (b"0", b"-1", b"1", b"7", b"65535", b"2147483648", b"99999999999999999999", b"1e9", b"00", b"0x10", b" ")
_ENCODINGS = ("utf-16", "utf-16-be", "cp1252", "gb18030", "iso2022_jp", "utf-7", "cp037")


class Fuzz:
    """The inputs of a seed for one reader."""

    def __init__(self, reader: ForeignReader, seed: int) -> None:
        self._reader = reader
        self._random = Random(f"{reader.name} {seed}")
        self._worst = [make(max(1, count // 50)) for make, count in reader.worst.values()]
        self._parts = [*reader.tokens, b"\0", b"\n", b" "]

    def inputs(self, count: int) -> Iterator[bytes]:
        """That many of them."""
        for _ in range(count):
            yield self._one()

    def _one(self) -> bytes:
        pick = self._random.random()
        data = self._chosen()
        if pick < 0.03:
            return self._random.randbytes(self._random.randrange(200))
        for _ in range(self._random.choice((0, 1, 1, 1, 2, 2, 3, 5))):
            data = self._random.choice(_CHANGES)(self, data)[:MAX_INPUT]
        if self._reader.containers and pick > 0.6:
            data = self._random.choice(self._reader.containers)(data)
            if pick > 0.8:
                data = self._random.choice(_CHANGES)(self, data)
        return data[:MAX_INPUT]

    def _chosen(self) -> bytes:
        return self._random.choice(self._reader.samples if self._random.random() < 0.7 else self._worst)[:MAX_INPUT]

    def _span(self, data: bytes) -> tuple[int, int]:
        start = self._random.randrange(len(data) + 1)
        return start, min(len(data), start + int(self._random.expovariate(0.02)))

    def _repeat(self, data: bytes) -> bytes:
        start, end = self._span(data)
        return data[:start] + data[start:end] * self._random.choice((2, 3, 10, 100, 1_000)) + data[end:]

    def _insert(self, data: bytes) -> bytes:
        start, _ = self._span(data)
        return (
            data[:start] + self._random.choice(self._parts) * self._random.choice((1, 1, 1, 2, 10, 300)) + data[start:]
        )

    def _nest(self, data: bytes) -> bytes:
        opening, closing = self._random.choice(self._parts), self._random.choice(self._parts)
        depth = self._random.choice((1, 5, 50, 500))
        start, end = self._span(data)
        return data[:start] + opening * depth + data[start:end] + closing * depth + data[end:]

    def _remove(self, data: bytes) -> bytes:
        start, end = self._span(data)
        return data[:start] + data[end:]

    def _cut_off(self, data: bytes) -> bytes:
        return data[: self._random.randrange(len(data) + 1)]

    def _splice(self, data: bytes) -> bytes:
        other = self._chosen()
        return data[: self._random.randrange(len(data) + 1)] + other[self._random.randrange(len(other) + 1) :]

    def _flip(self, data: bytes) -> bytes:
        flipped = bytearray(data)
        for _ in range(self._random.choice((1, 2, 10))):
            if flipped:
                flipped[self._random.randrange(len(flipped))] = self._random.randrange(256)
        return bytes(flipped)

    def _lie(self, data: bytes) -> bytes:
        """Replace a number: a length, a count, a date, a version."""
        numbers = list(_NUMBER.finditer(data[:4_000]))
        if not numbers:
            return data
        found = self._random.choice(numbers)
        return data[: found.start()] + self._random.choice(_NUMBERS) + data[found.end() :]

    def _encode(self, data: bytes) -> bytes:
        """Encode a part in another way, so that the whole is in two."""
        start, end = self._span(data)
        coded = data[start:end].decode("utf-8", "replace").encode(self._random.choice(_ENCODINGS), "replace")
        return data[:start] + coded + data[end:]

    def _double(self, data: bytes) -> bytes:
        return data + data


_CHANGES = (
    Fuzz._repeat, Fuzz._insert, Fuzz._insert, Fuzz._nest, Fuzz._remove, Fuzz._cut_off, Fuzz._splice,
    Fuzz._flip, Fuzz._lie, Fuzz._encode, Fuzz._double,
)  # fmt: skip


@dataclass(slots=True)
class Figures:
    """What was seen."""

    inputs: int = 0
    refused: int = 0
    """Answered with one of the errors that are documented."""
    slowest: float = 0.0
    seconds: float = 0.0


def run(reader: ForeignReader, seed: int, count: int) -> Figures:
    """Let a reader read the inputs of a seed. Raises AssertionError for one that is not answered as it should be."""
    if reader.job is not None:
        with unblocked_loop():
            return asyncio.run(_run_in_process(reader, seed, count))
    figures = Figures()
    good = repr(reader.read(reader.samples[0]))
    with _little_memory():
        for number, data in enumerate(Fuzz(reader, seed).inputs(count)):
            told = _told(reader, seed, number, data)
            _read(reader, data, told, figures)
            if number % _NEIGHBOUR == 0:
                assert repr(reader.read(reader.samples[0])) == good, f"a good input is read differently after {told}"
    return figures


def _told(reader: ForeignReader, seed: int, number: int, data: bytes) -> str:
    return f"{reader.name}, seed {seed}, input {number} of {len(data)} bytes: {data[:200]!r}"


async def _run_in_process(reader: ForeignReader, seed: int, count: int) -> Figures:
    """Let a job read them as in production: in a process whose time, memory and answers are limited, asked by an event loop."""
    assert reader.job is not None
    assert reader.asked is not None
    figures = Figures()
    pool = ReadingPool(1, _DEADLINE)
    try:
        good = repr(await pool.read(reader.job, reader.asked(reader.samples[0])))
        for number, data in enumerate(Fuzz(reader, seed).inputs(count)):
            told = _told(reader, seed, number, data)
            started = time.monotonic()
            try:
                await pool.read(reader.job, reader.asked(data))
            except Quarantine as refused:
                assert refused.reason in reader.reasons, f"{refused.reason}: {refused.detail}: {told}"
                figures.refused += 1
            figures.inputs += 1
            figures.slowest = max(figures.slowest, time.monotonic() - started)
            figures.seconds += time.monotonic() - started
            if number % _NEIGHBOUR == 0:
                found = repr(await pool.read(reader.job, reader.asked(reader.samples[0])))
                assert found == good, f"a good input is read differently after {told}"
    finally:
        await pool.close()
    return figures


def _read(reader: ForeignReader, data: bytes, told: str, figures: Figures) -> None:
    started = time.process_time()
    try:
        answer = reader.read(data)
        assert len(repr(answer)) <= reader.most, f"too long an answer to {told}"
    except reader.errors:
        figures.refused += 1
    except AssertionError:
        raise
    except BaseException as error:
        raise AssertionError(f"{type(error).__name__}: {str(error)[:200]}: {told}") from error
    took = time.process_time() - started
    assert took < reader.seconds, f"{took:.2f} s of processor time for {told}"
    figures.inputs += 1
    figures.seconds += took
    figures.slowest = max(figures.slowest, took)


@contextmanager
def _little_memory() -> Iterator[None]:
    """Let the process grow by so much and no more: what asks for it gets a MemoryError."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as status:
        size = int(status.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + _MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
