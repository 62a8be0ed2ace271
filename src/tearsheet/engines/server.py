"""Where a server is and how long to wait for it: what the adapters of all servers share."""

from __future__ import annotations

import importlib
import ipaddress
import logging
import random
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import TypeVar
from urllib.parse import parse_qsl, unquote, urlsplit

from tearsheet.errors import ConfigError, EngineError

_log = logging.getLogger(__name__)
T = TypeVar("T")
PATIENCE_SECONDS = 60.0
"""The default of the setting `engines.patience_seconds`."""


class LostConnection(EngineError):
    """The connection was lost, and the server may be back already: the whole request can be repeated."""


class BrokenOff(LostConnection):
    """A transaction that had begun was broken off, or its end is unknown. What may be done twice can be repeated at once."""


def repeated(work: Callable[[], T], times: int = 3) -> T:
    """Do what may be done twice again when it is broken off. A server that is away was waited for already."""
    for _ in range(times - 1):
        try:
            return work()
        except BrokenOff as error:
            _log.warning("done again", extra={"error": str(error)})
    return work()


@dataclass(slots=True, frozen=True)
class ServerUrl:
    """The parts of a server's URL, decoded. `setting` is the name of the setting that it came from."""

    setting: str
    scheme: str
    user: str
    password: str = field(repr=False)
    host: str
    port: int
    path: str
    options: dict[str, str] = field(repr=False)

    @property
    def address(self) -> str:
        """Host and port, for messages: without the password."""
        return f"{self.host}:{self.port}"

    @property
    def host_in_url(self) -> str:
        """The host as a URL has it: IPv6 in brackets."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def on_loopback(self) -> bool:
        """Whether it is this machine, where nothing is encrypted."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def parse_server_url(url: str, setting: str, ports: dict[str, int]) -> ServerUrl:
    """Parse a URL; `ports` are the allowed schemes with their usual ports. Raises ConfigError, which names the setting.

    What cannot be read is not shown, since it may be the password.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
        if "@" in parts.path + parts.query + parts.fragment:
            raise ValueError("an @ after the host")
    except ValueError:
        raise ConfigError(
            f"{setting}: the URL cannot be read; in a user or password, write / as %2F, @ as %40, : as %3A, ? as %3F, # as %23"
        ) from None
    if parts.scheme not in ports or not parts.hostname:
        shape = " or ".join(f"{scheme}://[USER:PASSWORD@]HOST[:PORT]/…" for scheme in ports)
        raise ConfigError(f"{setting}: a URL like {shape} is needed (`tearsheet config show` shows its form)")
    return ServerUrl(
        setting, parts.scheme, unquote(parts.username or ""), unquote(parts.password or ""), parts.hostname,
        port or ports[parts.scheme], unquote(parts.path.removeprefix("/")), dict(parse_qsl(parts.query)),
    )  # fmt: skip


def load_client(module: str, extra: str, setting: str) -> ModuleType:
    """Import the client of a server; raises ConfigError that names the extra to install when it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ConfigError(f"{setting}: this needs a client: pip install 'tearsheet[{extra}]'") from error


def pauses(patience: float, first: float = 0.1, longest: float = 5.0) -> Iterator[float]:
    """Growing pauses between tries, slightly random so that many clients do not retry at once.

    They end `patience` seconds from now, spent on pauses or on the tries between them.
    """
    return _pauses(patience, time.monotonic() + patience, first, longest)


def _pauses(left: float, deadline: float, pause: float, longest: float) -> Iterator[float]:
    while (left := min(left, deadline - time.monotonic())) > 0:
        step = min(pause * random.uniform(0.75, 1.25), left)
        yield step
        left -= step
        pause = min(pause * 2, longest)


def cannot_reach(server: ServerUrl, what: str, detail: str = "") -> EngineError:
    """The error for a server that does not answer: says whether its name or its port is the problem."""
    try:
        socket.getaddrinfo(server.host, server.port)
    except OSError:
        return EngineError(
            f"{server.setting}: the name {server.host!r} of the {what} does not resolve; check the host in this setting"
        )
    because = f" ({detail})" if detail else ""
    return LostConnection(
        f"{server.setting}: the {what} at {server.address} does not answer{because}; start it, or check this setting"
    )
