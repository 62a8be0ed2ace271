"""What becomes of a message: pure functions from a stage's outcome to the copies that are stored for it.

A message's headers record its journey. They have the names that operators of Media Cloud know: `x-mc-retries`, `x-mc-who`
(stage), `x-mc-when`, `x-mc-what` (the reason).
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tearsheet.engines.broker import Headers, Message, Output
from tearsheet.work.ledger_entry import DROPPED, QUARANTINED, RETRYING
from tearsheet.work.outcomes import Drop, Outcome, Quarantine, Requeue, Retry, Skipped

RETRIES = "x-mc-retries"
WHO = "x-mc-who"
WHEN = "x-mc-when"
WHAT = "x-mc-what"
DUE = "x-tearsheet-due"
"""When a retry is due, so that one that was dumped waits out the rest of its time after it is loaded again."""
ORIGIN = "x-tearsheet-from"
"""Where a queuer read the story: the file and its line. Kept all the way, and reported with what becomes of the story."""
_MAX_WHAT = 300
_MOST_TRIES = 1_000_000


def input_queue(stage: str) -> str:
    """The queue that a stage reads."""
    return f"{stage}-in"


def quarantine_queue(stage: str) -> str:
    """The queue where a stage's quarantined stories wait for a person."""
    return f"{stage}-quar"


@dataclass(slots=True, frozen=True)
class RetryRule:
    """How often and how patiently a story is tried again."""

    max_retries: int = 10
    first_seconds: float = 60.0
    longest_seconds: float = 14_400.0

    def delay(self, retries: int, at_least: float | None = None, chance: float | None = None) -> float:
        """The pause before retry number `retries`: doubled each time, spread by a fifth, never less than `at_least`."""
        chance = random.random() if chance is None else chance
        pause = min(self.longest_seconds, self.first_seconds * 2.0 ** min(retries - 1, 60))
        return max(at_least or 0.0, pause * (0.9 + 0.2 * chance))


@dataclass(slots=True, frozen=True)
class Fate:
    """What the worker does with a message, and the status for the ledger (None when there is nothing to record)."""

    outputs: tuple[Output, ...]
    status: str | None
    """`dropped`, `quarantined`, `retrying` or None."""
    reason: str = ""
    detail: str = ""


def fate_of(stage: str, message: Message, outcome: Exception, rule: RetryRule, now: float) -> Fate:
    """What becomes of a message whose stage raised `outcome`. Any exception that is not an Outcome is retried, then kept."""
    if isinstance(outcome, Requeue):
        return Fate((Output(input_queue(stage), message, outcome.after),), None)
    if not isinstance(outcome, Outcome):
        outcome = Retry("error", f"{type(outcome).__name__}: {outcome}", keep=True)
    if isinstance(outcome, Retry):
        return _retry(stage, message, outcome, rule, now)
    marked = _marked(message, stage, outcome, now, tries_before(message))
    if isinstance(outcome, Quarantine):
        return Fate((Output(quarantine_queue(stage), marked),), QUARANTINED, outcome.reason, outcome.detail)
    assert isinstance(outcome, Drop), f"no rule for {outcome!r}"
    return Fate((), DROPPED, outcome.reason, outcome.detail)


def _retry(stage: str, message: Message, outcome: Retry, rule: RetryRule, now: float) -> Fate:
    retries = tries_before(message) + 1
    if retries > rule.max_retries:
        cause = _cause(message, outcome)
        if not outcome.keep:
            return Fate((), DROPPED, *cause)
        marked = _marked(message, stage, outcome, now, retries - 1)
        return Fate((Output(quarantine_queue(stage), marked),), QUARANTINED, *cause)
    delay = rule.delay(retries, outcome.after)
    marked = _marked(message, stage, outcome, now, retries)
    marked.headers[DUE] = now + delay
    return Fate((Output(input_queue(stage), marked, delay),), RETRYING, outcome.reason, outcome.detail)


def _cause(message: Message, outcome: Retry) -> tuple[str, str]:
    """The reason and detail of a story that is given up: those of the last try that was made."""
    if not isinstance(outcome, Skipped) or WHAT not in message.headers:
        return outcome.reason, outcome.detail
    reason, _, detail = str(message.headers[WHAT]).partition(": ")
    return reason, f"{detail}; then {outcome.detail}" if detail else outcome.detail


def tries_before(message: Message) -> int:
    """How often the stage has tried a story in vain since it arrived, or was taken out of quarantine.

    A message may come from a file that others made, so what is no count is none.
    """
    told = message.headers.get(RETRIES, 0)
    try:
        return min(max(int(told), 0), _MOST_TRIES)
    except (ValueError, TypeError, OverflowError):
        return 0


def was_held_up(message: Message) -> bool:
    """Whether the stage has put the story off or aside before."""
    return WHAT in message.headers


def _marked(message: Message, stage: str, outcome: Outcome, now: float, retries: int) -> Message:
    what = message.headers.get(WHAT) if isinstance(outcome, Skipped) else None
    headers: Headers = {**message.headers, RETRIES: retries, WHO: stage, WHEN: now}
    headers[WHAT] = what or str(outcome)[:_MAX_WHAT]
    headers.pop(DUE, None)
    return Message(message.body, headers, message.key, message.page)


def forwarded(message: Message, body: bytes, page: bytes, key: str) -> Message:
    """The message for the next stage, which begins without retries, because they belong to a stage."""
    kept = {name: value for name, value in message.headers.items() if name not in (RETRIES, WHO, WHEN, WHAT, DUE)}
    return Message(body, kept, key, page)


def replayed(message: Message) -> Message:
    """A message taken out of quarantine: its tries are counted from the start again."""
    return Message(message.body, {**message.headers, RETRIES: 0}, message.key, message.page)
