"""`POST /ingest`: capture one web document whole; and look up earlier captures by address and time or by SHA-1."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query
from fastapi import Path as PathParameter
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel, ConfigDict

from tearsheet.app import IngestForVisitors, Services
from tearsheet.errors import NotFoundError
from tearsheet.ingest import read_request, result_json, surt_or_url

Sha1 = Annotated[str, PathParameter(pattern="^[0-9a-f]{40}$", description="SHA-1 of the document, in hexadecimal.")]
Request = Annotated[
    dict[str, Any],
    Body(
        description="An ingest request.", examples=[{"ingest_type": "html", "base_url": "https://example.org/article"}]
    ),
]


class CaptureLine(BaseModel):
    """A capture of a document: when, of which address, and where it is archived."""

    model_config = ConfigDict(extra="forbid")

    surt: str
    datetime: str
    url: str
    sha1hex: str
    mimetype: str
    status_code: int
    warc_path: str | None
    warc_csize: int | None
    warc_offset: int | None
    hide: bool


class FileFacts(BaseModel):
    """A document as a file."""

    model_config = ConfigDict(extra="forbid")

    sha1hex: str
    sha256hex: str
    md5hex: str
    size_bytes: int
    mimetype: str


class IngestedDocument(BaseModel):
    """What an ingested document says, its file and its captures."""

    model_config = ConfigDict(extra="forbid")

    sha1hex: str
    updated: datetime
    status: str
    scope: str | None
    has_teixml: bool
    has_thumbnail: bool
    word_count: int | None
    biblio: dict[str, Any] | None
    resources: list[dict[str, Any]] | None
    file_meta: FileFacts | None
    cdx: list[CaptureLine]


def router(services: Services, visitors: IngestForVisitors) -> APIRouter:
    """The routes."""
    api = APIRouter(tags=["ingest"])

    @api.post("/ingest")
    async def ingest(request: Request) -> dict[str, Any]:
        """Ingest one document now. The answer is its `IngestWebResult`, whose `status` says what became of it."""
        return result_json(await visitors.ingest(read_request(request)))

    @api.get("/ingest/document/{sha1hex}", response_model=IngestedDocument)
    def document(sha1hex: Sha1) -> dict[str, Any]:
        """What a document says, its file and its captures, by its SHA-1."""
        found = services.ingest.store.document(sha1hex)
        if found is None:
            raise NotFoundError(f"no document with SHA-1 {sha1hex} was ingested")
        return found | {"cdx": [asdict(line) for line in found["cdx"]]}

    @api.get("/ingest/document/{sha1hex}/replay", response_class=HTMLResponse)
    def replay(sha1hex: Sha1) -> Response:
        """The document as it looked, with its pictures and styles from the archive. It can run no scripts and make no requests."""
        page = services.shown.document(services.ingest.replay.newest(sha1hex))
        return Response(page.body, headers=page.headers)

    @api.get("/ingest/cdx", response_model=list[CaptureLine])
    def captures(
        url: Annotated[str, Query(description="An address, or its SURT.", max_length=2048)],
        closest: Annotated[
            str, Query(description="YYYYMMDDhhmmss: only the capture nearest to it.", pattern="^[0-9]{0,14}$")
        ] = "",
    ) -> list[dict[str, Any]]:
        """The captures of an address, the oldest first, without hidden ones."""
        key = surt_or_url(url)
        if closest:
            line = services.ingest.store.closest(key, closest)
            return [asdict(line)] if line is not None else []
        return [asdict(line) for line in services.ingest.store.captures_of_surt(key)]

    return api
