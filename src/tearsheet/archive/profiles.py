"""Which records a story becomes: `mediacloud` (WARC 1.0, as Media Cloud writes it) or `full` (WARC 1.1, as it happened).

In both, a story is one run of records: it begins with the response, whose id is the story's own, and ends with the metadata
record. So a story can be cut out of a file, given the offset of its response.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tearsheet.archive import metadata
from tearsheet.archive.records import (
    OutRecord,
    header_value,
    http_head,
    is_uuid,
    record_id,
    sha1_digest,
    target_uri,
    warc_date,
)
from tearsheet.foreign_text import with_few_marks
from tearsheet.story import Exchange, Story, make_story_id

PROFILES = ("mediacloud", "full")
ORIGINAL = "X-Archive-Orig-"
"""Prefix of headers that were true on the wire but are not true of the body as it is stored."""

_CHARSET = re.compile(r"[A-Za-z0-9._:+-]{1,40}")
_WIRE_HEADERS = frozenset(("content-encoding", "content-length", "transfer-encoding"))
_PROTOCOLS = {"1.0": "http/1.0", "1.1": "http/1.1", "2": "h2", "2.0": "h2", "3": "h3", "3.0": "h3"}
_REVISIT = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"


@dataclass(slots=True, frozen=True)
class Earlier:
    """An earlier response in the same file with the same payload."""

    id: str
    uri: str
    date: str


def story_record_id(story: Story) -> tuple[str, bool]:
    """The UUID of the story's response record, and whether readers can take it for the story's id."""
    if is_uuid(story.id):
        return story.id, True
    if story.id:
        return make_story_id("archive", story.id), False
    return make_story_id("archive", story.url, story.http_metadata.fetch_timestamp, story.raw_html.html), True


def archive_id(story: Story) -> str:
    """The id by which a capture of the story is known: its own, or the one that the archive gives it."""
    return story.id or story_record_id(story)[0]


def story_uri(story: Story) -> str:
    """WARC-Target-URI: the final, extracted, original or queued URL, whichever is known first; without any, the story's id."""
    return target_uri(story.url) if story.url else f"urn:uuid:{story_record_id(story)[0]}"


def warcinfo(version: str, date: str, filename: str, host: str, software: str) -> OutRecord:
    """The record that opens a file."""
    fields = {"hostname": host, "software": software, "format": f"WARC file version {version}"}
    block = "".join(f"{name}: {header_value(value)}\r\n" for name, value in fields.items()).encode()
    headers = [("WARC-Filename", filename)]
    return OutRecord(version, "warcinfo", record_id(), date, "application/warc-fields", block, headers=headers)


