"""How long stories take at each stage: counted by each worker in memory, and added to sums in the database now and then.

The sums are of all processes, and never fall. What a process that is killed has not added yet is lost: some seconds' worth.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import BigInteger, Column, Float, String, Table, select

from tearsheet.engines.database import Database, metadata

stage_times = Table(
    "stage_times",
    metadata,
    Column("stage", String(40), primary_key=True),
    Column("at_most", String(10), primary_key=True),
    Column("stories", BigInteger, nullable=False),
    Column("seconds", Float, nullable=False),
)
"""By stage and class of duration: how many stories took at most so many seconds, and more than the class before."""

EDGES = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
LABELS = (*map(str, EDGES), "+Inf")


@dataclass(slots=True, frozen=True)
class Times:
    """How many stories a class of durations has, and how long they took in all."""

    stories: int = 0
    seconds: float = 0.0

    def plus(self, stories: int, seconds: float) -> Times:
        """With some more."""
        return Times(self.stories + stories, self.seconds + seconds)


class StageTimes:
    """The durations that one worker has seen and not handed over. They are handed over in another thread."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._times: dict[str, Times] = {}

    def add(self, seconds: float, stories: int = 1) -> None:
        """Count stories that took `seconds` together, each an equal part of them."""
        if not stories:
            return
        label = LABELS[bisect_left(EDGES, seconds / stories)]
        with self._changing:
            self._times[label] = self._times.get(label, Times()).plus(stories, seconds)

    def take(self) -> dict[str, Times]:
        """What was counted since the last call, by class."""
        with self._changing:
            taken, self._times = self._times, {}
        return taken


def add_times(database: Database, stage: str, taken: Mapping[str, Times]) -> None:
    """Add what a worker counted to the sums."""
    if not taken:
        return
    insert = database.insert(stage_times)
    more = {name: stage_times.c[name] + insert.excluded[name] for name in ("stories", "seconds")}
    rows = [
        {"stage": stage, "at_most": label, "stories": times.stories, "seconds": times.seconds}
        for label, times in sorted(taken.items())
    ]
    with database.begin() as db:
        db.execute(insert.on_conflict_do_update(index_elements=["stage", "at_most"], set_=more), rows)


def read_times(database: Database) -> dict[str, list[Times]]:
    """The sums by stage, each with one for every class, in order."""
    found: dict[str, dict[str, Times]] = {}
    with database.read() as db:
        for stage, label, stories, seconds in db.execute(select(stage_times).order_by(stage_times.c.stage)):
            found.setdefault(stage, {})[label] = Times(int(stories), float(seconds))
    return {stage: [times.get(label, Times()) for label in LABELS] for stage, times in found.items()}
