"""Which broker the setting `engines.broker` names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tearsheet.engines.broker.port import Broker
from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.engines.location import engine_of, local_path
from tearsheet.engines.server import PATIENCE_SECONDS

_SETTING, _ENGINES = "engines.broker", "sqlite:///FILE amqp://USER:PASSWORD@HOST/VHOST amqps://…"


def open_broker(url: str, data: Path, *, partitioned: Sequence[str] = (), patience: float = PATIENCE_SECONDS) -> Broker:
    """Open the broker. Waits up to `patience` seconds for a server that is down.

    `partitioned` queues are divided by their messages' keys where consumers may be on several machines.
    """
    if engine_of(url, _SETTING, _ENGINES) == "sqlite":
        return SqliteBroker(local_path(url, data, _SETTING))
    from tearsheet.engines.broker.rabbitmq import open_rabbitmq_broker

    return open_rabbitmq_broker(url, partitioned=partitioned, patience=patience)
