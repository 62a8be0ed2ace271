"""What is known of a reader of foreign bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tearsheet.work import Quarantine, ReadingJob

Worst = tuple[Callable[[int], bytes], int]
"""Makes the worst input of so many parts; and how many parts to begin with."""


@dataclass(frozen=True, slots=True)
class ForeignReader:
    """A reader, as the rest of the program calls it."""

    name: str
    modules: tuple[str, ...]
    """What it reads through, below `src/tearsheet`."""
    read: Callable[[bytes], object]
    samples: tuple[bytes, ...]
    """Inputs that it reads without an error; the first is read again and again, and must always give the same."""
    worst: Mapping[str, Worst]
    """Inputs made to take long, by what is in them."""
    errors: tuple[type[Exception], ...] = ()
    """What it may raise, by its docstring."""
    tokens: tuple[bytes, ...] = ()
    """What means something to it, beside what is in the samples."""
    share: int = 1
    """How many of the fuzzer's inputs it gets, beside the others: fewer when each takes long."""
    seconds: float = 1.0
    """Of processor time for an input of the fuzzer, which has some tens of kilobytes."""
    most: int = 32_000_000
    """Characters of its answer, written out."""
    asked: Callable[[bytes], Any] | None = None
    """If it is a job for a process of its own, the job's question about some bytes."""
    job: ReadingJob[Any, Any] | None = None
    reasons: frozenset[str] = frozenset()
    """Why the job may refuse an input."""
    containers: tuple[Callable[[bytes], bytes], ...] = field(default_factory=tuple)
    """What its inputs may be packed into."""


def repeated(part: bytes, before: bytes = b"", after: bytes = b"") -> Callable[[int], bytes]:
    """Makes inputs in which one part stands again and again."""
    return lambda count: before + part * count + after


def numbered(part: bytes, before: bytes = b"", after: bytes = b"") -> Callable[[int], bytes]:
    """The same with a number in each part, so that no two are alike."""
    return lambda count: before + b"".join(part % number for number in range(count)) + after


def job_reader(
    name: str, job: ReadingJob[Any, Any], asked: Callable[[bytes], Any], reasons: tuple[str, ...] = (), **described: Any
) -> ForeignReader:
    """A reader whose work is done in a process of its own; here it is also done in ours, to be measured."""
    return ForeignReader(
        name=name,
        read=lambda data: job.function(asked(data)),
        errors=(Quarantine,) if reasons else (),
        asked=asked,
        job=job,
        reasons=frozenset(reasons),
        **described,
    )
