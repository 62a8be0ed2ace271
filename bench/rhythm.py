"""How long stories wait for a poll, and what it costs: by the rhythm of their feeds, and by counting duplicates as before.

Run with `make bench-rhythm`. A thousand feeds, of the shapes of real ones, publish for eight weeks, and are polled in the last four
by the real schedule with a clock of their own; nothing is sent. Both rules meet the same stories. The delay of a story is the time
from its publication to the poll that finds it. The exit code says whether the bar holds: half the median delay at the same
number of requests.
"""

from __future__ import annotations

import argparse
import sys
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random
from statistics import median

from bench.feed_shapes import Shape, publications, read_shapes
from tearsheet.feeds.polling.rhythm import Rhythm, learn
from tearsheet.feeds.polling.schedule import FeedState, PollOutcome, Rules, next_fetch

START = datetime(2026, 1, 5, tzinfo=UTC)
"""A Monday."""
HISTORY_DAYS, DAYS = 28, 28
SETTLED = 14
"""Days until both rules know the feeds."""
EAGERNESS = (0.25, 1.0)
SEED = 18
BAR = 0.5


@dataclass(slots=True)
class Feed:
    """A simulated feed: when its stories appear, in minutes, and how many its document holds."""

    minutes: list[float]
    entries: int

    def document(self, minute: float) -> tuple[int, int]:
        """The first and the last story (exclusive) of the document at this minute."""
        end = bisect_right(self.minutes, minute)
        return max(0, end - self.entries), end


@dataclass(slots=True)
class Outcome:
    """What polling by one rule came to."""

    polls: int = 0
    lost: int = 0
    delays: list[float] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Add what another feed's polls came to."""
        self.polls += other.polls
        self.lost += other.lost
        self.delays += other.delays


def make_feeds(shapes: Sequence[Shape], count: int, days: int) -> list[Feed]:
    """Feeds of these shapes in turn, each with chances of its own."""
    random = Random(SEED)
    return [
        Feed(publications(shape, shapes, random, HISTORY_DAYS + days), max(1, shape.entries))
        for shape in (shapes[number % len(shapes)] for number in range(count))
    ]


def simulate(feed: Feed, rules: Rules, random: Random, days: int, *, by_rhythm: bool, settled: int) -> Outcome:
    """Poll one feed; what the first `settled` days bring is not counted."""
    outcome = Outcome()
    begin, counted, end = (1440.0 * (HISTORY_DAYS + day) for day in (0, settled, days))
    minute = begin + random.random() * rules.default_minutes
    state = FeedState(created_at=_at(begin))
    rhythm: Rhythm | None = None
    seen = 0
    while minute < end:
        first, last = feed.document(minute)
        added, now = last - max(seen, first), _at(minute)
        if state.last_fetch_success:
            found = [m for m in feed.minutes[max(seen, first) : last] if m >= counted]
            outcome.delays += [minute - m for m in found]
            outcome.lost += sum(1 for m in feed.minutes[seen : max(seen, first)] if m >= counted)
        outcome.polls += minute >= counted
        duplicates = last - first - added
        if by_rhythm:
            dates = [_at(m) for m in feed.minutes[max(first, 0 if rhythm is None else seen) : last]]
            rhythm = learn(rhythm, dates, added, last - first, now)
        known = replace(state, rhythm=rhythm)
        seen = last
        result = PollOutcome(
            added=added, duplicates=duplicates, unchanged=not added and state.last_fetch_success is not None
        )
        decision = next_fetch(known, result, now, rules, random.random())
        assert decision.next_fetch_attempt is not None
        state = replace(
            state,
            poll_minutes=decision.poll_minutes,
            last_fetch_success=now,
            last_new_stories=now if added else state.last_new_stories,
            planned_at=decision.next_fetch_attempt if by_rhythm else None,
        )
        minute += (decision.next_fetch_attempt - now).total_seconds() / 60
    return outcome


def _at(minute: float) -> datetime:
    return START + timedelta(minutes=minute - 1440.0 * HISTORY_DAYS)


def simulate_all(feeds: Sequence[Feed], days: int, eagerness: float | None = None, settled: int = 0) -> Outcome:
    """Poll every feed by the rule with rhythm, or without an eagerness by the one before it."""
    total, random = Outcome(), Random(SEED)
    rules = Rules(eagerness=eagerness or 1.0)
    for feed in feeds:
        total.add(simulate(feed, rules, random, days, by_rhythm=eagerness is not None, settled=settled))
    return total


def main() -> int:
    """Print the table; 0 when the bar holds."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--feeds", type=int, default=1000)
    count = options.parse_args().feeds
    feeds = make_feeds(read_shapes(), count, DAYS)
    print(f"{count} feeds, {DAYS} days of which the first {SETTLED} are not counted; delays in minutes")
    print(f"{'':24}{'polls/day':>10}{'25 %':>8}{'median':>8}{'75 %':>8}{'90 %':>8}{'mean':>8}{'missed':>9}")
    before = simulate_all(feeds, DAYS, None, SETTLED)
    print(_line("duplicates, as before", before, count))
    outcomes = {eagerness: simulate_all(feeds, DAYS, eagerness, SETTLED) for eagerness in EAGERNESS}
    for eagerness, outcome in outcomes.items():
        print(_line(f"rhythm, eagerness {eagerness:g}", outcome, count))
    wait = median(before.delays)
    less = min((median(o.delays) for o in outcomes.values() if o.polls <= before.polls), default=float("inf"))
    fewer = min((o.polls for o in outcomes.values() if median(o.delays) <= wait), default=before.polls)
    print(f"less delay for the same polls: {less / wait:.0%} of the median (bar: {BAR:.0%})")
    print(f"fewer polls for the same delay: {fewer / before.polls:.0%}")
    return 0 if less <= BAR * wait and fewer < before.polls else 1


def _line(name: str, outcome: Outcome, feeds: int) -> str:
    delays = sorted(outcome.delays)
    parts = "".join(f"{delays[int(len(delays) * part)]:8.0f}" for part in (0.25, 0.5, 0.75, 0.9))
    missed = outcome.lost / (outcome.lost + len(delays))
    polls = outcome.polls / feeds / (DAYS - SETTLED)
    return f"{name:24}{polls:10.2f}{parts}{sum(delays) / len(delays):8.0f}{missed:9.1%}"


if __name__ == "__main__":
    sys.exit(main())
