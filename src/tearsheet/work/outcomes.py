"""What a stage is: it gets a story and says what becomes of it. It knows nothing of queues, other stages or engines.

A stage returns the story (or several) for its outputs, or raises one of the outcomes below. The worker around it leases,
settles and counts. A test calls a stage as a plain function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tearsheet.errors import StoryError
from tearsheet.story import Story


class Outcome(StoryError):
    """What became of a story that does not simply go on. `reason` is short and is counted; `detail` is for human readers."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class Drop(Outcome):
    """The story ends here, for a reason that is counted. It will never be tried again."""


class Retry(Outcome):
    """Try again later; counted, and given up after `pipeline.max_retries`. `after` is the least pause in seconds."""

    def __init__(self, reason: str, detail: str = "", after: float | None = None, *, keep: bool = False) -> None:
        super().__init__(reason, detail)
        self.after = after
        self.keep = keep
        """Whether to quarantine the story once its tries are used up; otherwise it is dropped with its reason."""


class Skipped(Retry):
    """A try that was not made, because what earlier tries met still holds. When the story is given up, it is for their cause."""


class Requeue(Outcome):
    """Not now, for instance because the host is busy. Does not count as a try."""

    def __init__(self, reason: str, after: float) -> None:
        super().__init__(reason)
        self.after = after


class Paused(Requeue):
    """Not now, because the host told us to stay away."""


class Quarantine(Outcome):
    """Someone should see what is wrong. The story is set aside and can be replayed."""


Result = Story | Sequence[Story] | Outcome
"""What a batch stage returns for one story."""


@dataclass(slots=True, frozen=True)
class Kept:
    """The story was added to something that is not safe yet, such as an open file. It goes on once `place` is said to be safe."""

    place: str


class AsyncStage(Protocol):
    """A stage that mostly waits for servers: runs on the event loop, many stories at a time."""

    async def process(self, story: Story) -> Story | Sequence[Story]:
        """Work on one story."""
        ...


class CpuStage(Protocol):
    """A stage that computes: runs in worker processes, one story at a time, with a time limit."""

    def process(self, story: Story) -> Story | Sequence[Story]:
        """Work on one story."""
        ...


class BatchStage(Protocol):
    """A stage that is cheaper for many stories at once: runs in a thread."""

    def process_batch(self, stories: Sequence[Story]) -> Sequence[Result]:
        """Work on many stories; one result each, in order. What it returns must already be safe: the worker settles next."""
        ...


class KeepingStage(Protocol):
    """A stage that gathers stories into something that is safe only as a whole: runs in a thread, and holds no story itself."""

    def process_batch(self, stories: Sequence[Story]) -> Sequence[Result | Kept]:
        """Add stories; one result each, in order. Those that are `Kept` are settled when `finish` names their place."""
        ...

    def finish(self, *, everything: bool = False) -> Sequence[str]:
        """Make safe what is large or old enough, or everything. Names the places that became safe since the last call."""
        ...

    def given_up(self) -> Sequence[str]:
        """The places that were thrown away since the last call, though all others are kept: their stories are to come again."""
        ...

    def abandon(self) -> None:
        """Throw away what is not safe: its stories come again."""
        ...
