"""The two kinds of worker that do jobs: those that drive a run, and those that do single items of it."""

from __future__ import annotations

import asyncio
import logging
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from tearsheet.engines.broker import Broker, Lease, Message, Output, Settlement
from tearsheet.errors import WorkerError
from tearsheet.topics.model import Topic
from tearsheet.topics.spider.job import Job, read_values
from tearsheet.topics.spider.putting_off import is_put_off
from tearsheet.topics.spider.stores import jobs
from tearsheet.topics.spider.stores.jobs import Taken
from tearsheet.topics.spider.tools import Tools
from tearsheet.work import (
    DROPPED,
    QUARANTINED,
    RETRIES,
    Finished,
    Ledger,
    Outcome,
    Quarantine,
    Requeue,
    StreamWorker,
    WorkerConfig,
    fate_of,
)

log = logging.getLogger(__name__)


class TurnLater(Requeue):
    """The source must not be fetched from yet. The turn is reserved until it comes."""

    def __init__(self, turn: float, after: float) -> None:
        super().__init__("pace", after)
        self.turn = turn


class Driver(Protocol):
    """Drives a run by a message of its own, which it sends to itself again after each step."""

    async def handle(self, values: Mapping[str, Any], *, redelivered: bool) -> Sequence[Job]:
        """Do the next step and return the jobs that follow. Raises the outcomes of `work`."""
        ...

    async def give_up(self, values: Mapping[str, Any], reason: str) -> None:
        """Record that the run failed for good."""
        ...


class ItemHandler(Protocol):
    """Does one item: fetches an address, adds a story. It changes the tables, which determine what is due next."""

    async def handle(self, topic: Topic, taken: Taken) -> None:
        """Do it. Raises the outcomes of `work`."""
        ...

    def give_up(self, taken: Taken, reason: str, *, defect: bool) -> None:
        """Record that the item failed for good. `defect`: it was our fault, not the web's. Called in a thread."""
        ...


class _JobWorker(StreamWorker):
    """Leases the messages of jobs, and settles each with the messages that follow from it."""

    async def _process(self, lease: Lease) -> Finished:
        try:
            values = read_values(lease.message)
        except ValueError as error:
            outcome = Quarantine("unreadable", str(error))
            outputs = fate_of(self.queue_name, lease.message, outcome, self.config.rule, self._clock()).outputs
        else:
            outputs = await self._outputs_of(lease, values)
        return Finished(Settlement(lease, outputs), None, None)

    @abstractmethod
    async def _outputs_of(self, lease: Lease, values: Mapping[str, Any]) -> tuple[Output, ...]:
        """Do what the message asks for; returns the messages that follow."""


class DriverWorker(_JobWorker):
    """Hands the messages of runs to the driver, and sends the jobs that it returns."""

    def __init__(self, driver: Driver, tools: Tools, config: WorkerConfig, broker: Broker, ledger: Ledger) -> None:
        super().__init__(config, broker, ledger, tools.clock)
        self._driver = driver

    async def _outputs_of(self, lease: Lease, values: Mapping[str, Any]) -> tuple[Output, ...]:
        try:
            following = await self._driver.handle(values, redelivered=lease.redelivered)
        except WorkerError:
            raise  # the disk or an engine failed, not this run: the worker stops and the message stays
        except Exception as outcome:
            return await self._failed(lease.message, values, outcome)
        return tuple(job.output() for job in following)

    async def _failed(self, message: Message, values: Mapping[str, Any], outcome: Exception) -> tuple[Output, ...]:
        _log_defect(self.name, values, outcome)
        fate = fate_of(self.queue_name, message, outcome, self.config.rule, self._clock())
        if fate.status in (DROPPED, QUARANTINED):
            await self._driver.give_up(values, _describe(fate.reason, fate.detail))
        return fate.outputs


class ItemWorker(_JobWorker):
    """Takes the items that messages name, if they are still free, and does them.

    Whether, when and how often an item is retried is recorded in `topic_jobs`, not in the message.
    """

    def __init__(
        self, handler: ItemHandler, tools: Tools, config: WorkerConfig, broker: Broker, ledger: Ledger
    ) -> None:
        super().__init__(config, broker, ledger, tools.clock)
        self._handler = handler
        self._tools = tools

    async def _outputs_of(self, lease: Lease, values: Mapping[str, Any]) -> tuple[Output, ...]:
        found = await asyncio.to_thread(self._take, values)
        return await self._do(lease.message, *found) if found else ()

    def _take(self, values: Mapping[str, Any]) -> tuple[Topic, Taken] | None:
        tools = self._tools
        topic, run = tools.topic_at_work(int(values["topic"])), values.get("run")
        if topic is None or topic.run != run:
            return None  # of a run that has ended, or that was restarted and offers everything again
        until = tools.clock() + tools.hold_seconds
        taken = jobs.take(
            tools.database, topic.id, self.name, str(values["item"]), run=topic.run, holder=tools.holder, until=until
        )
        return (topic, taken) if taken else None

    async def _do(self, message: Message, topic: Topic, taken: Taken) -> tuple[Output, ...]:
        try:
            await self._handler.handle(topic, taken)
        except WorkerError:
            raise  # the disk or an engine failed, not this item: the worker stops, and the item is offered again
        except Exception as outcome:
            return await self._failed(message, taken, outcome)
        await asyncio.to_thread(jobs.finish, self._tools.database, taken, self._tools.holder)
        return ()

    async def _failed(self, message: Message, taken: Taken, outcome: Exception) -> tuple[Output, ...]:
        """Put an item that is retried back until it is due; record one that is given up, and quarantine it if the error is ours."""
        _log_defect(self.name, {"topic": taken.topic_id, "item": taken.item}, outcome)
        tried = replace(message, headers={**message.headers, RETRIES: taken.tries})
        fate = fate_of(self.queue_name, tried, outcome, self.config.rule, self._clock())
        if fate.status in (DROPPED, QUARANTINED):
            await asyncio.to_thread(
                self._give_up, taken, _describe(fate.reason, fate.detail), not isinstance(outcome, Outcome)
            )
            return fate.outputs
        [again] = fate.outputs
        await asyncio.to_thread(
            jobs.put_back,
            self._tools.database,
            taken,
            self._tools.holder,
            until=self._clock() + again.delay,
            tries=int(again.message.headers[RETRIES]),
            turn=turn_after(outcome, taken.turn),
            put_off=is_put_off(self.name, outcome, again.delay, self._tools.settings.wait_seconds),
        )
        return ()

    def _give_up(self, taken: Taken, reason: str, defect: bool) -> None:
        self._handler.give_up(taken, reason, defect=defect)
        jobs.finish(self._tools.database, taken, self._tools.holder)


def turn_after(outcome: Exception, turn: float) -> float:
    """The turn that an item keeps: the one that it is waiting for. A failed try has used its turn."""
    if isinstance(outcome, TurnLater):
        return outcome.turn
    return turn if isinstance(outcome, Requeue) else 0.0


def _log_defect(name: str, values: Mapping[str, Any], outcome: Exception) -> None:
    if not isinstance(outcome, Outcome):
        log.error("job failed", exc_info=outcome, extra={"job": name, "values": dict(values)})


def _describe(reason: str, detail: str) -> str:
    return f"{reason}: {detail}" if detail else reason
