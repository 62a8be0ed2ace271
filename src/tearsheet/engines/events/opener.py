"""Which event log the setting `engines.events` names."""

from __future__ import annotations

from pathlib import Path

from tearsheet.engines.events.port import Events
from tearsheet.engines.location import engine_of, local_path
from tearsheet.engines.server import PATIENCE_SECONDS

_SETTING, _ENGINES = "engines.events", "jsonl:///FOLDER kafka://HOST:PORT"


def open_events(url: str, data: Path, *, patience: float = PATIENCE_SECONDS) -> Events:
    """Open the event log: topics in a folder, or `kafka://HOST:PORT`."""
    if engine_of(url, _SETTING, _ENGINES) == "jsonl":
        from tearsheet.engines.events.jsonl import JsonlEvents

        return JsonlEvents(local_path(url, data, _SETTING))
    from tearsheet.engines.events.kafka import open_kafka_events

    return open_kafka_events(url, patience=patience)
