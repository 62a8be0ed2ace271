"""Waiting for many sockets at once, with curl's own constants: epoll where the system has it, else what `selectors` finds.

On a busy loopback client, the layer that `selectors` puts over epoll costs as much as a tenth of the work of fetching a page.
"""

from __future__ import annotations

import select
import selectors
from contextlib import suppress
from typing import Protocol

import pycurl

READ, WRITE = pycurl.CSELECT_IN, pycurl.CSELECT_OUT
BOTH = READ | WRITE
_WANTED = {pycurl.POLL_IN: READ, pycurl.POLL_OUT: WRITE, pycurl.POLL_INOUT: BOTH}


class Sockets(Protocol):
    """Sockets by their numbers. Its own `fileno` is readable when one of them is ready."""

    def fileno(self) -> int:
        """The descriptor on which an event loop can wait for all of them."""
        ...

    def watch(self, number: int, what: int) -> None:
        """Wait for what curl wants of a socket: POLL_IN, POLL_OUT, POLL_INOUT, or POLL_REMOVE to stop waiting."""
        ...

    def ready(self) -> list[tuple[int, int]]:
        """Sockets that are ready, and for what: CSELECT_IN, CSELECT_OUT or both."""
        ...

    def close(self) -> None:
        """Stop waiting."""
        ...


class EpollSockets:
    """Sockets on Linux."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._masks = {READ: select.EPOLLIN, WRITE: select.EPOLLOUT, BOTH: select.EPOLLIN | select.EPOLLOUT}
        self._known: set[int] = set()

    def fileno(self) -> int:
        """See Sockets."""
        return self._epoll.fileno()

    def watch(self, number: int, what: int) -> None:
        """See Sockets."""
        if what == pycurl.POLL_REMOVE:
            if number in self._known:
                self._known.discard(number)
                with suppress(OSError):  # already closed, which removed it from the set
                    self._epoll.unregister(number)
            return
        mask = self._masks[_WANTED[what]]
        if number in self._known:
            try:
                self._epoll.modify(number, mask)
                return
            except FileNotFoundError:
                pass  # another socket took the number of one that was closed
        self._epoll.register(number, mask)
        self._known.add(number)

    def ready(self) -> list[tuple[int, int]]:
        """See Sockets. An error or a hang-up counts as readable, so that the reader finds it."""
        found = []
        for number, events in self._epoll.poll(0):
            what = READ if events & ~select.EPOLLOUT else 0
            found.append((number, what | WRITE if events & select.EPOLLOUT else what))
        return found

    def close(self) -> None:
        """See Sockets."""
        self._epoll.close()


class AnySockets:
    """Sockets on every other system."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._masks = {READ: selectors.EVENT_READ, WRITE: selectors.EVENT_WRITE}
        self._masks[BOTH] = selectors.EVENT_READ | selectors.EVENT_WRITE

    def fileno(self) -> int:
        """See Sockets."""
        return self._selector.fileno()

    def watch(self, number: int, what: int) -> None:
        """See Sockets."""
        known = self._selector.get_map()
        if number in known and what != pycurl.POLL_REMOVE:
            try:
                self._selector.modify(number, self._masks[_WANTED[what]])
                return
            except OSError:
                pass  # another socket took the number of one that was closed
        if number in known:  # a failed change may have removed it
            self._selector.unregister(number)
        if what != pycurl.POLL_REMOVE:
            self._selector.register(number, self._masks[_WANTED[what]])

    def ready(self) -> list[tuple[int, int]]:
        """See Sockets."""
        back = {mask: what for what, mask in self._masks.items()}
        return [(key.fd, back[events]) for key, events in self._selector.select(0)]

    def close(self) -> None:
        """See Sockets."""
        self._selector.close()


def open_sockets() -> Sockets:
    """The fastest kind that this system has."""
    return EpollSockets() if hasattr(select, "epoll") else AnySockets()
