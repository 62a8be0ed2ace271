"""A job as a message on its queue."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tearsheet.engines.broker import Message, Output
from tearsheet.work import input_queue


@dataclass(slots=True, frozen=True)
class Job:
    """Work for one of the queues, immediately or after `delay` seconds."""

    name: str
    values: Mapping[str, Any]
    delay: float = 0.0

    def output(self) -> Output:
        """The message for its queue."""
        body = json.dumps(self.values, sort_keys=True, separators=(",", ":")).encode()
        return Output(input_queue(self.name), Message(body), self.delay)


def read_values(message: Message) -> dict[str, Any]:
    """The values in a message. Raises ValueError."""
    values = json.loads(message.body)
    if not isinstance(values, dict):
        raise ValueError("not an object")
    return values
