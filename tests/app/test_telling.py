"""Whoever waits is told all along, and no longer."""

from __future__ import annotations

import asyncio

import pytest

from tearsheet.app.telling import told_all_along
from tests.support.virtual_loop import run_virtually


@pytest.mark.parametrize("error", [None, ValueError("it broke")])
def test_it_is_told_while_the_work_goes_on_and_not_after_it(error: Exception | None):
    told: list[float] = []

    async def work() -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            async with told_all_along(lambda: told.append(loop.time() - begun)):
                await asyncio.sleep(1.6)
                if error:
                    raise error
        except ValueError:
            pass
        await asyncio.sleep(5)

    run_virtually(work())
    assert told == pytest.approx([0.5, 1.0, 1.5])
