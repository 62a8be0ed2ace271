"""Whether everything that the program needs is in order: the checks of `tearsheet doctor`."""

from __future__ import annotations

import shutil
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tearsheet.app.queues import read_depths
from tearsheet.app.services import Services
from tearsheet.errors import TearsheetError

_LEAST_FREE_BYTES = 1_000_000_000


@dataclass(slots=True, frozen=True)
class Check:
    """One thing that was checked."""

    name: str
    ok: bool
    found: str


def examine(services: Services) -> Iterator[Check]:
    """Every check, in the order in which problems would appear."""
    yield _tried("data folder", lambda: str(services.data))
    yield _tried("disk", lambda: _disk(services))
    yield Check("clock", time.time() > 1_700_000_000, time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()))
    yield _tried("database", lambda: _engine(services.settings.engines.database, lambda: services.database))
    yield _tried("broker", lambda: f"{_depth(services):,} stories queued")
    yield _tried("index", lambda: _engine(services.settings.engines.index, lambda: services.index))
    yield _port(services)


def _tried(name: str, check: Callable[[], str]) -> Check:
    try:
        return Check(name, True, check())
    except TearsheetError as error:
        return Check(name, False, str(error))


def _engine(url: str, open_it: Callable[[], object]) -> str:
    open_it()
    return url.partition("://")[0]


def _disk(services: Services) -> str:
    free = shutil.disk_usage(services.data).free
    if free < _LEAST_FREE_BYTES:
        raise TearsheetError(f"only {free / 1e6:,.0f} MB free: make room before you collect")
    return f"{free / 1e9:,.1f} GB free"


def _depth(services: Services) -> int:
    return sum(depth.total for depth in read_depths(services).values())


def _port(services: Services) -> Check:
    web = services.settings.web
    with socket.socket() as probe:
        probe.settimeout(1)
        taken = probe.connect_ex((web.host, web.port)) == 0
    found = "in use: a server is running there" if taken else "free"
    return Check(f"port {web.port}", True, found)
