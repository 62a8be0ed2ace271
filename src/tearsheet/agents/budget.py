"""Budgets: how many calls, stories and characters one client may have, told in each answer and refused when they are spent."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.errors import ConfigError, UserError
from tearsheet.settings import McpSettings

SMALLEST_ANSWER = 2_000
"""Fewer characters would not hold one story with its proof."""
_NO_LIMIT = 1 << 60
_KINDS = ("calls", "stories", "characters")


class BudgetSpent(UserError):
    """A client has had what it may have."""


@dataclass(slots=True, frozen=True)
class Room:
    """What one answer may have."""

    stories: int
    characters: int


@dataclass(slots=True)
class Spent:
    """What a client has had since a moment."""

    since: datetime
    calls: int = 0
    stories: int = 0
    characters: int = 0


@dataclass(slots=True, frozen=True)
class Allowance:
    """What a client may have in one session; 0 means no limit."""

    calls: int
    stories: int
    characters: int
    answer_characters: int
    hours: float

    @classmethod
    def of(cls, mcp: McpSettings) -> Allowance:
        """What the settings allow. Raises ConfigError for answers that could hold nothing."""
        for name in ("answer_characters", "characters"):
            given = getattr(mcp, name)
            if given < SMALLEST_ANSWER and (given or name == "answer_characters"):
                raise ConfigError(f"mcp.{name}: {given} would hold no story; give {SMALLEST_ANSWER:,} or more")
        return cls(mcp.calls, mcp.stories, mcp.characters, mcp.answer_characters, mcp.session_hours)

    def room(self, spent: Spent) -> Room:
        """What the next answer may have. Raises BudgetSpent when that is nothing."""
        left = {kind: self.left(kind, spent) for kind in _KINDS}
        for kind in _KINDS:
            if left[kind] < (SMALLEST_ANSWER if kind == "characters" else 1):
                raise self.refusal(kind, spent)
        return Room(left["stories"], min(self.answer_characters, left["characters"]))

    def left(self, kind: str, spent: Spent) -> int:
        """How much of one kind is left."""
        limit = getattr(self, kind)
        return max(0, limit - getattr(spent, kind)) if limit else _NO_LIMIT

    def refusal(self, kind: str, spent: Spent) -> BudgetSpent:
        """That a budget is spent, and when another begins."""
        again = (spent.since + timedelta(hours=self.hours)).strftime("%Y-%m-%d %H:%M UTC")
        return BudgetSpent(
            f"the budget of this session is spent: {self.left(kind, spent):,} of {getattr(self, kind):,} {kind} left; "
            f"a new one begins at {again}, or ask the operator to raise mcp.{kind}"
        )

    def told(self, spent: Spent) -> str:
        """What is left, in words."""
        limited = [kind for kind in _KINDS if getattr(self, kind)]
        parts = [f"{self.left(kind, spent):,} of {getattr(self, kind):,} {kind}" for kind in limited]
        return f"{', '.join(parts)} left" if parts else "no limit"


@dataclass(slots=True)
class Budgets:
    """What each client has had, by its name. A session begins with the first call and lasts as long as the settings say."""

    allowance: Allowance
    clock: Clock = wall_clock
    _spent: dict[str, Spent] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, who: str) -> Room:
        """Count a call, and say what its answer may have. Raises BudgetSpent."""
        now = utc_now(self.clock)
        with self._lock:
            spent = self._spent.get(who)
            if spent is None or now - spent.since >= timedelta(hours=self.allowance.hours):
                spent = self._spent[who] = Spent(now)
            room = self.allowance.room(spent)
            spent.calls += 1
        return room

    def take(self, who: str, stories: int, characters: int) -> str:
        """Count what an answer has, and say in words what is left."""
        with self._lock:
            spent = self._spent[who]
            spent.stories += stories
            spent.characters += characters
            return self.allowance.told(spent)
