"""The gate: how many connections are open, from how many each address, and who makes room when there are too many.

Whoever waits costs least to lose: first goes the connection that has been waiting longest for the head of a request, then
the one that has been sending its body for longest. So a client that speaks at once is let in however many others sit there in
silence. Connections that are being answered stay, and if there is nothing but those, whoever comes next is turned away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from tearsheet.web.limits import network_of


class Phase(Enum):
    """What a connection is busy with."""

    HEAD = "we wait for a handshake, or for the head of a request"
    BODY = "we wait for the body of a request"
    ANSWER = "we answer"


_GIVEN_UP_FIRST = (Phase.HEAD, Phase.BODY)


@dataclass(slots=True, eq=False)
class Guest:
    """One open connection."""

    whose: str
    """Its address; empty if it does not count towards the limit of an address."""
    close: Callable[[], object]
    phase: Phase = Phase.HEAD


class _Crowd:
    """Some connections, by phase; within a phase, the one that entered it first is the first."""

    def __init__(self) -> None:
        self._by_phase: dict[Phase, dict[Guest, None]] = {phase: {} for phase in Phase}

    def __len__(self) -> int:
        return sum(map(len, self._by_phase.values()))

    def add(self, guest: Guest) -> None:
        self._by_phase[guest.phase][guest] = None

    def remove(self, guest: Guest) -> None:
        self._by_phase[guest.phase].pop(guest, None)

    def first_to_go(self) -> Guest | None:
        return next((guest for phase in _GIVEN_UP_FIRST for guest in self._by_phase[phase]), None)


class Gate:
    """The open connections of a server. It belongs to one event loop."""

    def __init__(self, most: int, most_of_one: int) -> None:
        self._most, self._most_of_one = most, most_of_one
        self._all = _Crowd()
        self._of_one: dict[str, _Crowd] = {}

    def __len__(self) -> int:
        """How many are open."""
        return len(self._all)

    def enter(self, address: str, close: Callable[[], object]) -> Guest | None:
        """Let a connection in, at the expense of another if need be; None if there is no room.

        An empty address has no limit of its own.
        """
        whose = network_of(address) if address else ""
        crowd = self._of_one.get(whose) if whose else None
        if crowd is not None and len(crowd) >= self._most_of_one and not self._make_room(crowd):
            return None
        if len(self._all) >= self._most and not self._make_room(self._all):
            return None
        guest = Guest(whose, close)
        for crowd in self._crowds(guest):
            crowd.add(guest)
        return guest

    def move(self, guest: Guest, phase: Phase) -> None:
        """Note what a connection is busy with now."""
        crowds = self._crowds(guest)
        for crowd in crowds:
            crowd.remove(guest)
        guest.phase = phase
        for crowd in crowds:
            crowd.add(guest)

    def leave(self, guest: Guest) -> None:
        """A connection is closed; it may be said twice."""
        for crowd in self._crowds(guest):
            crowd.remove(guest)
        if guest.whose and not len(self._of_one[guest.whose]):
            del self._of_one[guest.whose]

    def _make_room(self, crowd: _Crowd) -> bool:
        guest = crowd.first_to_go()
        if guest is None:
            return False
        self.leave(guest)
        guest.close()
        return True

    def _crowds(self, guest: Guest) -> list[_Crowd]:
        if not guest.whose:
            return [self._all]
        return [self._all, self._of_one.setdefault(guest.whose, _Crowd())]