def story_records(
    story: Story,
    profile: str,
    *,
    now: float,
    earlier: Mapping[str, Earlier] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> list[OutRecord]:
    """The records of one story, the response first and the metadata last. `earlier` is keyed by payload digest."""
    if profile == "mediacloud":
        return _mediacloud(story, now, extra)
    return _full(story, now, earlier or {}, extra)


def _digits(code: int | None) -> str:
    """A status code as three digits; `000` where none is known."""
    return f"{code:03d}" if code is not None and 0 <= code <= 999 else "000"


def _timestamp(story: Story, now: float) -> float:
    stamp = story.http_metadata.fetch_timestamp
    return now if stamp is None else stamp


def _metadata_record(version: str, story: Story, response: OutRecord, extra: Mapping[str, Any] | None) -> OutRecord:
    """The record with the rest of the story.

    It has no WARC-Target-URI, which is optional here: if it had one, pywb would take it for a second capture of the page at
    the same moment, and replay the JSON.
    """
    block = metadata.story_to_json(story, id_in_record=story_record_id(story)[1], extra=extra)
    refers = [("WARC-Refers-To", response.id), ("WARC-Block-Digest", sha1_digest(block))]
    if version == "1.1":
        refers.insert(0, ("WARC-Concurrent-To", response.id))
    return OutRecord(version, "metadata", record_id(), response.date, metadata.CONTENT_TYPE, block, headers=refers)


# ------------------------------------------------------------------------------------------------------- mediacloud


def _mediacloud(story: Story, now: float, extra: Mapping[str, Any] | None) -> list[OutRecord]:
    html = story.raw_html.html or b""
    code = story.http_metadata.response_code
    status = "200 OK" if code == 200 else f"{_digits(code)} HUH?"
    content_type = "text/html"
    encoding = story.http_metadata.encoding or story.raw_html.encoding
    if encoding and _CHARSET.fullmatch(encoding):
        content_type += f"; encoding={encoding}"
    head = http_head(f"HTTP/1.0 {status}", [("Content-Type", content_type), ("Content-Length", str(len(html)))])
    response = OutRecord(
        version="1.0",
        type="response",
        id=record_id(story_record_id(story)[0]),
        date=warc_date(_timestamp(story, now), "1.0"),
        content_type="application/http; msgtype=response",
        head=head,
        body=html,
        uri=story_uri(story),
        headers=[
            ("WARC-Payload-Digest", sha1_digest(html))
        ],  # the head is made up and proves nothing, so there is no digest of the block
    )
    return [response, _metadata_record("1.0", story, response, extra)]


# ------------------------------------------------------------------------------------------------------------- full


def _full(story: Story, now: float, earlier: Mapping[str, Earlier], extra: Mapping[str, Any] | None) -> list[OutRecord]:
    html = story.raw_html.html or b""
    stamp = _timestamp(story, now)
    final = story.exchanges[-1] if story.exchanges else _unknown_exchange(story)
    payload_digest = sha1_digest(html)
    first = earlier.get(payload_digest) if html else None
    response = _response(final, html, story_uri(story), stamp, payload_digest, first)
    response.id = record_id(story_record_id(story)[0])
    concurrent = [("WARC-Concurrent-To", response.id)]
    records = [response]
    if story.exchanges:
        records.append(_request(final, response.uri or "", response.date, concurrent))
    for hop in story.exchanges[:-1]:
        hop_stamp = stamp if hop.timestamp is None else hop.timestamp
        answer = _response(hop, b"", target_uri(hop.url), hop_stamp, sha1_digest(b""), None)
        answer.headers += concurrent
        records += [
            answer,
            _request(hop, answer.uri or "", answer.date, [*concurrent, ("WARC-Concurrent-To", answer.id)]),
        ]
    return [*records, _metadata_record("1.1", story, response, extra)]


def _unknown_exchange(story: Story) -> Exchange:
    """What can be said about a response whose headers were not kept."""
    encoding = story.http_metadata.encoding or story.raw_html.encoding
    charset = f"; charset={encoding}" if encoding and _CHARSET.fullmatch(encoding) else ""
    code = story.http_metadata.response_code or 0
    return Exchange(story.url or "", code, response_headers=[("Content-Type", f"text/html{charset}")])


def _response(
    exchange: Exchange, body: bytes, uri: str, stamp: float, payload_digest: str, first: Earlier | None
) -> OutRecord:
    head = _response_head(exchange, len(body))
    headers = [("WARC-Payload-Digest", payload_digest)]
    kind = "response"
    if first is not None:
        kind, body = "revisit", b""
        headers += [
            ("WARC-Profile", _REVISIT),
            ("WARC-Refers-To", first.id),
            ("WARC-Refers-To-Target-URI", first.uri),
            ("WARC-Refers-To-Date", first.date),
        ]
    headers += [("WARC-Block-Digest", sha1_digest(head, body)), *_wire(exchange)]
    content_type = "application/http; msgtype=response"
    return OutRecord("1.1", kind, record_id(), warc_date(stamp, "1.1"), content_type, body, head, uri, headers)


def _response_head(exchange: Exchange, length: int) -> bytes:
    """The head as it was received; headers that are not true of the decoded body keep their value under another name."""
    reason = f" {exchange.reason}" if exchange.reason else ""
    headers = [
        (ORIGINAL + name if name.lower() in _WIRE_HEADERS else name, value) for name, value in exchange.response_headers
    ]
    headers.append(("Content-Length", str(length)))
    return http_head(f"HTTP/{_text_version(exchange)} {_digits(exchange.status)}{reason}", headers)


def _request(exchange: Exchange, uri: str, date: str, headers: list[tuple[str, str]]) -> OutRecord:
    parts = urlsplit(with_few_marks(uri))
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    lines = list(exchange.request_headers)
    if not any(name.lower() == "host" for name, _ in lines):
        lines.insert(0, ("Host", parts.netloc.rpartition("@")[2]))
    head = http_head(f"GET {path} HTTP/{_text_version(exchange)}", lines)
    headers = [*headers, ("WARC-Block-Digest", sha1_digest(head)), *_wire(exchange)]
    return OutRecord("1.1", "request", record_id(), date, "application/http; msgtype=request", b"", head, uri, headers)


def _text_version(exchange: Exchange) -> str:
    """HTTP/2 and 3 have no text form: they are written as 1.1, and WARC-Protocol tells the truth."""
    return "1.0" if exchange.http_version == "1.0" else "1.1"


def _wire(exchange: Exchange) -> list[tuple[str, str]]:
    headers = []
    if exchange.ip:
        headers.append(("WARC-IP-Address", header_value(exchange.ip)))
    if exchange.http_version in _PROTOCOLS:
        headers.append(("WARC-Protocol", _PROTOCOLS[exchange.http_version]))
    return headers
