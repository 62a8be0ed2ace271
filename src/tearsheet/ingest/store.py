"""The tables of the ingest, and the queries that a catalogue needs."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import Boolean, Column, Integer, String, Table, Text, select

from tearsheet.clock import Clock, utc_now, wall_clock
from tearsheet.engines.database import Database, UtcDateTime, metadata
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.foreign_text import storable
from tearsheet.ingest.file_facts import is_sha1, sha1_base32, surt_or_url
from tearsheet.ingest.ingester import KnownDocument
from tearsheet.ingest.model import CdxRow, IngestWebResult, WebResource, plain
from tearsheet.ingest.requests import MAX_BASE_URL

_log = logging.getLogger(__name__)
MAX_TERMINAL_URL = 2048

ingest_file_result = Table(
    "ingest_file_result",
    metadata,
    Column("ingest_type", String(20), primary_key=True),
    Column("base_url", Text, primary_key=True),
    Column("updated", UtcDateTime, nullable=False),
    Column("hit", Boolean, nullable=False),
    Column("status", String(100), nullable=False, index=True),
    Column("terminal_url", Text),
    Column("terminal_dt", String(14)),
    Column("terminal_status_code", Integer),
    Column("terminal_sha1hex", String(40), index=True),
)
file_meta = Table(
    "file_meta",
    metadata,
    Column("sha1hex", String(40), primary_key=True),
    Column("sha256hex", String(64), nullable=False),
    Column("md5hex", String(32), nullable=False),
    Column("size_bytes", sa.BigInteger, nullable=False),
    Column("mimetype", String(200), nullable=False),
)
cdx = Table(
    "cdx",
    metadata,
    Column("url", Text, primary_key=True),
    Column("datetime", String(14), primary_key=True),
    Column("surt", Text, nullable=False),
    Column("sha1hex", String(40), nullable=False, index=True),
    Column("mimetype", String(200), nullable=False),
    Column("status_code", Integer, nullable=False),
    Column("warc_path", Text),
    Column("warc_csize", sa.BigInteger),
    Column("warc_offset", sa.BigInteger),
    Column("row_created", UtcDateTime, nullable=False),
    Column("hide", Boolean, nullable=False),
    sa.Index("cdx_surt", "surt", "datetime"),
)
"""`hide` keeps a capture out of lookups; the capture itself stays."""
html_meta = Table(
    "html_meta",
    metadata,
    Column("sha1hex", String(40), primary_key=True),
    Column("updated", UtcDateTime, nullable=False),
    Column("status", String(100), nullable=False),
    Column("scope", String(40)),
    Column("has_teixml", Boolean, nullable=False),
    Column("has_thumbnail", Boolean, nullable=False),
    Column("word_count", Integer),
    Column("biblio", sa.JSON),
    Column("resources", sa.JSON),
)

ingest_outbox = Table(
    "ingest_outbox",
    metadata,
    Column("id", sa.BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("topic", String(200), nullable=False),
    Column("key", Text, nullable=False),
    Column("value", Text, nullable=False),
)
"""Messages about saved results that still have to be published, oldest first; `value` is JSON."""


@dataclass(slots=True, frozen=True)
class Outgoing:
    """A message for a topic of the event log."""

    topic: str
    key: str
    value: dict[str, Any]
    id: int = 0
    """Its number in the outbox."""


@dataclass(slots=True, frozen=True)
class KnownCapture:
    """A capture of a document, as lookups return it."""

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


class IngestStore:
    """What was ingested."""

    def __init__(self, database: Database, *, clock: Clock = wall_clock) -> None:
        self._database = database
        self._clock = clock

    def save(self, results: Sequence[IngestWebResult], messages: Sequence[Outgoing] = ()) -> None:
        """Store results, and the messages about them until they are published: all of it, or nothing if this raises.

        The last result of each request stands.
        """
        with self._database.begin() as connection:
            for result in results:
                self._save(connection, result, _result_row(result))
            if messages:
                connection.execute(ingest_outbox.insert(), [_outbox_row(message) for message in messages])

    def adopt(self, results: Sequence[IngestWebResult]) -> None:
        """Store results from the event log, unless the tables already have them or newer ones."""
        with self._database.begin() as connection:
            for result in results:
                row = _result_row(result)
                known = self._known_row(connection, row) if row is not None else None
                if row is None or known is None or is_news(row, known):
                    self._save(connection, result, row)

    def unpublished(self, limit: int) -> list[Outgoing]:
        """The oldest messages that still have to be published."""
        columns = ingest_outbox.c
        query = select(columns.topic, columns.key, columns.value, columns.id).order_by(columns.id).limit(limit)
        with self._database.read() as connection:
            return [
                Outgoing(topic, key, msgspec.json.decode(value), number)
                for topic, key, value, number in connection.execute(query)
            ]

    def published(self, messages: Sequence[Outgoing]) -> None:
        """Forget these messages, which are in the event log."""
        with self._database.begin() as connection:
            connection.execute(
                sa.delete(ingest_outbox).where(ingest_outbox.c.id.in_([message.id for message in messages]))
            )

    def _save(self, connection: sa.Connection, result: IngestWebResult, row: dict[str, Any] | None) -> None:
        now = utc_now(self._clock)
        if row is None:
            _log.warning("a result cannot be kept: its address is too long", extra={"status": result.status})
            return
        self._upsert(connection, ingest_file_result, row | {"updated": now}, ("ingest_type", "base_url"))
        if result.html_resources is None or result.cdx is None or result.file_meta is None:
            return
        self._upsert(connection, file_meta, plain(result.file_meta), ("sha1hex",))
        self._upsert(connection, html_meta, _html_row(result) | {"updated": now}, ("sha1hex",))
        insert = self._database.insert(cdx).on_conflict_do_nothing()
        connection.execute(insert, _cdx_values(result.cdx) | {"row_created": now, "hide": False})

    def _known_row(self, connection: sa.Connection, row: dict[str, Any]) -> dict[str, Any] | None:
        columns = ingest_file_result.c
        same_request = columns.ingest_type == row["ingest_type"], columns.base_url == row["base_url"]
        found = connection.execute(select(ingest_file_result).where(*same_request)).mappings().first()
        return dict(found) if found is not None else None

    def _upsert(self, connection: sa.Connection, table: Table, row: dict[str, Any], key: tuple[str, ...]) -> None:
        insert = self._database.insert(table).values(row)
        newer = {name: value for name, value in row.items() if name not in key}
        connection.execute(insert.on_conflict_do_update(index_elements=list(key), set_=newer))

    def result_of(self, base_url: str, ingest_type: str = "html") -> dict[str, Any] | None:
        """What became of the last request for an address."""
        columns = ingest_file_result.c
        query = select(ingest_file_result).where(columns.base_url == base_url, columns.ingest_type == ingest_type)
        return self._row(query)

    def document(self, sha1hex: str) -> dict[str, Any] | None:
        """What is known about a document, by its SHA-1: the row of `html_meta`, with its file and its captures.

        None if it was not ingested, or if all of its captures are hidden.
        """
        found = self._row(select(html_meta).where(html_meta.c.sha1hex == sha1hex))
        captures = self.captures_of_sha1(sha1hex)
        if found is None or not captures:
            return None
        found["file_meta"] = self._row(select(file_meta).where(file_meta.c.sha1hex == sha1hex))
        found["cdx"] = captures
        return found

    def resources_of(self, sha1hex: str) -> list[dict[str, Any]]:
        """The sub-resources of a document."""
        row = self._row(select(html_meta.c.resources).where(html_meta.c.sha1hex == sha1hex))
        return (row["resources"] if row else None) or []

    def captures_of_sha1(self, sha1hex: str) -> list[KnownCapture]:
        """Every capture of these bytes that is not hidden, oldest first."""
        return self._lines(cdx.c.sha1hex == sha1hex, hidden=False)

    def captures_of_surt(self, surt: str, *, hidden: bool = False) -> list[KnownCapture]:
        """Every capture of an address, oldest first; hidden ones only if they are asked for."""
        return self._lines(cdx.c.surt == surt, hidden)

    def closest(self, surt: str, time14: str) -> KnownCapture | None:
        """The capture of an address closest to a time; the earlier of two equally close ones."""
        found = self.captures_of_surt(surt)
        return min(found, key=lambda line: abs(_seconds(line.datetime) - _seconds(time14)), default=None)

    def hide(self, key: str, *, hide: bool) -> int:
        """Keep all captures of an address, or of a document by its SHA-1, out of lookups, or let them back in.

        Returns how many there are. Raises NotFoundError when there is none.
        """
        of_document = cdx.c.sha1hex == key if is_sha1(key) else cdx.c.surt == surt_or_url(key)
        with self._database.begin() as connection:
            count = connection.execute(sa.update(cdx).where(of_document).values(hide=hide)).rowcount
        if not count:
            raise NotFoundError(f"there is no capture of {key}")
        return count

    def known(self, sha1hex: str, url: str) -> KnownDocument | None:
        """What an earlier ingest recorded about these bytes at this address; None if they are new or their capture is hidden."""
        meta = self._row(select(html_meta).where(html_meta.c.sha1hex == sha1hex))
        lines = [line for line in self.captures_of_sha1(sha1hex) if line.url == url]
        if meta is None or meta["resources"] is None or not lines:
            return None
        last = lines[-1]
        row = CdxRow(
            surt=last.surt, datetime=last.datetime, url=last.url, mimetype=last.mimetype, status_code=last.status_code,
            sha1b32=sha1_base32(sha1hex), sha1hex=sha1hex, warc_csize=last.warc_csize, warc_offset=last.warc_offset,
            warc_path=last.warc_path,
        )  # fmt: skip
        return KnownDocument(row, msgspec.convert(meta["resources"], list[WebResource]))

    def _row(self, query: sa.Select[Any]) -> dict[str, Any] | None:
        with self._database.read() as connection:
            row = connection.execute(query).mappings().first()
        return dict(row) if row is not None else None

    def _lines(self, condition: sa.ColumnElement[bool], hidden: bool) -> list[KnownCapture]:
        names = KnownCapture.__dataclass_fields__
        query = select(*(cdx.c[name] for name in names)).where(condition).order_by(cdx.c.datetime, cdx.c.url)
        if not hidden:
            query = query.where(sa.not_(cdx.c.hide))
        with self._database.read() as connection:
            return [KnownCapture(*row) for row in connection.execute(query)]


def _result_row(result: IngestWebResult) -> dict[str, Any] | None:
    """The row of a result; None if its request cannot be stored."""
    request = result.request or {}
    base_url = storable(str(request.get("base_url", "")))
    terminal = result.terminal
    # The second test is for keys: a PostgreSQL index takes no more bytes than that.
    if not base_url or len(base_url) > MAX_BASE_URL or len(base_url.encode()) > 2500:
        return None
    if terminal is not None and len(terminal.terminal_url) > MAX_TERMINAL_URL:
        return None
    return {
        "ingest_type": str(request.get("ingest_type", "html"))[:20],
        "base_url": base_url,
        "hit": result.hit,
        "status": result.status,
        "terminal_url": terminal.terminal_url if terminal else None,
        "terminal_dt": terminal.terminal_dt if terminal else None,
        "terminal_status_code": terminal.terminal_status_code if terminal else None,
        "terminal_sha1hex": terminal.terminal_sha1hex if terminal else None,
    }


def is_news(row: dict[str, Any], known: dict[str, Any]) -> bool:
    """Whether a result from the event log is newer than the table's: a different one, and not of an earlier capture."""
    if all(known[name] == value for name, value in row.items()):
        return False
    ours, theirs = known["terminal_dt"], row["terminal_dt"]
    return ours is None or theirs is None or ours <= theirs


