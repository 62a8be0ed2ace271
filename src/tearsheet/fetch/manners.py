"""How a host is treated: when it may get the next request, as pure functions from one state of the host to the next.

A host gets few requests at a time, and at intervals. The interval follows how fast the host answers: one that needs four seconds
per page gets half as many requests as one that needs two. "Too many requests" makes it at least half a minute, and doubles it
each time; it comes down again slowly, with every successful page. A host that cannot be reached is left alone,
each time for longer. Retry-After is obeyed, up to a day.

Times are seconds since 1970, so that a state means the same after a restart.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC
from email.utils import parsedate_to_datetime

from tearsheet.settings import FetchSettings

MANNERS = ("pace", "robots", "retry-after", "failing")
"""What can be switched off for one's own hosts: intervals and concurrency, robots.txt, Retry-After, and leaving it alone when
it is down."""

AVERAGE_WEIGHT = 0.25
THROTTLE_FIRST = 30.0
THROTTLE_LONGEST = 900.0
THROTTLE_EASE = 0.8
"""What is left of a throttle after each good answer."""
FAILING_FIRST = 60.0
FAILING_LONGEST = 3600.0
FAILING_GROWTH = 4.0
LONGEST_BLOCK = 86_400.0
LONGEST_CRAWL_DELAY = 3600.0
LONGEST_PROMISE = 3600.0
SLACK = 0.001
"""Seconds by which a request may start too early: clocks and timers do not agree exactly."""
LATE_SECONDS, LATE_SHARE = 0.1, 0.25
"""How late a request may use its turn: this many seconds, or this share of the host's interval if that is longer."""

_TOLD_TO_WAIT = frozenset({429, 503})


@dataclass(slots=True)
class HostState:
    """What is known of one host. A value: the functions below make new ones (not frozen, because creating frozen ones is slow)."""

    average: float = 0.0
    """Seconds that it takes per page, smoothed."""
    next_start: float = 0.0
    """When the next request may start."""
    blocked_until: float = 0.0
    """Until when it told us to stay away."""
    throttle: float = 0.0
    """The least interval since it said "too many requests"; 0 when all is well."""
    failures: int = 0
    """How many connections failed in a row."""
    failed_until: float = 0.0
    """Until when it is considered down."""
    crawl_delay: float = 0.0
    """The interval that its robots.txt asks for."""
    updated: float = 0.0
    started: float = 0.0
    """When the last request started."""


@dataclass(slots=True, frozen=True)
class Start:
    """A turn: when the request may start. `begun` means that it is now, and that the request counts as started."""

    at: float
    begun: bool
    interval: float
    """Seconds until the next request to the host may start."""


@dataclass(slots=True, frozen=True)
class Refusal:
    """No turn now: the host's state, and for how many seconds it is left alone because it could not be reached."""

    state: HostState
    failing: float


@dataclass(slots=True, frozen=True)
class HostRules:
    """How to treat one host."""

    per_host: int = 2
    interval: float = 2.0
    off: frozenset[str] = frozenset()
    """Manners that are switched off."""

    def keeps(self, manner: str) -> bool:
        """Whether a manner is kept towards this host."""
        return manner not in self.off


def rules_for(host: str, settings: FetchSettings) -> HostRules:
    """The rules for a host: `fetch.manners_off` names one's own hosts, which include their subdomains; `*` is every host."""
    off: set[str] = set() if settings.obey_robots else {"robots"}
    for owned, text in settings.manners_off.items():
        if owned == "*" or host == owned or host.endswith("." + owned):
            named = text.replace(",", " ").split()
            off.update(MANNERS if "all" in named else named)
    return HostRules(max(1, settings.per_host), settings.interval_seconds, frozenset(off))


def by_present_clock(state: HostState, now: float) -> HostState:
    """The state in the time of the present clock. One from the future was written before the clock was set back (or by a machine
    whose clock is ahead): all its times move with it, or the host would be left alone for as long as the clock was ahead.
    """
    ahead = state.updated - now
    if ahead <= 0:
        return state
    return replace(
        state,
        next_start=state.next_start - ahead,
        blocked_until=state.blocked_until - ahead,
        failed_until=state.failed_until - ahead,
        started=state.started - ahead,
        updated=now,
    )


def interval(state: HostState, rules: HostRules) -> float:
    """Seconds between the starts of two requests."""
    if not rules.keeps("pace"):
        return 0.0
    asked = state.crawl_delay if rules.keeps("robots") else 0.0
    return max(rules.interval, state.average / rules.per_host, state.throttle, asked)


