"""What the program asks of an event log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tearsheet.errors import UserError


@dataclass(slots=True, frozen=True)
class Event:
    """One event of a log: its topic, key and value."""

    topic: str
    key: str
    value: Mapping[str, Any]
    position: str
    """Its position in the log; opaque."""


class Unerasable(UserError):
    """An event log cannot remove single events. The message says until when it keeps them."""

    exit_code = 3


class Events(Protocol):
    """Append-only topics of keyed JSON objects, read by groups that each keep their own offset."""

    def publish(self, topic: str, pairs: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Append (key, value) pairs; returns when they are safely stored."""
        ...

    def poll(self, topic: str, group: str, limit: int, wait: float = 0.0) -> list[Event]:
        """The next events after the group's offset. Waits up to `wait` seconds for the first."""
        ...

    def commit(self, group: str, events: Sequence[Event]) -> None:
        """Move the group's offset past these events: it does not get them again."""
        ...

    def latest(self, topic: str) -> dict[str, Mapping[str, Any]]:
        """The newest value of each key, as after compaction."""
        ...

    def erase(self, topic: str, unwanted: Callable[[Event], bool]) -> int:
        """Remove the events of a topic that are unwanted, whoever has read them; returns how many there were.

        Groups keep their places. Raises Unerasable where single events cannot be removed and such an event is there.
        """
        ...

    def close(self) -> None:
        """Send what is pending and disconnect."""
        ...
