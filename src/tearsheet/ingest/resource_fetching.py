"""Fetches what belongs to a document: each resource when its host's turn comes, and style sheets with what they import.

A resource that fails does not fail the document.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tearsheet.fetch import wire_url
from tearsheet.ingest.fetching import Fetched, Refused, Visitor
from tearsheet.ingest.file_facts import file_meta, sniff_type, surt_or_url
from tearsheet.ingest.model import WebResource
from tearsheet.ingest.reading import READ_SHEET, ReceivedSheet
from tearsheet.ingest.resources import Reference
from tearsheet.ingest.statuses import status_of_code
from tearsheet.urls import BadURL
from tearsheet.work import Quarantine, Reader

_log = logging.getLogger(__name__)
ACCEPT_ANYTHING = "*/*"
SHEETS_SECONDS = 30.0
"""How long the style sheets of one document may be read, all together."""
Keep = Callable[[Fetched], None]


@dataclass(slots=True, frozen=True)
class ResourceLimits:
    """How much may be spent on the sub-resources of one document."""

    count: int
    max_bytes: int
    seconds: float
    """For each of them."""


@dataclass(slots=True)
class ResourceRound:
    """The sub-resources of one document while they are fetched."""

    visitor: Visitor
    reader: Reader
    page_url: str
    page_encoding: str
    limits: ResourceLimits
    keep: Keep
    """Called with each resource that was received."""
    _found: dict[str, WebResource] = field(default_factory=dict)
    _running: dict[asyncio.Task[list[Reference]], str] = field(default_factory=dict)
    _one_sheet: asyncio.Lock = field(default_factory=asyncio.Lock)
    """So that the style sheets of one document never keep more than one process busy."""
    _sheets_seconds: float = field(default_factory=lambda: SHEETS_SECONDS)

    async def run(self, references: list[Reference], seconds: float) -> list[WebResource]:
        """Fetch all of them, in page order; those that have not arrived after `seconds` get the status `timeout`."""
        deadline = asyncio.get_running_loop().time() + seconds
        self._start(references, deadline)
        try:
            while self._running:
                left = deadline - asyncio.get_running_loop().time()
                done, _ = await asyncio.wait(self._running, timeout=max(0, left), return_when=asyncio.FIRST_COMPLETED)
                if not done:
                    break
                for task in done:
                    del self._running[task]
                    self._start(task.result(), deadline)
        finally:
            await self._stop()
        return list(self._found.values())

    def _start(self, references: list[Reference], deadline: float) -> None:
        for reference in references:
            if reference.url in self._found:
                continue
            if len(self._found) >= self.limits.count:
                return
            self._found[reference.url] = WebResource(reference.url, "timeout", reference.type)
            self._running[asyncio.create_task(self._one(reference, deadline))] = reference.url

    async def _stop(self) -> None:
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    async def _one(self, reference: Reference, deadline: float) -> list[Reference]:
        """Fetch one resource; returns the references in it."""
        resource = self._found[reference.url]
        try:
            fetched = await self.visitor.get(
                wire_url(reference.url),
                max_bytes=self.limits.max_bytes,
                seconds=self.limits.seconds,
                accept=ACCEPT_ANYTHING,
                patience=deadline - asyncio.get_running_loop().time(),
            )
        except Refused as refused:
            resource.status = refused.status
            return []
        except BadURL:
            resource.status = "invalid-url"
            return []
        except Exception:
            # A defect in the handling of one picture must not cost the document.
            _log.exception("a sub-resource could not be handled", extra={"url": reference.url[:500]})
            resource.status = "internal-error"
            return []
        self.keep(fetched)
        await asyncio.to_thread(describe, resource, fetched)
        return await self._loaded_by(fetched) if (resource.status, reference.type) == ("success", "stylesheet") else []

    async def _loaded_by(self, sheet: Fetched) -> list[Reference]:
        """What a style sheet loads; nothing if it cannot be read in time."""
        wanted = 2 * self.limits.count  # half of them may be known already
        question = ReceivedSheet(sheet.body, sheet.url, sheet.charset, self.page_url, self.page_encoding, wanted)
        async with self._one_sheet:
            if self._sheets_seconds <= 0:
                return []
            started = asyncio.get_running_loop().time()
            try:
                return await self.reader.read(READ_SHEET, question)
            except Quarantine as error:
                _log.info("a style sheet is not read", extra={"url": sheet.url[:500], "error": str(error)})
                return []
            finally:
                self._sheets_seconds -= asyncio.get_running_loop().time() - started


def describe(resource: WebResource, fetched: Fetched) -> None:
    """Record what was received for a resource."""
    meta = file_meta(fetched.body, sniff_type(fetched.body, fetched.stated_type))
    resource.status = status_of_code(fetched.code) or "success"
    resource.terminal_url = fetched.url
    resource.surt = surt_or_url(fetched.url)
    resource.timestamp = datetime.fromtimestamp(fetched.timestamp, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    resource.status_code = fetched.code
    resource.mimetype = meta.mimetype
    resource.size = meta.size_bytes
    resource.sha1hex = meta.sha1hex
    resource.sha256hex = meta.sha256hex
