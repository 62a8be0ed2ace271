"""A proxy that fails half the time: it passes bytes on to a server and breaks off wherever it likes."""

from __future__ import annotations

import random
import selectors
import socket
import threading
from contextlib import closing, suppress
from urllib.parse import urlsplit


class FlakyProxy:
    """Of all connections, half break within their first kilobytes, before, during or after an upload; the others last longer."""

    def __init__(self, url: str, seed: int) -> None:
        target = urlsplit(url)
        self._server = (target.hostname or "", target.port or 0)
        self._random = random.Random(seed)
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.05)
        user, at, _ = target.netloc.rpartition("@")
        port = self._listener.getsockname()[1]
        self.url = target._replace(netloc=f"{user}{at}127.0.0.1:{port}").geturl()
        self.passed = self.broken = 0
        self._start(self._accept)

    def close(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _start(self, work, *arguments) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with closing(self._listener):
            while not self._stop.is_set():
                with suppress(TimeoutError):
                    client = self._listener.accept()[0]
                    fails = self._random.random() < 0.5
                    self.broken += fails
                    self.passed += not fails
                    self._start(self._pass_on, client, self._random.randrange(40_000) if fails else 2_000_000)

    def _pass_on(self, client: socket.socket, budget: int) -> None:
        with closing(client), socket.create_connection(self._server) as server, selectors.DefaultSelector() as ready:
            ready.register(client, selectors.EVENT_READ, server)
            ready.register(server, selectors.EVENT_READ, client)
            with suppress(OSError):
                while budget > 0 and not self._stop.is_set():
                    for key, _ in ready.select(0.05):
                        data = key.fileobj.recv(min(65_536, budget))  # type: ignore[union-attr]  # only sockets
                        if not data:
                            return
                        key.data.sendall(data)
                        budget -= len(data)
                        if budget <= 0:
                            return
