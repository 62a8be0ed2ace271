"""Listens and serves, inside the caller's event loop."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address

import uvicorn
from fastapi import FastAPI

from tearsheet.errors import BusyError, ConfigError

_BACKLOG = 128
_LAST_PORT = 65_535
_GRACE_SECONDS = 3
"""How long a request may still take after the server was told to stop."""


def bind(host: str, port: int) -> socket.socket:
    """Bind the port before anything else is started. Raises BusyError if it is in use, and ConfigError."""
    if not 0 <= port <= _LAST_PORT:
        raise ConfigError(f"web.port: {port} is no port; choose one from 1 to {_LAST_PORT} with --port")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"web.host: {host!r} is not an address of this machine; try --host 127.0.0.1") from error
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise _explained(error, host, port) from error
    listener.setblocking(False)
    return listener


def _explained(error: OSError, host: str, port: int) -> BusyError | ConfigError:
    if error.errno == errno.EADDRINUSE:
        return BusyError(f"port {port} is in use on {host}: stop what listens there, or choose another with --port")
    if error.errno == errno.EACCES:
        return ConfigError(f"web.port: port {port} needs more rights than this user has; choose another with --port")
    return ConfigError(f"web.host: cannot listen on {host}: {error.strerror}; try --host 127.0.0.1")


def address_of(listener: socket.socket) -> str:
    """Where a browser finds us, as `http://127.0.0.1:8700/`."""
    host, port = listener.getsockname()[:2]
    if ip_address(host).is_unspecified:
        host = "127.0.0.1" if listener.family == socket.AF_INET else "::1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: the owner of the event loop decides when to stop."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield


async def serve(app: FastAPI, listener: socket.socket, stop: asyncio.Event) -> None:
    """Serve on a port that was bound with `bind` until `stop` is set; then the port is free again."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="on",
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        # Only the connection says who the client is: proxy headers could be forged.
        proxy_headers=False,
    )
    server = _Server(config)
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
