"""Style sheets made to keep their reader busy: none holds up the event loop, nor the rest of its document."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest

from tearsheet.fetch import PoliteClient
from tearsheet.ingest import resource_fetching
from tearsheet.ingest.fetching import Visitor
from tearsheet.ingest.model import WebResource
from tearsheet.ingest.resource_fetching import ResourceLimits, ResourceRound
from tearsheet.ingest.resources import Reference
from tearsheet.work import Reader, ReadingJob, ReadingPool, ThreadReader
from tests.support.ingest_site import Site

PAGE = "http://a.example/x"
LIMITS = ResourceLimits(count=20, max_bytes=10_000_000, seconds=30.0)


def sheets(count: int) -> list[Reference]:
    return [Reference(f"http://a.example/{number}.css", "stylesheet") for number in range(count)]


async def fetched(site: Site, reader: Reader, references: list[Reference]) -> dict[str, str]:
    async with site.serving(), PoliteClient(site.settings(obey_robots=False)) as client:
        round = ResourceRound(Visitor(client), reader, PAGE, "utf-8", LIMITS, lambda fetched: None)
        found: list[WebResource] = await round.run(references, 120.0)
    return {resource.url.rpartition("/")[2]: resource.status for resource in found}


class Hurried:
    """Gives each style sheet a fraction of a second; remembers which were read."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.read_urls: list[str] = []

    async def read(self, job: ReadingJob[Any, Any], question: Any) -> Any:
        self.read_urls.append(question.url.rpartition("/")[2])
        return await self._reader.read(replace(job, seconds=0.2 if "slow" in question.url else 60.0), question)


@pytest.mark.parametrize("part", ["url(", "url(\\", "@import '", "\\"])
def test_a_hostile_sheet_costs_the_event_loop_nothing(part: str) -> None:
    site = Site()
    body = (part * (1_000_000 // len(part))).encode()
    site.file("/slow.css", body, "text/css")
    site.file("/fine.css", b"p { background: url(picture.png) }", "text/css")
    site.file("/picture.png", b"\x89PNG", "image/png")
    references = [Reference(f"http://a.example/{name}.css", "stylesheet") for name in ("slow", "fine")]

    async def run() -> tuple[dict[str, str], float]:
        pool = ReadingPool(1, 60.0)
        try:
            await fetched(site, Hurried(pool), references[1:])
            before = time.thread_time()
            return await fetched(site, Hurried(pool), references), time.thread_time() - before
        finally:
            await pool.close()

    statuses, seconds = asyncio.run(run())
    # What the hostile sheet itself names is found or not, depending on how far it was read in its time.
    assert statuses.items() >= dict.fromkeys(["slow.css", "fine.css", "picture.png"], "success").items()
    assert seconds < 0.5, "of the event loop, for fetching all of them"


def test_all_sheets_of_a_document_share_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource_fetching, "SHEETS_SECONDS", 0.0)
    site = Site(otherwise=lambda path: None)
    for reference in sheets(3):
        site.file(reference.url.removeprefix("http://a.example"), b"p { background: url(p.png) }", "text/css")
    reader = Hurried(ThreadReader())
    found = asyncio.run(fetched(site, reader, sheets(3)))
    assert found == dict.fromkeys(["0.css", "1.css", "2.css"], "success") and reader.read_urls == []
