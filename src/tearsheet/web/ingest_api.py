"""`POST /ingest`: capture one web document whole; and what was captured before, by address and time or by SHA-1."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query
from fastapi import Path as PathParameter
from fastapi.responses import Response

from tearsheet.app import Services
from tearsheet.archive import whole_page
from tearsheet.errors import NotFoundError
from tearsheet.ingest import (
    IngestRequest,
    IngestService,
    IngestWebResult,
    read_request,
    result_json,
)
from tearsheet.urls import BadURL, surt

AT_ONCE = 4
"""Documents that are ingested for visitors of the API at the same time; others wait."""
Sha1 = Annotated[str, PathParameter(pattern="^[0-9a-f]{40}$", description="SHA-1 of the document, in hexadecimal.")]
Request = Annotated[
    dict[str, Any],
    Body(
        description="An ingest request.", examples=[{"ingest_type": "html", "base_url": "https://example.org/article"}]
    ),
]


class IngestDesk:
    """Ingests for all who ask by HTTP, with one visitor: however many they are, a host sees the manners of one.

    Belongs to the event loop of the server.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._places = asyncio.Semaphore(AT_ONCE)
        self._opening = asyncio.Lock()
        self._open = AsyncExitStack()
        self._service: IngestService | None = None

    async def ingest(self, request: IngestRequest) -> IngestWebResult:
        """Ingest one document, and keep all of it."""
        async with self._opening:
            if self._service is None:
                self._service = await self._open.enter_async_context(self._services.ingest.open_service())
        async with self._places:
            [result] = await self._service.handle([request])
        return result

    async def close(self) -> None:
        """Let go of the visitor, and of the processes that look at pages."""
        await self._open.aclose()


def router(services: Services, desk: IngestDesk) -> APIRouter:
    """The routes."""
    api = APIRouter(tags=["ingest"])

    @api.post("/ingest")
    async def ingest(request: Request) -> dict[str, Any]:
        """Ingest one document now. The answer is its `IngestWebResult`, whose `status` says what became of it."""
        return result_json(await desk.ingest(read_request(request)))

    @api.get("/ingest/document/{sha1hex}")
    def document(sha1hex: Sha1) -> dict[str, Any]:
        """What a document says, its file and its captures, by its SHA-1."""
        found = services.ingest.store.document(sha1hex)
        if found is None:
            raise NotFoundError(f"no document with SHA-1 {sha1hex} was ingested")
        return found | {"cdx": [asdict(line) for line in found["cdx"]]}

    @api.get("/ingest/document/{sha1hex}/replay", response_class=Response)
    def replay(sha1hex: Sha1) -> Response:
        """The document as it looked, with its pictures and styles from the archive; it can do nothing and asks for nothing."""
        page = whole_page(services.ingest.replay.newest(sha1hex))
        return Response(page.body, headers=page.headers)

    @api.get("/ingest/cdx")
    def captures(
        url: Annotated[str, Query(description="An address, or its SURT.", max_length=2048)],
        closest: Annotated[
            str, Query(description="YYYYMMDDhhmmss: only the capture nearest to it.", pattern="^[0-9]{0,14}$")
        ] = "",
    ) -> list[dict[str, Any]]:
        """The captures of an address, the oldest first, without hidden ones."""
        key = _surt(url)
        if closest:
            line = services.ingest.store.closest(key, closest)
            return [asdict(line)] if line is not None else []
        return [asdict(line) for line in services.ingest.store.captures_of_surt(key)]

    return api


def _surt(url: str) -> str:
    try:
        return surt(url)
    except BadURL:
        return url
