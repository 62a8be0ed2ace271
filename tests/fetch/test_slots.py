"""Slots are given in the order of asking, and none is lost."""

import asyncio

import pytest

from tearsheet.fetch.slots import Slots
from tests.support.patience import PATIENCE
from tests.support.virtual_loop import run_virtually


def test_slots_are_given_in_order():
    async def test():
        slots, order, active, most = Slots(2), [], 0, 0

        async def one(number):
            nonlocal active, most
            await slots.take()
            order.append(number)
            active += 1
            most = max(most, active)
            await asyncio.sleep(1)
            active -= 1
            slots.give_back()

        await asyncio.gather(*(one(number) for number in range(7)))
        assert order == list(range(7)) and most == 2

    run_virtually(test())


@pytest.mark.parametrize("given_first", [True, False])
def test_a_slot_of_somebody_who_left_goes_to_the_next(given_first):
    async def test():
        slots = Slots(1)
        await slots.take()
        leaver = asyncio.create_task(slots.take())
        stayer = asyncio.create_task(slots.take())
        await asyncio.sleep(0)
        if given_first:
            slots.give_back()
        leaver.cancel()
        await asyncio.sleep(0)
        if not given_first:
            slots.give_back()
        await asyncio.wait_for(stayer, PATIENCE)
        with pytest.raises(asyncio.CancelledError):
            await leaver
        assert slots.full
        slots.give_back()
        assert not slots.full

    run_virtually(test())
