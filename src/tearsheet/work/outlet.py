"""Where a queuer sends its stories: the input queues of the next stages, while these and the disk have room."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from tearsheet.clock import Clock, wall_clock
from tearsheet.engines.broker import Broker, Message, Output
from tearsheet.work.disk_floor import DiskFloor
from tearsheet.work.journey import input_queue
from tearsheet.work.water_marks import WaterMarks, room_in


class Outlet:
    """Sends each message to the queues of all `outputs`."""

    def __init__(
        self,
        broker: Broker,
        outputs: Sequence[str],
        marks: WaterMarks,
        floor: DiskFloor | None = None,
        clock: Clock = wall_clock,
    ) -> None:
        self._broker = broker
        self._queues = [input_queue(output) for output in outputs]
        self._marks = marks
        self._floor = floor or DiskFloor()
        self._clock = clock

    async def has_room(self) -> bool:
        """Whether more may be sent: the disk is above its floor, and every queue below its mark."""
        if not await asyncio.to_thread(self._floor.may_go):
            return False
        return room_in(self._queues, await self._broker.depths(), self._marks, self._clock())

    @property
    def gave_up(self) -> bool:
        """Whether the disk has been too full for too long."""
        return self._floor.gave_up

    async def send(self, messages: Sequence[Message]) -> None:
        """Publish the messages in each of the queues."""
        await self._broker.publish([Output(queue, message) for queue in self._queues for message in messages])
