"""The jobs of the topic pipeline on its queues: small messages, each handled by one coroutine, safe to be delivered twice."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tearsheet.clock import Clock, wall_clock
from tearsheet.engines.broker import Broker, Lease, Message, Output, Settlement
from tearsheet.errors import WorkerError
from tearsheet.work import Finished, Ledger, Outcome, Quarantine, StreamWorker, WorkerConfig, fate_of, input_queue

log = logging.getLogger(__name__)


@dataclass(slots=True, frozen=True)
class Job:
    """Work for one of the queues, at once or after `delay` seconds."""

    name: str
    values: Mapping[str, Any]
    delay: float = 0.0

    def output(self) -> Output:
        """The message for its queue."""
        body = json.dumps(self.values, sort_keys=True, separators=(",", ":")).encode()
        return Output(input_queue(self.name), Message(body, key=str(self.values.get("media", ""))), self.delay)


class Handler(Protocol):
    """What does a job."""

    async def handle(self, values: Mapping[str, Any], *, redelivered: bool) -> Sequence[Job]:
        """Do it, and say which jobs follow. Raises the outcomes of `pipeline.stage`."""
        ...

    async def give_up(self, values: Mapping[str, Any], reason: str, *, defect: bool) -> Sequence[Job]:
        """Note that the job failed for good. `defect`: not the web's fault."""
        ...


class JobWorker(StreamWorker):
    """Leases jobs, hands them to their handler, and settles them with the jobs that follow."""

    def __init__(
        self, handler: Handler, config: WorkerConfig, broker: Broker, ledger: Ledger, clock: Clock = wall_clock
    ) -> None:
        super().__init__(config, broker, ledger, clock)
        self._handler = handler

    async def _process(self, lease: Lease) -> Finished:
        message = lease.message
        try:
            values = json.loads(message.body)
        except ValueError as error:
            return self._end(lease, Quarantine("unreadable", str(error)))
        try:
            jobs = await self._handler.handle(values, redelivered=lease.redelivered)
        except WorkerError:
            raise  # the disk or an engine, not this job: the worker stops and the job stays
        except Exception as outcome:
            return await self._failed(lease, values, outcome)
        return Finished(Settlement(lease, tuple(job.output() for job in jobs)), None)

    async def _failed(self, lease: Lease, values: Mapping[str, Any], outcome: Exception) -> Finished:
        defect = not isinstance(outcome, Outcome)
        if defect:
            log.error("job failed", exc_info=outcome, extra={"job": self.name, "values": dict(values)})
        fate = fate_of(self.queue_name, lease.message, outcome, self.config.rule, self._clock())
        if fate.status not in ("dropped", "quarantined"):
            return Finished(Settlement(lease, fate.outputs), None)
        reason = f"{fate.reason}: {fate.detail}" if fate.detail else fate.reason
        jobs = await self._handler.give_up(values, reason, defect=defect)
        return Finished(Settlement(lease, (*fate.outputs, *(job.output() for job in jobs))), None)

    def _end(self, lease: Lease, outcome: Exception) -> Finished:
        fate = fate_of(self.queue_name, lease.message, outcome, self.config.rule, self._clock())
        return Finished(Settlement(lease, fate.outputs), None)
