"""When a feed is polled next, and why. Pure functions of plain values: no clock, no database, no randomness of their own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from tearsheet.feeds.polling.rhythm import Rhythm, best_minutes, typical_minutes

HARD, SOFT, TEMPORARY = 1.0, 0.5, 0.25
"""What a failure adds to `last_fetch_failures`: unlikely to pass, may pass, very likely to pass."""

MANY_DUPLICATES, FEW_DUPLICATES = 67, 33
"""Percentage of known stories above which polls become rarer, and below which they become more frequent."""
MAX_DELTA_MINUTES = 20
"""A poll that was this early or late says nothing about the interval."""
STEP_MINUTES, SMALL_STEP_MINUTES = 60, 10
QUIET_DAYS = 31
BUSY_JITTER_MINUTES = 60
RETRY_AFTER_CAP_MINUTES = 1440
MAX_OWN_MINUTES = 30 * 1440
"""The longest interval that an administrator's wish is taken for; the shortest is a minute."""
UNDEAD_CAP_MINUTES = 30 * 1440
GONE_CONFIRMATIONS = 3
GONE_APART = timedelta(hours=12)
"""A 410 sooner after the poll before confirms nothing: a site that is being mended answers many polls so."""
SOURCE_SPREAD = timedelta(hours=3)


@dataclass(slots=True, frozen=True)
class Rules:
    """What the administrator has set for all feeds."""

    default_minutes: int = 360
    min_minutes: int = 10
    max_minutes: int = 1440
    max_failures: float = 30.0
    disable_failing: bool = True
    jitter: float = 0.1
    max_jitter_minutes: float = 30.0
    obey_max_age: bool = True
    """Whether a document is left alone for as long as HTTP says that it stays fresh."""
    eagerness: float = 1.0
    """Twice as much polls feeds whose rhythm is known about twice as often."""


@dataclass(slots=True, frozen=True)
class FeedState:
    """What was known of a feed before the poll in question."""

    created_at: datetime
    failures: float = 0.0
    poll_minutes: int | None = None
    update_minutes: int | None = None
    admin_minutes: int | None = None
    last_fetch_success: datetime | None = None
    last_new_stories: datetime | None = None
    gone_seen: int = 0
    last_fetch_attempt: datetime | None = None
    planned_at: datetime | None = None
    """When this poll was to be, our own jitter included."""
    rhythm: Rhythm | None = None
    """What is known of when it publishes, this poll included."""
    hub_tells: bool = False
    """Whether a hub tells of its news, so that polls are only for what the hub forgets."""


@dataclass(slots=True, frozen=True)
class PollOutcome:
    """What came of a poll. `weight` is 0 for a success, else HARD, SOFT or TEMPORARY."""

    weight: float = 0.0
    added: int = 0
    duplicates: int = 0
    unchanged: bool = False
    """`not modified` or `same hash`."""
    http_status: int | None = None
    retry_after: float | None = None
    """For how many seconds the server asked us to stay away."""
    fresh_minutes: int | None = None
    """For how many minutes the document stays fresh according to HTTP."""
    skip_hours: frozenset[int] = frozenset()
    skip_days: frozenset[int] = frozenset()


@dataclass(slots=True, frozen=True)
class Decision:
    """The new values of the feed's columns. `next_fetch_attempt` is None when the feed is disabled."""

    next_fetch_attempt: datetime | None
    poll_minutes: int | None
    failures: float
    system_enabled: bool
    reason: str
    gone_seen: int = 0
    """How many polls in a row, far enough from each other, were answered with 410."""


