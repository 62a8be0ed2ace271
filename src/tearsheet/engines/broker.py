"""Which broker the setting `engines.broker` names."""

from __future__ import annotations

from pathlib import Path

from tearsheet.engines.broker_sqlite import SqliteBroker
from tearsheet.engines.location import local_path, scheme_of
from tearsheet.engines.ports import Broker
from tearsheet.errors import ConfigError


def open_broker(url: str, data: Path) -> Broker:
    """Open the broker."""
    scheme = scheme_of(url)
    if scheme == "sqlite":
        return SqliteBroker(local_path(url, data))
    raise ConfigError(f"engines.broker: unknown engine {scheme!r}; use sqlite:///FILE or amqp://…")
