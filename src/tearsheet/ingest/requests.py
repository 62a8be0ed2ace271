"""Ingest requests, and how they are read."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tearsheet.errors import UsageError

MAX_BASE_URL = 1500
_ALIASES = {"file": "pdf"}
KINDS = ("html", "pdf", "xml", "src", "component", "dataset")
"""Known types of requests; only `html` is served."""


@dataclass(slots=True, frozen=True)
class IngestRequest:
    """One document to ingest. `raw` is the request as received; it goes verbatim into the result."""

    base_url: str
    ingest_type: str = "html"
    force_recrawl: bool = False
    raw: dict[str, Any] = field(default_factory=dict)


def request_for(url: str, *, force_recrawl: bool = False) -> IngestRequest:
    """A request for an address."""
    raw: dict[str, Any] = {"ingest_type": "html", "base_url": url}
    if force_recrawl:
        raw["force_recrawl"] = True
    return read_request(raw)


def read_request(value: object) -> IngestRequest:
    """A request from its JSON form; the type may be left out. Raises UsageError."""
    if not isinstance(value, dict):
        raise UsageError('an ingest request is a JSON object, as {"ingest_type": "html", "base_url": "https://…"}')
    try:  # it goes verbatim into the result
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, TypeError) as error:
        raise UsageError(f"an ingest request has to be plain JSON: {error}") from error
    url = value.get("base_url")
    if not isinstance(url, str) or not url.strip():
        raise UsageError("an ingest request needs a base_url")
    if len(url) > MAX_BASE_URL:
        raise UsageError(f"the base_url of an ingest request may have {MAX_BASE_URL} characters, not {len(url)}")
    kind = value.get("ingest_type", "html")
    if not isinstance(kind, str) or _ALIASES.get(kind, kind) not in KINDS:
        raise UsageError(f"ingest_type {str(kind)[:40]!r} is none of {', '.join(KINDS)}")
    return IngestRequest(url, _ALIASES.get(kind, kind), value.get("force_recrawl") is True, dict(value))
