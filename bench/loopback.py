"""A web server for benchmarks, in a process of its own: answers that are made beforehand, and as little work as Python allows.

What is measured is the client. So the server does for each request no more than the system calls that any server needs: it
waits for many connections at once, reads, looks the path up, and writes bytes that lay ready. It speaks plain HTTP/1.1 and keeps
connections open.
"""

from __future__ import annotations

import multiprocessing
import os
import select
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

Answers = Callable[[bytes], bytes]
"""From a path, as `b"/robots.txt"`, to a whole response."""


def response(kind: str, body: bytes) -> bytes:
    """A whole response with this body."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@dataclass(slots=True)
class Server:
    """A server that runs."""

    port: int
    pid: int

    def cpu_seconds(self) -> float:
        """Processor time that it has used so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(answers: Answers) -> Iterator[Server]:
    """Serve on a port of every loopback address until the block is left. `answers` runs in the other process."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_serve, args=(answers, there), daemon=True)
    process.start()
    port = here.recv()
    try:
        yield Server(port, process.pid or 0)
    finally:
        process.kill()
        process.join()


def _serve(answers: Answers, port_to: Connection) -> None:
    listener = socket.create_server(("0.0.0.0", 0), backlog=4096)  # all of 127.0.0.0/8
    listener.setblocking(False)
    port_to.send(listener.getsockname()[1])
    epoll = select.epoll()
    epoll.register(listener.fileno(), select.EPOLLIN)
    connections: dict[int, _Peer] = {}
    while True:
        for number, _ in epoll.poll():
            if number == listener.fileno():
                peer = _Peer(listener.accept()[0], answers)
                connections[peer.number] = peer
                epoll.register(peer.number, select.EPOLLIN)
            elif not connections[number].answer():
                epoll.unregister(number)
                connections.pop(number).socket.close()


class _Peer:
    def __init__(self, connection: socket.socket, answers: Answers) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = connection
        self.number = connection.fileno()
        self._answers = answers
        self._rest = b""

    def answer(self) -> bool:
        """Answer what has come; False when the other side has gone."""
        try:
            data = self.socket.recv(65536)
            if not data:
                return False
            *heads, self._rest = (self._rest + data).split(b"\r\n\r\n")
            for head in heads:
                self.socket.sendall(self._answers(head.split(b" ", 2)[1]))  # a few kilobytes never fill the buffer
        except OSError:
            return False
        return True