def next_fetch(state: FeedState, outcome: PollOutcome, now: datetime, rules: Rules, random: float) -> Decision:
    """Decide when to poll next. `random` is a number from 0 to 1; with 0 there is no jitter."""
    if outcome.weight:
        return _after_failure(state, outcome, now, rules, random)
    poll_minutes, minutes, reason = _after_success(state, outcome, now, rules)
    if own := own_minutes(state):
        minutes, reason = own, f"own interval of {own:g} minutes"
    elif state.hub_tells and minutes < rules.default_minutes:
        minutes, reason = float(rules.default_minutes), "its hub tells of news; this is only to make sure"
    elif rules.obey_max_age and outcome.fresh_minutes and outcome.fresh_minutes > minutes:
        minutes = float(min(outcome.fresh_minutes, rules.max_minutes))
        reason = f"HTTP says that it stays fresh for {outcome.fresh_minutes} minutes"
    when = now + timedelta(minutes=with_jitter(minutes, rules, random))
    moved = outside_skipped(when, outcome.skip_hours, outcome.skip_days)
    if moved != when:
        when, reason = (
            moved + timedelta(minutes=random * rules.max_jitter_minutes),
            f"{reason}; the feed asks to skip these hours",
        )
    return Decision(when, poll_minutes, 0.0, True, reason)


def _after_success(state: FeedState, outcome: PollOutcome, now: datetime, rules: Rules) -> tuple[int, float, str]:
    """The interval that the feed has earned on average, in how many minutes it is polled next, and why."""
    minutes, reason = adapted_minutes(state, outcome, now, rules)
    rhythm = state.rhythm
    if rhythm is None or not rhythm.is_known:
        return minutes, float(minutes), reason
    wished = min(state.update_minutes or 0, rules.max_minutes)
    best = best_minutes(rhythm, now, rules.min_minutes, rules.max_minutes, wished, rules.eagerness)
    typical = min(max(typical_minutes(rhythm, rules.eagerness), rules.min_minutes, wished), rules.max_minutes)
    if state.last_fetch_success and (known := _percent_known(outcome)) < FEW_DUPLICATES:
        # More came than its rhythm promised, and some may have been missed.
        passed = (now - state.last_fetch_success).total_seconds() / 60
        sooner = max(passed / (2 if known else 3), rules.min_minutes)
        return round(min(typical, sooner)), min(best, sooner), reason
    return round(typical), best, f"its rhythm: about {rhythm.stories_a_day:.2g} stories a day"


def _after_failure(state: FeedState, outcome: PollOutcome, now: datetime, rules: Rules, random: float) -> Decision:
    failures = state.failures + outcome.weight
    gone = gone_seen(state, outcome, now)
    if gone >= GONE_CONFIRMATIONS:
        reason = f"gone: the server said so {GONE_CONFIRMATIONS} times"
        return Decision(None, state.poll_minutes, failures, False, reason, gone)
    if rules.disable_failing and failures >= rules.max_failures:
        return Decision(None, state.poll_minutes, failures, False, f"disabled after {failures:g} failures in a row")
    minutes = backoff_minutes(base_minutes(state, rules), failures, rules)
    reason = (
        f"back-off after {failures:g} failures" if failures >= 1 else f"again in {minutes:g} minutes after a failure"
    )
    asked = min((outcome.retry_after or 0.0) / 60, RETRY_AFTER_CAP_MINUTES)
    if asked > minutes:
        minutes, reason = asked, "the server asked us to wait (Retry-After)"
    if outcome.http_status == 429:
        minutes += random * BUSY_JITTER_MINUTES
    else:
        minutes = with_jitter(minutes, rules, random)
    return Decision(now + timedelta(minutes=minutes), state.poll_minutes, failures, True, reason, gone)


def gone_seen(state: FeedState, outcome: PollOutcome, now: datetime) -> int:
    """How often a server has said that a feed is gone, this poll included."""
    if outcome.http_status != 410:
        return 0
    soon = state.last_fetch_attempt is not None and now - state.last_fetch_attempt < GONE_APART
    return state.gone_seen if state.gone_seen and soon else state.gone_seen + 1


def base_minutes(state: FeedState, rules: Rules) -> float:
    """The interval before back-off: the administrator's, else the learned one, else what the feed says, else the default."""
    if own := own_minutes(state):
        return own
    chosen = state.poll_minutes or state.update_minutes or rules.default_minutes
    return float(min(max(chosen, rules.min_minutes), rules.max_minutes))


def own_minutes(state: FeedState) -> float | None:
    """The administrator's interval, if there is one; whatever was stored, it stops no poller and asks nobody all the time."""
    return float(min(max(state.admin_minutes, 1), MAX_OWN_MINUTES)) if state.admin_minutes else None


