"""The three workers of the ingest: ingest, persist result, persist html text.

Each reads a topic in a consumer group, does its work, and only then commits what it has read: a killed worker repeats the last few
when it restarts, and writes the same again. The first saves its results itself; the other two are for results and
texts that somebody else has published.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any

from tearsheet.engines.blobs import Blobs
from tearsheet.engines.events import Event, Events
from tearsheet.errors import UsageError
from tearsheet.ingest.model import IngestWebResult, read_result
from tearsheet.ingest.names import Names
from tearsheet.ingest.requests import read_request
from tearsheet.ingest.service import IngestService, put_text
from tearsheet.ingest.store import IngestStore

_log = logging.getLogger(__name__)
WORKERS = ("ingest", "persist-result", "persist-html-text")
REQUEST_BATCH = 8
RESULT_BATCH = 100
TEXT_BATCH = 25
_WAIT_SECONDS = 1.0


async def ingest_round(service: IngestService, wait: float = 0.0) -> int:
    """Take some requests from their topic and handle them; returns how many there were."""
    await asyncio.to_thread(service.publish)  # what a killed process left
    names = service.names
    group = names.group("ingest")
    events = await asyncio.to_thread(service.events.poll, names.requests, group, REQUEST_BATCH, wait)
    requests, refused = [], []
    for event in events:
        try:
            requests.append(read_request(dict(event.value)))
        except UsageError as error:
            refused.append(_refusal(event.value, str(error)))
    if requests:
        await service.handle(requests)
    if refused:
        await asyncio.to_thread(service.keep, refused)
    if events:
        await asyncio.to_thread(service.events.commit, group, events)
    return len(events)


def _refusal(value: Any, message: str) -> IngestWebResult:
    return IngestWebResult(status="invalid-url", hit=False, request=dict(value), error_message=message)


def persist_results(events: Events, names: Names, store: IngestStore, wait: float = 0.0) -> int:
    """Write some results into the tables; returns how many there were."""
    group = names.group("persist-result")
    batch = events.poll(names.results, group, RESULT_BATCH, wait)
    results = [result for event in batch if (result := _read(event)) is not None]
    if results:
        store.adopt(results)
    if batch:
        events.commit(group, batch)
    return len(batch)


def _read(event: Event) -> IngestWebResult | None:
    try:
        return read_result(dict(event.value))
    except ValueError as error:
        _log.warning("no result, skipped", extra={"topic": event.topic, "key": event.key[:200], "error": str(error)})
        return None


def persist_texts(events: Events, names: Names, blobs: Blobs, wait: float = 0.0) -> int:
    """Write some texts into the blob store; returns how many there were."""
    group = names.group("persist-html-text")
    batch = events.poll(names.teixml, group, TEXT_BATCH, wait)
    for event in batch:
        tei = event.value.get("tei_xml")
        if event.value.get("status") != "success" or not isinstance(tei, str) or not tei:
            continue
        try:
            put_text(blobs, str(event.value.get("sha1hex", event.key)), tei)
        except UsageError as error:
            _log.warning("no text, skipped", extra={"topic": event.topic, "key": event.key[:200], "error": str(error)})
    if batch:
        events.commit(group, batch)
    return len(batch)


async def work(rounds: Sequence[Callable[[float], Any]], stop: asyncio.Event, *, once: bool = False) -> None:
    """Run rounds until stopped; with `once`, until none of them finds anything to do."""
    while not stop.is_set():
        done = 0
        for run in rounds:
            found = run(0.0 if once else _WAIT_SECONDS)
            done += await found if asyncio.iscoroutine(found) else found
        if once and not done:
            return
