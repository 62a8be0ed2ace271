"""From requests to results that are archived, saved, and published to the event log, in this order.

The tables and the blob store are authoritative. Messages are saved with the result in one transaction, and removed once the event
log has them; if a process is killed in between, the next one publishes them. So each is published at least once.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from tearsheet.engines.blobs import Blobs
from tearsheet.engines.events import Events
from tearsheet.ingest.capture import CaptureFile
from tearsheet.ingest.ingester import Ingester
from tearsheet.ingest.model import HtmlBody, IngestWebResult, result_json
from tearsheet.ingest.names import Names, tei_key
from tearsheet.ingest.requests import IngestRequest
from tearsheet.ingest.store import IngestStore, Outgoing
from tearsheet.ingest.tei import tei_message

_PUBLISH_BATCH = 25


@dataclass(slots=True)
class IngestService:
    """Ingests requests and stores everything that results. Shared by commands, workers and the web server."""

    ingester: Ingester
    new_file: Callable[[], CaptureFile]
    store: IngestStore
    texts: Blobs
    events: Events
    names: Names
    _publishing: threading.Lock = field(default_factory=threading.Lock)

    async def handle(self, requests: Sequence[IngestRequest]) -> list[IngestWebResult]:
        """Work on requests concurrently. When this returns, captures, texts and results are stored and published."""
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
        await asyncio.to_thread(self.keep, results)
        return results

    def keep(self, results: Sequence[IngestWebResult]) -> None:
        """Save results with their texts, then publish them."""
        texts = list(_texts(results))
        for sha1hex, body in texts:
            put_text(self.texts, sha1hex, body.tei_xml or "")
        messages = [Outgoing(self.names.teixml, sha1hex, dict(tei_message(sha1hex, body))) for sha1hex, body in texts]
        messages += [Outgoing(self.names.results, result_key(result), result_json(result)) for result in results]
        self.store.save(results, messages)
        self.publish()

    def publish(self) -> None:
        """Publish everything saved but not yet published, by us or by a process that was killed before it could.

        Two processes may publish the same message. If two ingest one address at the same moment, either result may come last
        in the event log; the table says which one stands.
        """
        with self._publishing:
            while waiting := self.store.unpublished(_PUBLISH_BATCH):
                for topic in dict.fromkeys(message.topic for message in waiting):
                    self.events.publish(
                        topic, [(message.key, message.value) for message in waiting if message.topic == topic]
                    )
                self.store.published(waiting)


def _texts(results: Sequence[IngestWebResult]) -> Iterator[tuple[str, HtmlBody]]:
    """The texts of documents that were captured whole, by SHA-1. Nobody wants the text of a wall or a landing page."""
    for result in results:
        if result.html_resources is not None and result.file_meta and result.html_body and result.html_body.tei_xml:
            yield result.file_meta.sha1hex, result.html_body


def put_text(blobs: Blobs, sha1hex: str, tei_xml: str) -> None:
    """Store the text of a document. Raises UsageError if it is not a SHA-1."""
    blobs.put(tei_key(sha1hex), tei_xml.encode("utf-8", "replace"), content_type="application/xml")


def result_key(result: IngestWebResult) -> str:
    """The key of a result in its topic: the type and the address of its request."""
    request = result.request or {}
    return f"{request.get('ingest_type', 'html')} {request.get('base_url', '')}"
