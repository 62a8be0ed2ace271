"""Clients that hold connections: some say nothing, some send a head or a body byte by byte; whoever is hung up on comes back.

They run in a process of their own, so that they slow down nobody but the server.
"""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.support.paths import ROOT

_PACE = 0.5
"""Seconds between two bytes of a slow client."""
_REST = 5.0
"""Seconds until a client comes back that was hung up on."""
_HEAD = b"GET /search?q=climate HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
_BODY = b"POST /ingest HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 90000\r\n\r\n"


class Flood:
    """How many connections are held, the most that were held at once, and how many were ended by the server."""

    def __init__(self, port: int) -> None:
        self.held = self.ended = 0
        self._port = port

    async def hold(self, silent: int, slow: int) -> None:
        """Hold so many connections until stdin ends; say when all of them have begun, and in the end how many are held."""
        said = [b""] * silent + [(_HEAD, _BODY)[number % 2] for number in range(slow)]
        clients = [asyncio.create_task(self._come_back(words)) for words in said]
        while self.held + self.ended < len(said):
            await asyncio.sleep(0.05)
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        print(json.dumps({"held": self.held, "ended": self.ended}), flush=True)
        for client in clients:
            client.cancel()
        await asyncio.gather(*clients, return_exceptions=True)

    async def _come_back(self, words: bytes) -> None:
        while True:
            with suppress(OSError):
                await self._visit(words)
            self.ended += 1
            await asyncio.sleep(_REST)

    async def _visit(self, words: bytes) -> None:
        loop = asyncio.get_running_loop()
        with socket.socket() as connection:
            connection.setblocking(False)
            await loop.sock_connect(connection, ("127.0.0.1", self._port))
            self.held += 1
            try:
                if not words:
                    await loop.sock_recv(connection, 1)
                    return
                await loop.sock_sendall(connection, words)
                while True:
                    await asyncio.sleep(_PACE)
                    await loop.sock_sendall(connection, b"x")
            finally:
                self.held -= 1


@contextmanager
def flood(port: int, *, silent: int, slow: int) -> Iterator[dict[str, int]]:
    """Hold so many connections during the block; afterwards, what became of them."""
    command = [sys.executable, "-m", "tests.support.flood", str(port), str(silent), str(slow)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, text=True, stdin=pipe, stdout=pipe) as process:
        found: dict[str, int] = {}
        try:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
            yield found
        finally:
            found |= json.loads(process.communicate()[0] or "{}")


if __name__ == "__main__":
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    port, silent, slow = map(int, sys.argv[1:])
    asyncio.run(Flood(port).hold(silent, slow))
