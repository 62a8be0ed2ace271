"""What every test shares: no network beyond loopback, and no deadlines that a busy machine would miss."""

from __future__ import annotations

import ipaddress
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.support.paths import SHARED_DATA
from tests.support.servers import left_out, require_server

# The same tree always gets the same verdict; `make fuzz` draws other examples each time.
settings.register_profile("fuzz", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.register_profile("tests", settings.get_profile("fuzz"), derandomize=True)
settings.load_profile(os.environ.get("TEARSHEET_TEST_PROFILE", "tests"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test of a real server is left out by name when the server is not up."""
    for marker in item.iter_markers("engine"):
        require_server(marker.args[0])


def pytest_terminal_summary(terminalreporter) -> None:
    """Say which servers were left out."""
    line = left_out([str(report.longrepr) for report in terminalreporter.stats.get("skipped", [])])
    if line:
        terminalreporter.write_line(line, yellow=True)


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

    socket.socket.connect = guarded_connect  # type: ignore[method-assign, assignment]  # that is the guard
    socket.getaddrinfo = guarded_resolve
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]  # and its end
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
