"""Waiting for sockets: the two ways say the same."""

from __future__ import annotations

import select
import socket

import pycurl
import pytest

from tearsheet.fetch.sockets import BOTH, READ, WRITE, AnySockets, EpollSockets, open_sockets

KINDS = [AnySockets, *([EpollSockets] if hasattr(select, "epoll") else [])]


@pytest.fixture(params=KINDS)
def sockets(request):
    sockets = request.param()
    yield sockets
    sockets.close()


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    yield ours, theirs
    ours.close()
    theirs.close()


def test_what_is_wanted_is_told(sockets, pair) -> None:
    ours, theirs = pair
    sockets.watch(ours.fileno(), pycurl.POLL_IN)
    assert sockets.ready() == []
    sockets.watch(ours.fileno(), pycurl.POLL_OUT)
    assert sockets.ready() == [(ours.fileno(), WRITE)]
    theirs.send(b"x")
    sockets.watch(ours.fileno(), pycurl.POLL_INOUT)
    assert sockets.ready() == [(ours.fileno(), BOTH)]
    assert select.select([sockets.fileno()], [], [], 0)[0]
    sockets.watch(ours.fileno(), pycurl.POLL_REMOVE)
    sockets.watch(ours.fileno(), pycurl.POLL_REMOVE)
    assert sockets.ready() == []


def test_a_hang_up_is_there_to_be_read(sockets, pair) -> None:
    ours, theirs = pair
    sockets.watch(ours.fileno(), pycurl.POLL_IN)
    theirs.close()
    assert sockets.ready() == [(ours.fileno(), READ)]


def test_a_number_may_belong_to_another_socket_by_now(sockets) -> None:
    first, other = socket.socketpair()
    number = first.fileno()
    sockets.watch(number, pycurl.POLL_IN)
    first.close()
    other.close()
    second, other = socket.socketpair()
    try:
        assert number in (second.fileno(), other.fileno())
        sockets.watch(number, pycurl.POLL_OUT)
        assert sockets.ready() == [(number, WRITE)]
    finally:
        second.close()
        other.close()


def test_a_socket_that_was_closed_can_be_forgotten(sockets) -> None:
    first, other = socket.socketpair()
    number = first.fileno()
    sockets.watch(number, pycurl.POLL_IN)
    first.close()
    other.close()
    sockets.watch(number, pycurl.POLL_REMOVE)
    assert sockets.ready() == []


def test_the_fastest_is_taken() -> None:
    sockets = open_sockets()
    assert isinstance(sockets, KINDS[-1])
    sockets.close()
