"""What no test may do: reach beyond this machine, or write to the disk without asking for a folder."""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_BYTECODE, _OUR_OWN = "__pycache__", (".hypothesis", ".coverage")
_guarded: set[int] = set()
"""The threads that may not write now."""


class NetworkUsed(BaseException):
    """A test tried to reach beyond this machine. Not an Exception, so that no code under test can swallow it."""


class DiskUsed(BaseException):
    """A test that asked for no folder tried to write to the disk. Not an Exception, for the same reason."""


@contextmanager
def no_disk() -> Iterator[None]:
    """In this block, this thread may read files and write none."""
    thread = threading.get_ident()
    _guarded.add(thread)
    try:
        yield
    finally:
        _guarded.discard(thread)


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if not _guarded or event not in ("open", "sqlite3.connect") or threading.get_ident() not in _guarded:
        return
    if event == "sqlite3.connect":
        written = str(arguments[0]) not in (":memory:", "")
    else:
        written = bool(arguments[2] & _WRITES) and not _is_harmless(arguments[0])
    if written:
        raise DiskUsed(f"a test that asks for no folder tried to write {arguments[0]!r}: give it tmp_path, or no file")


def _is_harmless(path: Any) -> bool:
    """An open descriptor, a device, compiled modules, or what the tools of the tests keep for themselves."""
    if isinstance(path, int):
        return True
    parts = Path(os.fsdecode(path)).parts
    return parts[:2] == ("/", "dev") or _BYTECODE in parts or any(part.startswith(_OUR_OWN) for part in parts)


sys.addaudithook(_watch)  # for good, as hooks are; it looks at nothing outside the blocks above


@contextmanager
def no_network_beyond_loopback() -> Iterator[None]:
    """In this block, Python's own sockets connect to this machine alone, and resolve no names."""
    connect, resolve = socket.socket.connect, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_local(str(address[0])):
            raise NetworkUsed(f"a test tried to connect to {address}")
        connect(self, address)

    def guarded_resolve(host: Any, *args: Any, **kwargs: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name and not _is_local(name) and not _is_address(name):
            raise socket.gaierror(socket.EAI_NONAME, "names are not resolved in tests")
        return resolve(host, *args, **kwargs)

    socket.socket.connect = guarded_connect  # type: ignore[method-assign, assignment]  # that is the guard
    socket.getaddrinfo = guarded_resolve
    try:
        yield
    finally:
        socket.socket.connect = connect  # type: ignore[method-assign]  # and its end
        socket.getaddrinfo = resolve


def _is_local(host: str) -> bool:
    return host in ("localhost", "") or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
