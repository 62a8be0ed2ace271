"""What a client may have, and what it is told when that is spent."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tearsheet.agents.budget import Allowance, Budgets, BudgetSpent, Room
from tearsheet.errors import ConfigError
from tearsheet.settings import McpSettings

ALLOWED = Allowance(calls=2, stories=10, characters=5_000, answer_characters=4_000, hours=1.0)


def test_room_shrinks_with_what_was_taken():
    budgets = Budgets(ALLOWED, lambda: 0.0)
    assert budgets.begin("a") == Room(10, 4_000)
    assert budgets.take("a", 3, 2_500) == "1 of 2 calls, 7 of 10 stories, 2,500 of 5,000 characters left"
    assert budgets.begin("a") == Room(7, 2_500)
    assert budgets.begin("b") == Room(10, 4_000), "each client has its own"
    with pytest.raises(BudgetSpent, match="0 of 2 calls left; a new one begins at 1970-01-01 01:00 UTC"):
        budgets.begin("a")


@pytest.mark.parametrize(("stories", "characters", "kind"), [(10, 0, "stories"), (0, 3_001, "characters")])
def test_each_kind_is_refused_when_it_is_spent(stories, characters, kind):
    budgets = Budgets(ALLOWED, lambda: 0.0)
    budgets.begin("a")
    budgets.take("a", stories, characters)
    with pytest.raises(BudgetSpent, match=rf"ask the operator to raise mcp\.{kind}"):
        budgets.begin("a")


def test_a_budget_begins_anew_after_its_hours():
    now = [datetime(2026, 11, 15, tzinfo=UTC).timestamp()]
    budgets = Budgets(ALLOWED, lambda: now[0])
    budgets.begin("a")
    budgets.begin("a")
    now[0] += 3_599
    with pytest.raises(BudgetSpent):
        budgets.begin("a")
    now[0] += 1
    assert budgets.begin("a") == Room(10, 4_000)


def test_zero_means_no_limit():
    budgets = Budgets(Allowance(0, 0, 0, 4_000, 1.0), lambda: 0.0)
    for _ in range(100):
        assert budgets.begin("a").characters == 4_000
        assert budgets.take("a", 1_000, 4_000) == "no limit"


@pytest.mark.parametrize("wrong", [{"answer_characters": 0}, {"answer_characters": 100}, {"characters": 100}])
def test_a_budget_that_would_hold_no_story_is_a_wrong_setting(wrong):
    with pytest.raises(ConfigError, match=f"mcp.{next(iter(wrong))}"):
        Allowance.of(McpSettings(**wrong))