def backoff_minutes(base: float, failures: float, rules: Rules) -> float:
    """The pause after failures: it grows by the base with each hard one, up to a day, or a month where feeds are never disabled."""
    undead = not rules.disable_failing and failures > rules.max_failures
    cap = UNDEAD_CAP_MINUTES if undead else max(rules.max_minutes, base)
    return min(base * max(1.0, failures), cap)


def with_jitter(minutes: float, rules: Rules, random: float) -> float:
    """A little later, never earlier: feeds that were added or failed together drift apart."""
    return minutes + random * min(minutes * rules.jitter, rules.max_jitter_minutes)


def adapted_minutes(state: FeedState, outcome: PollOutcome, now: datetime, rules: Rules) -> tuple[int, str]:
    """The interval that the feed has earned by how much news it brings, and the reason for it."""
    own = FeedState(state.created_at, poll_minutes=state.poll_minutes, update_minutes=state.update_minutes)
    base = round(base_minutes(own, rules))
    if state.last_fetch_success is None:
        return base, _first_reason(state, base)
    known = _percent_known(outcome)
    delta = (now - state.last_fetch_success).total_seconds() / 60 - _planned_minutes(state, base, rules)
    if known >= MANY_DUPLICATES and delta >= -MAX_DELTA_MINUTES:
        return _longer(base, known, state, now, rules)
    if known < FEW_DUPLICATES and delta <= MAX_DELTA_MINUTES:
        return _shorter(base, known, state, rules)
    return base, f"every {base} minutes, as before"


def _planned_minutes(state: FeedState, base: int, rules: Rules) -> float:
    """The interval with the jitter that we added ourselves, which makes no poll late."""
    if state.planned_at is None or state.last_fetch_success is None:
        return base
    planned = (state.planned_at - state.last_fetch_success).total_seconds() / 60
    return min(max(planned, base), with_jitter(base, rules, 1.0))


def _first_reason(state: FeedState, base: int) -> str:
    if state.poll_minutes:
        return f"every {base} minutes"
    return (
        f"the feed says that it changes every {base} minutes"
        if state.update_minutes
        else f"every {base} minutes by default"
    )


def _percent_known(outcome: PollOutcome) -> float:
    """Percentage of stories that were known; above 100 when there were none."""
    if outcome.unchanged:
        return 101
    total = outcome.added + outcome.duplicates
    return 100 * outcome.duplicates / total if total else 102


def _longer(base: int, known: float, state: FeedState, now: datetime, rules: Rules) -> tuple[int, str]:
    lately = now - (state.last_new_stories or state.created_at) <= timedelta(days=QUIET_DAYS)
    step = SMALL_STEP_MINUTES if lately or known < 100 else STEP_MINUTES
    minutes = max(base, min(base + step, rules.max_minutes))
    return minutes, f"every {minutes} minutes: little of the last poll was new"


def _shorter(base: int, known: float, state: FeedState, rules: Rules) -> tuple[int, str]:
    minutes = rules.default_minutes if base > rules.default_minutes else base - STEP_MINUTES
    if not known:
        # Nothing of the last poll is left: as much again may have come and gone unseen.
        minutes = min(minutes, base // 2)
    # What the feed says is a floor, and a floor never lengthens an interval that has proved useful.
    minutes = min(base, max(minutes, state.update_minutes or 0, rules.min_minutes))
    return minutes, f"every {minutes} minutes: most of the last poll was new"


def outside_skipped(when: datetime, hours: frozenset[int], days: frozenset[int]) -> datetime:
    """The first moment from `when` on that the feed does not ask to skip; `when` itself if it asks to skip everything."""
    if len(hours) >= 24 or len(days) >= 7:
        return when
    found = when
    for _ in range(8 * 24):
        if found.hour not in hours and found.weekday() not in days:
            return found
        found = found.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return when


def spread_over_source(number: int, count: int, now: datetime, random: float) -> datetime:
    """`fetch-soon` for a source: its feeds one after the other over three hours, or closer together when there are few."""
    gap = min(timedelta(minutes=5), SOURCE_SPREAD / max(count, 1))
    return now + gap * number + gap * random
