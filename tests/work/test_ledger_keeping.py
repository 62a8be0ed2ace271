from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tearsheet.errors import BusyError, TearsheetError
from tearsheet.work.ledger import Ledger
from tearsheet.work.ledger_keeping import EVERY_SECONDS, LedgerKeeper
from tests.support.virtual_loop import run_virtually


class Folding(Ledger):
    """Notes when it was asked to fold, and fails as told."""

    def __init__(self, *answers: TearsheetError | None) -> None:
        self.asked: list[int] = []
        self._answers = iter(answers)

    def fold(self, keep_days: int, stopped: Callable[[], bool] = lambda: False) -> int:
        self.asked.append(keep_days)
        answer = next(self._answers, None)
        if answer is not None:
            raise answer
        return 0


def keep(ledger: Ledger, days: int, hours: float) -> None:
    async def go() -> None:
        stop = asyncio.Event()
        running = asyncio.create_task(LedgerKeeper(ledger, days).run(stop))
        await asyncio.sleep(hours * EVERY_SECONDS)
        stop.set()
        await running

    run_virtually(go())


@pytest.mark.parametrize(("hours", "times"), [(0.5, 1), (2.5, 3)])
def test_it_folds_at_once_and_every_hour(hours, times):
    ledger = Folding()
    keep(ledger, 90, hours)
    assert ledger.asked == [90] * times


def test_days_of_nought_mean_never():
    ledger = Folding()
    keep(ledger, 0, 5)
    assert ledger.asked == []


def test_a_busy_database_does_not_end_the_run(caplog):
    ledger = Folding(BusyError("held"), None)
    keep(ledger, 90, 1.5)
    assert ledger.asked == [90, 90]
    assert "ledger not folded" in caplog.text
