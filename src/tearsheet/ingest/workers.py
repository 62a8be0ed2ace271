"""The three workers of the ingest: ingest, persist result, persist html text.

Each reads a topic in a group, does its work, and only then moves the group's place: a worker that is killed does the last few
again when it starts, and what it writes is the same.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tearsheet.engines.blobs import Blobs
from tearsheet.engines.events import Event, Events
from tearsheet.errors import UsageError
from tearsheet.ingest.capture import CaptureFile
from tearsheet.ingest.ingester import Ingester
from tearsheet.ingest.model import IngestWebResult, read_result, result_json
from tearsheet.ingest.names import Names, tei_key
from tearsheet.ingest.requests import IngestRequest, read_request
from tearsheet.ingest.store import IngestStore
from tearsheet.ingest.tei import tei_message

_log = logging.getLogger(__name__)
WORKERS = ("ingest", "persist-result", "persist-html-text")
REQUEST_BATCH = 8
RESULT_BATCH = 100
TEXT_BATCH = 25
_WAIT_SECONDS = 1.0


@dataclass(slots=True)
class IngestService:
    """Ingests requests, archives what was received, and tells the topics. The same for commands, workers and the web."""

    ingester: Ingester
    new_file: Callable[[], CaptureFile]
    events: Events
    names: Names

    async def handle(self, requests: Sequence[IngestRequest]) -> list[IngestWebResult]:
        """Work on requests at the same time. When this returns, everything is safe: captures, texts and results."""
        file = self.new_file()
        try:
            results = await asyncio.gather(*(self.ingester.ingest(request, file.keep) for request in requests))
            await asyncio.to_thread(file.close)
        except BaseException:
            file.abort()
            raise
        for result in results:
            if result.cdx is not None and not result.unchanged:
                file.locate(result.cdx)
        await asyncio.to_thread(self._publish, results)
        return results

    def _publish(self, results: Sequence[IngestWebResult]) -> None:
        texts = [
            (result.file_meta.sha1hex, tei_message(result.file_meta.sha1hex, result.html_body))
            for result in results
            # Only texts of documents that were taken: a wall or a landing page has none that anybody wants.
            if result.html_resources is not None and result.file_meta and result.html_body and result.html_body.tei_xml
        ]
        self.events.publish(self.names.teixml, texts)
        self.events.publish(self.names.results, [(result_key(result), result_json(result)) for result in results])


def result_key(result: IngestWebResult) -> str:
    """The key of a result in its topic: the type and the address of its request."""
    request = result.request or {}
    return f"{request.get('ingest_type', 'html')} {request.get('base_url', '')}"


async def ingest_round(service: IngestService, wait: float = 0.0) -> int:
    """Take some requests from their topic and handle them; returns how many there were."""
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
        entries = [(result_key(result), result_json(result)) for result in refused]
        await asyncio.to_thread(service.events.publish, names.results, entries)
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
        store.save(results)
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
            key = tei_key(str(event.value.get("sha1hex", event.key)))
        except UsageError as error:
            _log.warning("no text, skipped", extra={"topic": event.topic, "key": event.key[:200], "error": str(error)})
            continue
        blobs.put(key, tei.encode("utf-8", "replace"), content_type="application/xml")
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
