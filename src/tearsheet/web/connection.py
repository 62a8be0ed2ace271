"""One connection of the server: uvicorn's, with a limit on the time for a head, a body, and a reader who does not read.

uvicorn itself limits only how long a connection may be idle between two requests: whoever connects and says nothing, or says it
byte by byte, stays for ever.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tearsheet.web.gate import Gate, Guest, Phase

_NOTE = b'{"status": "error", "note": "the request took too long to arrive: send it again"}'
_TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%s" % (len(_NOTE), _NOTE)
)


@dataclass(slots=True, frozen=True)
class Patience:
    """How many seconds are waited for what."""

    head: float
    body: float
    reader: float
    """For a reader who takes nothing of an answer that is ready."""


class Connection(H11Protocol):
    """A connection that ends when its time is over."""

    def __init__(self, *args: Any, gate: Gate, guest: Guest, patience: Patience, **named: Any) -> None:
        super().__init__(*args, **named)
        self._gate, self._guest, self._patience = gate, guest, patience
        self._timer: asyncio.TimerHandle | None = None
        self._reader_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Wait for the first head."""
        super().connection_made(transport)
        self._guest.close = transport.abort
        self._set_timer()

    def data_received(self, data: bytes) -> None:
        """Note how far the request has come."""
        super().data_received(data)
        self._note()

    def send_400_response(self, msg: str) -> None:
        """Say that this is no HTTP. An answer that was under way has nobody to go to any more."""
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        super().send_400_response(msg)

    def on_response_complete(self) -> None:
        """Wait for the next head: uvicorn's own timer limits the time until it begins."""
        super().on_response_complete()
        self._note()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._gate.leave(self._guest)
        self._cancel(self._timer)
        self._cancel(self._reader_timer)

    def pause_writing(self) -> None:
        """The reader is slow: wait a while."""
        super().pause_writing()
        self._reader_timer = self.loop.call_later(self._patience.reader, self.transport.abort)

    def resume_writing(self) -> None:
        """The reader has read some of it."""
        super().resume_writing()
        self._cancel(self._reader_timer)

    def _note(self) -> None:
        """Enter the phase that the request is in. More bytes of the same head or body bring no more time."""
        phase = self._phase()
        if phase is self._guest.phase or self.transport.is_closing():
            return
        self._gate.move(self._guest, phase)
        self._set_timer()

    def _phase(self) -> Phase:
        if self.conn.their_state is h11.SEND_BODY:
            return Phase.BODY
        answering = self.cycle is not None and not self.cycle.response_complete
        return Phase.ANSWER if answering else Phase.HEAD

    def _set_timer(self) -> None:
        self._cancel(self._timer)
        seconds = {Phase.HEAD: self._patience.head, Phase.BODY: self._patience.body}.get(self._guest.phase)
        self._timer = None if seconds is None else self.loop.call_later(seconds, self._too_slow)

    def _too_slow(self) -> None:
        """Say so where somebody may be listening, and hang up."""
        if self.conn.our_state is h11.SEND_RESPONSE and self._guest.phase is Phase.BODY:
            self.transport.write(_TOO_SLOW)
            self.transport.close()
        else:
            self.transport.abort()

    @staticmethod
    def _cancel(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()