def earliest(state: HostState, rules: HostRules, now: float, *, queued: bool = False) -> float:
    """When the next request to the host may start; `queued` is for a request that has already waited for its turn."""
    at = now
    if rules.keeps("pace"):
        at = max(at, state.started + interval(state, rules))
        if not queued:
            at = max(at, state.next_start)
    if rules.keeps("retry-after"):
        at = max(at, state.blocked_until)
    return at


def failing_for(state: HostState, rules: HostRules, now: float) -> float:
    """How many more seconds the host is left alone because it could not be reached."""
    return max(0.0, state.failed_until - now) if rules.keeps("failing") else 0.0


def take_turn(
    state: HostState, rules: HostRules, now: float, *, hold: float, queued: bool, ready: bool
) -> tuple[HostState, Start | Refusal]:
    """Ask for a turn: the state after it, and the turn.

    A turn that is more than `hold` seconds away is refused. A future turn is reserved: the request asks again then,
    `queued`. A turn that has come begins, if the request is `ready`. However many ask, no two begin closer than the interval.
    """
    if seconds := failing_for(state, rules, now):
        return state, Refusal(state, seconds)
    at = earliest(state, rules, now, queued=queued)
    if at - now > hold:
        return state, Refusal(state, 0.0)
    gap = interval(state, rules)
    begun = ready and at - now <= SLACK
    if queued and not begun:
        return state, Start(at, False, gap)
    after = HostState(
        state.average, max(state.next_start, at + gap), state.blocked_until, state.throttle,
        state.failures, state.failed_until, state.crawl_delay, now, now if begun else state.started,
    )  # fmt: skip
    return after, Start(at, begun, gap)


def is_too_late(turn: Start, now: float) -> bool:
    """Whether a turn that has begun can no longer be used: on a busy machine a process may hear of it so late that its request
    would come too near to the next one. It asks for another turn then.
    """
    return now - turn.at > max(LATE_SECONDS, LATE_SHARE * turn.interval) and turn.interval > 0


def answered(
    state: HostState, rules: HostRules, now: float, *, status: int, seconds: float, retry_after: float | None = None
) -> HostState:
    """The state after a response."""
    throttle = state.throttle
    if status == 429:
        throttle = min(THROTTLE_LONGEST, max(THROTTLE_FIRST, 2 * throttle))
    elif status < 400:
        throttle = throttle * THROTTLE_EASE if throttle * THROTTLE_EASE > rules.interval else 0.0
    blocked = state.blocked_until
    if status in _TOLD_TO_WAIT:
        blocked = max(blocked, now + min(LONGEST_BLOCK, max(retry_after or 0.0, throttle)))
    average = _smoothed(state.average, seconds, lower=status < 400)
    after = HostState(average, state.next_start, blocked, throttle, 0, 0.0, state.crawl_delay, now, state.started)
    # Turns so far were given at the old pace: keep at least the new one, counted from the start of this request.
    after.next_start = max(state.next_start, now - seconds + interval(after, rules))
    return after


def _smoothed(average: float, seconds: float, *, lower: bool) -> float:
    """The new average. Only success lowers it, because a quick refusal says nothing about how fast pages are served."""
    if not average:
        return seconds
    if seconds < average and not lower:
        return average
    return average + AVERAGE_WEIGHT * (seconds - average)


def failed(state: HostState, now: float) -> HostState:
    """The state after a connection that failed."""
    failures = state.failures + 1
    pause = min(FAILING_LONGEST, FAILING_FIRST * FAILING_GROWTH ** min(failures - 1, 10))
    return replace(state, failures=failures, failed_until=now + pause, updated=now)


def delayed(state: HostState, seconds: float | None) -> HostState:
    """The state after robots.txt was read, which may ask for an interval."""
    return replace(state, crawl_delay=min(max(seconds or 0.0, 0.0), LONGEST_CRAWL_DELAY))


def promise(state: HostState, rules: HostRules, now: float, promised: float) -> tuple[float, float]:
    """When a story that cannot be held should come back: seconds from now, and the latest moment promised so far.

    Each gets its own moment, one interval after the previous one. So a story is put back about once, however many of its
    host are waiting, instead of all of them at once, again and again.
    """
    soonest = earliest(state, rules, now)
    at = max(soonest, promised + max(interval(state, rules), 0.1))
    at = max(soonest, min(at, now + LONGEST_PROMISE))
    return at - now, at


def retry_after_seconds(value: str | None, now: float) -> float | None:
    """The Retry-After header, in seconds from now: a number or a date. None when it is missing or unreadable."""
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:9]), LONGEST_BLOCK)
    try:
        date = parsedate_to_datetime(text)
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        return min(max(0.0, date.timestamp() - now), LONGEST_BLOCK)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