def _outbox_row(message: Outgoing) -> dict[str, str]:
    value = msgspec.json.encode(message.value).decode()
    return {"topic": message.topic, "key": message.key.replace("\x00", ""), "value": value}


def _html_row(result: IngestWebResult) -> dict[str, Any]:
    assert result.file_meta is not None
    body = result.html_body
    return {
        "sha1hex": result.file_meta.sha1hex,
        "status": result.status,
        "scope": result.scope,
        "has_teixml": body is not None and body.status == "success",
        "has_thumbnail": False,  # nothing makes thumbnails of pages yet; the column is part of the contract
        "word_count": body.word_count if body else None,
        "biblio": plain(result.html_biblio),
        "resources": plain(result.html_resources),
    }


def _cdx_values(row: CdxRow) -> dict[str, Any]:
    names = ("url", "datetime", "surt", "sha1hex", "mimetype", "status_code", "warc_path", "warc_csize", "warc_offset")
    return {name: getattr(row, name) for name in names}


def _seconds(time14: str) -> float:
    """A timestamp as web archives write it, which may be cut off after any part. Raises UsageError."""
    try:
        whole = datetime.strptime(time14 + "19700101000000"[len(time14) :], "%Y%m%d%H%M%S")
    except ValueError as error:
        raise UsageError(f"{time14[:20]!r} is no time: write YYYYMMDDhhmmss") from error
    return whole.replace(tzinfo=UTC).timestamp()
