"""What every test shares: no network beyond loopback, and no deadlines that a busy machine would miss."""

from __future__ import annotations

import ipaddress
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("tests")

SHARED_DATA = Path(os.environ.get("TEARSHEET_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))


class NetworkUsed(BaseException):
    """A test tried to reach beyond this machine. Not an Exception, so that no code under test can swallow it."""


def _is_local(host: str) -> bool:
    if host in ("localhost", ""):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True, scope="session")
def no_network_beyond_loopback():
    """Refuse every connection of Python's own sockets that is not to this machine."""
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

    socket.socket.connect = guarded_connect  # type: ignore[method-assign]
    socket.getaddrinfo = guarded_resolve
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]
    socket.getaddrinfo = resolve


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@pytest.fixture
def shared_data() -> Path:
    """The evaluation pages and feeds, where they are at hand."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the evaluation data is not at {SHARED_DATA}")
    return SHARED_DATA
