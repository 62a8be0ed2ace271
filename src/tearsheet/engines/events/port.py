"""What the program asks of an event log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(slots=True, frozen=True)
class Event:
    """One entry of an event log."""

    topic: str
    key: str
    value: Mapping[str, Any]
    position: str
    """Where it stands in the log; opaque."""


class Events(Protocol):
    """Append-only topics of keyed JSON objects, read by groups that each keep their place."""

    def publish(self, topic: str, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Append (key, value) pairs; returns when they are safe."""
        ...

    def poll(self, topic: str, group: str, limit: int, wait: float = 0.0) -> list[Event]:
        """The next events after the group's place. Waits up to `wait` seconds for the first."""
        ...

    def commit(self, group: str, events: Sequence[Event]) -> None:
        """Move the group's place behind these events: they are not given to it again."""
        ...

    def latest(self, topic: str) -> dict[str, Mapping[str, Any]]:
        """The newest value of each key, as after compaction."""
        ...

    def close(self) -> None:
        """Send what is pending and disconnect."""
        ...
