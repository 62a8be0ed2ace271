"""Serves, inside the caller's event loop, within limits."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial

import uvicorn
from starlette.types import ASGIApp

from tearsheet.errors import ConfigError
from tearsheet.settings import WebSettings
from tearsheet.system import raise_file_limit
from tearsheet.web.connection import Connection, Patience
from tearsheet.web.gate import Gate
from tearsheet.web.proxies import Proxies, is_loopback

log = logging.getLogger(__name__)
_GRACE_SECONDS = 3
"""How long a request may still take after the server was told to stop."""
_OTHER_FILES = 256
"""Files that the rest of the process needs: engines, logs, captures."""
_BREATH_SECONDS = 0.1
"""How long to wait when the process has too many files open to accept another connection."""
_HEAD_BYTES = 65_536
_LIMITS = (
    "max_connections", "max_connections_per_address", "max_body_bytes",
    "head_seconds", "body_seconds", "reader_seconds", "idle_seconds", "request_seconds",
)  # fmt: skip


@dataclass(slots=True, frozen=True)
class Limits:
    """What connections may cost."""

    connections: int
    connections_of_one: int
    patience: Patience
    idle_seconds: float
    proxies: Proxies

    @classmethod
    def of(cls, web: WebSettings) -> Limits:
        """The limits that the settings describe. Raises ConfigError for one that would let nobody in."""
        for name in _LIMITS:
            if not getattr(web, name):
                raise ConfigError(f"web.{name}: 0 would let nobody in; leave it out, or give a larger number")
        patience = Patience(web.head_seconds, web.body_seconds, web.reader_seconds)
        proxies = Proxies(web.trusted_proxies)
        return cls(web.max_connections, web.max_connections_per_address, patience, web.idle_seconds, proxies)


def room_for(wanted: int, files: int) -> int:
    """How many connections there may be in a process that may have so many files open."""
    return min(wanted, files - _OTHER_FILES) if files >= 2 * _OTHER_FILES else min(wanted, files // 2)


class _Server(uvicorn.Server):
    """uvicorn with our connections, accepted one by one, and without its signal handlers.

    The owner of the event loop decides when to stop. A connection is counted from the moment it is accepted, because whoever
    never ends a TLS handshake would otherwise not be seen at all.
    """

    def __init__(self, config: uvicorn.Config, limits: Limits, tls: ssl.SSLContext | None) -> None:
        super().__init__(config)
        self._limits, self._tls = limits, tls
        self._gate = Gate(room_for(limits.connections, raise_file_limit()), limits.connections_of_one)
        self._tasks: set[asyncio.Task[None]] = set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections."""
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            raise RuntimeError("the application did not start")
        self.servers = []
        for listener in sockets or []:
            self._keep(asyncio.create_task(self._accept(listener)))
        self.started = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more, and let what is under way end."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await super().shutdown(sockets)

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, address = await loop.sock_accept(listener)
            except OSError as error:
                log.warning("a connection cannot be accepted", extra={"error": str(error)})
                await asyncio.sleep(_BREATH_SECONDS)
                continue
            self._admit(connection, address[0] if isinstance(address, tuple) else "")
            # What was accepted is read before more is accepted, so that nobody has to go who has spoken already.
            await asyncio.sleep(0)

    def _admit(self, connection: socket.socket, address: str) -> None:
        shared = self._limits.proxies.trust(address) or is_loopback(address)  # by many who have no other address
        counted = "" if shared else address
        guest = self._gate.enter(counted, partial(_hang_up, connection))
        if guest is None:
            connection.close()
            return
        make = partial(
            Connection,
            self.config,
            self.server_state,
            self.lifespan.state,
            gate=self._gate,
            guest=guest,
            patience=self._limits.patience,
        )

        async def greet() -> None:
            loop, seconds = asyncio.get_running_loop(), self._limits.patience.head
            try:
                shake = {"ssl_handshake_timeout": seconds} if self._tls else {}
                await loop.connect_accepted_socket(make, connection, ssl=self._tls, **shake)
            except BaseException as error:
                connection.close()
                self._gate.leave(guest)
                if not isinstance(error, OSError):  # a handshake that fails ends here
                    raise

        self._keep(asyncio.create_task(greet()))

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


async def serve(
    app: ASGIApp,
    listener: socket.socket,
    stop: asyncio.Event,
    *,
    limits: Limits | None = None,
    tls: ssl.SSLContext | None = None,
) -> None:
    """Serve on a socket that was bound with `bind` until `stop` is set; then it is free again."""
    limits = limits or Limits.of(WebSettings())
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="on",
        http="h11",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        timeout_keep_alive=max(1, round(limits.idle_seconds)),
        h11_max_incomplete_event_size=_HEAD_BYTES,
        # Only the connection says who the client is: the guard decides which proxies it believes.
        proxy_headers=False,
    )
    server = _Server(config, limits, tls)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait([serving, stopping], return_when=asyncio.FIRST_COMPLETED)
    finally:
        server.should_exit = True
        stopping.cancel()
        try:
            await serving
        finally:
            listener.close()
