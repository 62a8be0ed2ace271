"""Timespans in parallel: each is counted, drawn and written independently, so that a large topic uses every core."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import TypeVar

import msgspec

from tearsheet.topics.snapshot.frozen import Frozen
from tearsheet.topics.snapshot.timespans import Counting, Timespan, timespans_of

T = TypeVar("T")
LARGE = 50_000
"""Stories and links together. A smaller topic is done sooner than a process can start."""


def over_timespans(frozen: Frozen, work: Callable[[Counting, Timespan], T], workers: int = 1) -> list[T]:
    """The results of `work` for each timespan, in order.

    More than one worker means processes, for a large topic only: `work` must be a module-level function, and its results
    must be small, because they are sent from process to process.
    """
    spans = timespans_of(frozen)
    if workers < 2 or len(frozen.stories) + len(frozen.links) < LARGE:
        counting = Counting(frozen)
        return [work(counting, span) for span in spans]
    data = msgspec.msgpack.encode(frozen)
    os.environ["PYTHONSAFEPATH"] = "1"  # or the processes would import what lies in the folder that we were called in
    with ProcessPoolExecutor(
        min(workers, len(spans)), mp_context=get_context("spawn"), initializer=_prepare, initargs=(data,)
    ) as pool:
        return list(pool.map(partial(_in_process, work), spans))


_counting: list[Counting] = []
"""What a worker process counts from: sent once, not with each timespan."""


def _prepare(data: bytes) -> None:
    _counting[:] = [Counting(msgspec.msgpack.decode(data, type=Frozen))]


def _in_process(work: Callable[[Counting, Timespan], T], timespan: Timespan) -> T:
    return work(_counting[0], timespan)
