"""A relay in front of a server, which can be cut: how a test loses a connection without stopping the server for others."""

from __future__ import annotations

import selectors
import socket
import threading
from contextlib import closing, suppress
from urllib.parse import urlsplit


class Relay:
    """Passes bytes between a loopback port and the server of a URL. `cut()` ends all connections and refuses new ones."""

    def __init__(self, url: str) -> None:
        target = urlsplit(url)
        self._server = (target.hostname or "", target.port or 0)
        self._port = 0
        self._threads: list[threading.Thread] = []
        self._cut = threading.Event()
        self._timer: threading.Timer | None = None
        self.restore()
        user, at, _ = target.netloc.rpartition("@")
        self.url = target._replace(netloc=f"{user}{at}127.0.0.1:{self._port}").geturl()

    def restore(self) -> None:
        """Listen, on the same port as before."""
        self._cut = threading.Event()
        listener = socket.create_server(("127.0.0.1", self._port))
        listener.settimeout(0.05)
        self._port = listener.getsockname()[1]
        self._start(self._accept, listener, self._cut)

    def cut(self) -> None:
        """Lose every connection, and refuse new ones until `restore`."""
        self._cut.set()
        for thread in self._threads:
            thread.join()
        self._threads.clear()

    def cut_for(self, seconds: float) -> None:
        """Cut now, and restore by itself later."""
        self.cut()
        self._timer = threading.Timer(seconds, self.restore)
        self._timer.start()

    def close(self) -> None:
        """Leave no thread and no socket behind."""
        if self._timer is not None:
            self._timer.join()
        self.cut()

    def _start(self, work, *arguments) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket, cut: threading.Event) -> None:
        with closing(listener):
            while not cut.is_set():
                with suppress(TimeoutError):
                    self._start(self._pass_on, listener.accept()[0], cut)

    def _pass_on(self, client: socket.socket, cut: threading.Event) -> None:
        with closing(client), socket.create_connection(self._server) as server, selectors.DefaultSelector() as ready:
            ready.register(client, selectors.EVENT_READ, server)
            ready.register(server, selectors.EVENT_READ, client)
            with suppress(OSError):
                while not cut.is_set():
                    for key, _ in ready.select(0.05):
                        data = key.fileobj.recv(65536)  # type: ignore[union-attr]  # only sockets were registered
                        if not data:
                            return
                        key.data.sendall(data)
