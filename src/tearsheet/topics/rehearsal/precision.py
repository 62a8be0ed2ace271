"""Which share of a topic's matches belong to it, judged by a random sample, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from tearsheet.topics.draw import drawn
from tearsheet.topics.wilson import wilson


@dataclass(slots=True, frozen=True)
class Precision:
    """What judging a sample came to."""

    right: int
    """Stories that belong to the topic."""
    wrong: int
    undecided: int
    """Stories of which nobody could tell; they do not count."""
    matches: int
    """How many there are, judged or not."""

    @property
    def judged(self) -> int:
        """How many stories count."""
        return self.right + self.wrong

    @property
    def share(self) -> float | None:
        """The share of the matches that belong to the topic, as far as the sample tells; None without any judgement."""
        return self.right / self.judged if self.judged else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share (Wilson); the share itself once every match was judged."""
        if self.share is not None and self.judged == self.matches:
            return self.share, self.share
        return wilson(self.right, self.judged)


def sample_of(
    topic: str, matches: Iterable[str], judged: Mapping[str, bool | None], more: int
) -> tuple[list[str], list[str]]:
    """The matches that were judged and are a random sample of all, and the next ones to judge.

    Matches have an order that chance has put them in. Those at its beginning that were all judged are a random sample, whoever
    judged them when, and however the matches have changed since. What was judged further behind joins them once the
    gap is closed.
    """
    order = drawn(topic, matches, len(judged) + more, str)
    sample = list(takewhile(judged.__contains__, order))
    return sample, [story for story in order if story not in judged][:more]


def precision_of(sample: Sequence[str], judged: Mapping[str, bool | None], matches: int) -> Precision:
    """How many of a sample belong to the topic, of so many matches."""
    values = [judged[story] for story in sample]
    return Precision(values.count(True), values.count(False), values.count(None), matches)
