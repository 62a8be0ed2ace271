"""How long stories wait for a poll, and what it costs: by the rhythm of their feeds, and by counting duplicates as before.

Run with `make bench-rhythm`. A thousand feeds, of the shapes of real ones, publish for eight weeks, and are polled in the last four
by the real schedule with a clock of their own; nothing is sent. Both rules meet the same stories. The delay of a story is the time
from its appearance to the poll that finds it; one that left the document before any poll is missed. A second thousand was held out:
the constants of the rule were not chosen by it (see `feed_lives.py`). The exit code says whether the bar holds for both: half the
median delay at the same number of requests, and fewer requests at the same delay.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random
from statistics import median

from bench.feed_lives import TUNED_SEED, Feed, held_out_feeds, tuned_feeds
from tearsheet.feeds.polling.rhythm import Rhythm, learn
from tearsheet.feeds.polling.schedule import FeedState, PollOutcome, Rules, next_fetch

START = datetime(2026, 1, 5, tzinfo=UTC)
"""A Monday."""
HISTORY_DAYS, DAYS = 28, 28
SETTLED = 14
"""Days until both rules know the feeds."""
EAGERNESS = (0.25, 0.5, 1.0)
BAR = 0.5


@dataclass(slots=True)
class Outcome:
    """What polling by one rule came to."""

    polls: int = 0
    lost: int = 0
    delays: list[float] = field(default_factory=list)


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
            dates = [_at(m) for m in feed.stated(max(first, 0 if rhythm is None else seen), last)]
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


def simulate_all(feeds: Sequence[Feed], days: int, eagerness: float | None = None, settled: int = 0) -> list[Outcome]:
    """Poll every feed by the rule with rhythm, or without an eagerness by the one before it."""
    random, rules = Random(TUNED_SEED), Rules(eagerness=eagerness or 1.0)
    return [simulate(feed, rules, random, days, by_rhythm=eagerness is not None, settled=settled) for feed in feeds]


def total(outcomes: Iterable[Outcome]) -> Outcome:
    """What the polls of all these feeds came to."""
    whole = Outcome()
    for outcome in outcomes:
        whole.polls += outcome.polls
        whole.lost += outcome.lost
        whole.delays += outcome.delays
    return whole


def main() -> int:
    """Print the tables; 0 when the bar holds for both sets."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--feeds", type=int, default=1000, help="how many feeds of each set")
    count = options.parse_args().feeds
    print(
        f"{DAYS} days of which the first {SETTLED} are not counted; delays in minutes; 'feeds': the median of their own medians"
    )
    held = [
        compare(f"{count} feeds of the half that the rule was tuned on", tuned_feeds(count, HISTORY_DAYS + DAYS)),
        compare(f"{count} feeds that were held out", held_out_feeds(count, HISTORY_DAYS + DAYS)),
    ]
    return 0 if all(held) else 1


def compare(name: str, feeds: Sequence[Feed]) -> bool:
    """Poll these feeds by either rule and print what came of it; whether the bar holds."""
    print(f"\n{name}\n{'':26}polls/day    25 %  median    75 %    90 %    mean   feeds  missed")
    before = simulate_all(feeds, DAYS, None, SETTLED)
    print(_line("duplicates, as before", before))
    by_eagerness = {eagerness: simulate_all(feeds, DAYS, eagerness, SETTLED) for eagerness in EAGERNESS}
    for eagerness, outcomes in by_eagerness.items():
        print(_line(f"rhythm, eagerness {eagerness:g}", outcomes))
    lives = sorted({feed.life for feed in feeds})
    for life in lives if len(lives) > 1 else ():
        of_life = [number for number, feed in enumerate(feeds) if feed.life == life]
        print(_line(f"{life}: before", [before[number] for number in of_life]))
        print(_line("  rhythm", [by_eagerness[1.0][number] for number in of_life]))
    return _holds(total(before), [total(outcomes) for outcomes in by_eagerness.values()])


def _holds(before: Outcome, after: Sequence[Outcome]) -> bool:
    wait = median(before.delays)
    less = min((median(one.delays) for one in after if one.polls <= before.polls), default=float("inf"))
    fewer = min((one.polls for one in after if median(one.delays) <= wait), default=before.polls)
    print(f"less delay for the same polls: {less / wait:.0%} of the median (bar: {BAR:.0%})")
    print(f"fewer polls for the same delay: {fewer / before.polls:.0%}")
    return less <= BAR * wait and fewer < before.polls


def _line(name: str, outcomes: Sequence[Outcome]) -> str:
    whole = total(outcomes)
    delays = sorted(whole.delays)
    parts = "".join(f"{delays[int(len(delays) * part)]:8.0f}" for part in (0.25, 0.5, 0.75, 0.9))
    of_feeds = median(median(outcome.delays) for outcome in outcomes if outcome.delays)
    missed = whole.lost / (whole.lost + len(delays))
    polls = whole.polls / len(outcomes) / (DAYS - SETTLED)
    return f"{name:26}{polls:9.2f}{parts}{sum(delays) / len(delays):8.0f}{of_feeds:8.0f}{missed:8.1%}"


if __name__ == "__main__":
    sys.exit(main())
