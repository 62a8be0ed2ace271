"""HTML ingest: one web document, captured whole, as JSON that a catalogue can import."""

from __future__ import annotations

from tearsheet.ingest.ingester import Ingester, IngestLimits, ingest_html
from tearsheet.ingest.model import IngestWebResult, result_json, result_schema
from tearsheet.ingest.requests import IngestRequest, read_request, request_for

__all__ = [
    "IngestLimits",
    "IngestRequest",
    "IngestWebResult",
    "Ingester",
    "ingest_html",
    "read_request",
    "request_for",
    "result_json",
    "result_schema",
]
