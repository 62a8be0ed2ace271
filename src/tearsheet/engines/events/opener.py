"""Which event log the setting `engines.events` names."""

from __future__ import annotations

from pathlib import Path

from tearsheet.engines.events.port import Events
from tearsheet.engines.location import scheme_of
from tearsheet.engines.server import PATIENCE_SECONDS
from tearsheet.errors import ConfigError


def open_events(url: str, data: Path, *, patience: float = PATIENCE_SECONDS) -> Events:
    """Open the event log of `jsonl:///FOLDER` or `kafka://HOST:PORT`."""
    scheme = scheme_of(url)
    if scheme == "jsonl":
        from tearsheet.engines.events.jsonl import open_jsonl_events

        return open_jsonl_events(url, data)
    if scheme == "kafka":
        from tearsheet.engines.events.kafka import open_kafka_events

        return open_kafka_events(url, patience=patience)
    raise ConfigError(f"engines.events: unknown engine {scheme!r}; use jsonl:///FOLDER or kafka://HOST:PORT")
