"""Ingested documents are erased: what the tables, the texts and the event log say of them, and the captures only they need."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import Connection, select

from tearsheet.archive import index_id_of
from tearsheet.engines.blobs import Blobs
from tearsheet.engines.database import Database
from tearsheet.engines.events import Event
from tearsheet.ingest.names import tei_key
from tearsheet.ingest.replay import part_ids
from tearsheet.ingest.store import cdx, file_meta, html_meta, ingest_file_result, ingest_outbox

_ROWS = 1_000


@dataclass(slots=True)
class Documents:
    """The documents at some addresses."""

    keys: frozenset[str]
    sha1s: set[str] = field(default_factory=set)
    """Those that are at no other address: their texts go, too."""
    parts: set[str] = field(default_factory=set)
    """The captures of their sub-resources that no other document has."""
    requests: list[tuple[str, str]] = field(default_factory=list)
    """Type and address of the requests that led to them."""
    captures: list[tuple[str, str]] = field(default_factory=list)
    """Address and time of each capture."""

    def concerns(self, event: Event) -> bool:
        """Whether an event is about one of them."""
        return self.is_about(event.key, event.value)

    def is_about(self, key: str, value: Mapping[str, Any]) -> bool:
        """Whether a message is about one of them: a request, a result, or a text."""
        request, terminal = value.get("request"), value.get("terminal")
        urls = [value.get("base_url"), *(value.get("hops") or [])]
        urls += [
            part.get(name)
            for part, name in ((request, "base_url"), (terminal, "terminal_url"))
            if isinstance(part, dict)
        ]
        return key in self.sha1s or any(isinstance(url, str) and index_id_of(url) in self.keys for url in urls)


def addresses_of_documents(database: Database, keys: Collection[str]) -> list[str]:
    """The addresses that were asked for, and those that this led to, where one of the two is among these."""
    rows = ingest_file_result.c
    found: list[str] = []
    with database.read() as connection:
        for base, terminal in connection.execute(
            select(rows.base_url, rows.terminal_url), execution_options={"yield_per": _ROWS}
        ):
            urls = [url for url in (base, terminal) if url]
            if any(index_id_of(url) in keys for url in urls):
                found += urls
    return found


def find_documents(database: Database, keys: Collection[str]) -> Documents:
    """The documents at these addresses, with the captures that only they need."""
    found = Documents(frozenset(keys))
    everywhere: dict[str, int] = {}
    with database.read() as connection:
        streamed = {"yield_per": _ROWS}
        for url, time14, sha1 in connection.execute(
            select(cdx.c.url, cdx.c.datetime, cdx.c.sha1hex), execution_options=streamed
        ):
            if index_id_of(url) in keys:
                found.captures.append((url, time14))
                found.sha1s.add(sha1)
            else:
                everywhere[sha1] = everywhere.get(sha1, 0) + 1
        found.sha1s -= everywhere.keys()
        results = ingest_file_result.c
        for kind, base, terminal in connection.execute(
            select(results.ingest_type, results.base_url, results.terminal_url), execution_options=streamed
        ):
            if index_id_of(base) in keys or (terminal and index_id_of(terminal) in keys):
                found.requests.append((kind, base))
        found.parts = _parts(connection, found.sha1s)
    return found


def _parts(connection: Connection, sha1s: Collection[str]) -> set[str]:
    """The captures of sub-resources that these documents have, and no other has."""
    if not sha1s:
        return set()
    own: set[str] = set()
    others: set[str] = set()
    rows = select(html_meta.c.sha1hex, html_meta.c.resources)
    for sha1, resources in connection.execute(rows, execution_options={"yield_per": _ROWS}):
        (own if sha1 in sha1s else others).update(part_ids(resources or []).values())
    return own - others


def erase_documents(database: Database, found: Documents, texts: Blobs) -> None:
    """Delete the texts of documents, and then all rows about them."""
    for sha1 in sorted(found.sha1s):
        texts.delete(tei_key(sha1))
    with database.begin() as connection:
        for row in connection.execute(select(ingest_outbox)).all():
            if found.is_about(row.key, msgspec.json.decode(row.value)):
                connection.execute(sa.delete(ingest_outbox).where(ingest_outbox.c.id == row.id))
        for url, time14 in found.captures:
            connection.execute(sa.delete(cdx).where(cdx.c.url == url, cdx.c.datetime == time14))
        for sha1 in found.sha1s:
            connection.execute(sa.delete(html_meta).where(html_meta.c.sha1hex == sha1))
            connection.execute(sa.delete(file_meta).where(file_meta.c.sha1hex == sha1))
        results = ingest_file_result.c
        for kind, base in found.requests:
            connection.execute(
                sa.delete(ingest_file_result).where(results.ingest_type == kind, results.base_url == base)
            )
