"""The JSON of a story's metadata record, and back.

The keys `rss_entry`, `http_metadata` and `content_metadata` are Media Cloud's, with Media Cloud's fields and no others. What
only this program knows is kept under `tearsheet`, so that other readers are not disturbed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

import msgspec

from tearsheet.foreign_text import read_json
from tearsheet.story import (
    OWN_CONTENT_FIELDS,
    ContentMetadata,
    Exchange,
    HTTPMetadata,
    RawHTML,
    RSSEntry,
    Story,
)

CONTENT_TYPE = "application/x.mediacloud-indexer+json"
OWN_KEY = "tearsheet"
_PARTS = ("rss_entry", "http_metadata", "content_metadata")
_KINDS: dict[type, dict[str, str]] = {
    part: {item.name: str(item.type).removesuffix(" | None") for item in fields(part)}
    for part in (RSSEntry, HTTPMetadata, ContentMetadata)
}
"""The type of each field, by part and name."""
_MEDIACLOUD_CONTENT_FIELDS = tuple(name for name in _KINDS[ContentMetadata] if name not in OWN_CONTENT_FIELDS)
_EXCHANGE_FIELDS = tuple(item.name for item in fields(Exchange))


def story_to_json(story: Story, *, id_in_record: bool, extra: Mapping[str, Any] | None = None) -> bytes:
    """The block of the metadata record: ASCII JSON. `extra` adds top-level keys, such as `queue_data` for a dumped queue."""
    content = story.content_metadata
    own_content = {name: value for name in OWN_CONTENT_FIELDS if (value := getattr(content, name)) is not None}
    own: dict[str, Any] = {"content_metadata": own_content, "encoding": story.raw_html.encoding}
    if not id_in_record:
        own["id"] = story.id
    if story.raw_html.html is None:
        own["html"] = None
    if story.exchanges:
        own["exchanges"] = [_values(exchange, _EXCHANGE_FIELDS) for exchange in story.exchanges]
    top = {
        "rss_entry": _values(story.rss_entry, _KINDS[RSSEntry]),
        "http_metadata": _values(story.http_metadata, _KINDS[HTTPMetadata]),
        "content_metadata": _values(content, _MEDIACLOUD_CONTENT_FIELDS),
        **{key: value for key, value in (extra or {}).items() if key not in _PARTS and key != OWN_KEY},
        OWN_KEY: own,
    }
    try:
        return json.dumps(top, allow_nan=False).encode("ascii")
    except ValueError:  # a number that JSON cannot express
        return json.dumps(_without_odd_numbers(top)).encode("ascii")


def _values(part: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(part, name) for name in names}


def _without_odd_numbers(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_odd_numbers(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_odd_numbers(item) for item in value]
    return value


def story_from_json(block: bytes) -> tuple[Story, dict[str, Any], bool]:
    """A story without its page, the top-level keys that are not a story's, and whether this program wrote the record.

    Reading is liberal: a field that is missing or of another type is left out, and unknown ones are ignored. Raises
    ValueError when the bytes are not a JSON object.
    """
    try:
        story, extra, ours = _read_as_declared(block)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        story, extra, ours = _read_liberally(block)
    for exchange in story.exchanges:
        if exchange.http_version:
            exchange.http_version = exchange.http_version.removeprefix("HTTP/")  # as older files have it
    return story, extra, ours


@dataclass(slots=True)
class _Own:
    content_metadata: dict[str, Any] = field(default_factory=dict)
    encoding: str | None = None
    id: str = ""
    html: str | None = ""
    exchanges: list[Exchange] = field(default_factory=list)


class _Top(msgspec.Struct, forbid_unknown_fields=True):
    rss_entry: RSSEntry = msgspec.field(default_factory=RSSEntry)
    http_metadata: HTTPMetadata = msgspec.field(default_factory=HTTPMetadata)
    content_metadata: ContentMetadata = msgspec.field(default_factory=ContentMetadata)
    tearsheet: _Own | None = None


_decode_top = msgspec.json.Decoder(_Top).decode


def _read_as_declared(block: bytes) -> tuple[Story, dict[str, Any], bool]:
    """The quick way, for records in which every field has its declared type and nothing was added. Raises for all others."""
    top = _decode_top(block)
    own = top.tearsheet or _Own()
    numbers = (top.rss_entry.source_feed_id, top.rss_entry.source_source_id, top.http_metadata.response_code)
    if not all(
        -(2**63) <= number < 2**63 for number in (*filter(None, numbers), *(one.status for one in own.exchanges))
    ):
        raise ValueError("a number of more than 64 bits")
    _fill(top.content_metadata, own.content_metadata)
    html = None if own.html is None else b""
    parts = (top.rss_entry, RawHTML(html, own.encoding), top.http_metadata, top.content_metadata)
    return Story(own.id, *parts, own.exchanges), {}, top.tearsheet is not None


def _read_liberally(block: bytes) -> tuple[Story, dict[str, Any], bool]:
    top = _load(block)
    own = _mapping(top.get(OWN_KEY))
    content = {**_mapping(top.get("content_metadata")), **_mapping(own.get("content_metadata"))}
    story = Story(
        id=_text(own.get("id")) or "",
        rss_entry=_fill(RSSEntry(), _mapping(top.get("rss_entry"))),
        raw_html=RawHTML(None if own.get("html", b"") is None else b"", _text(own.get("encoding"))),
        http_metadata=_fill(HTTPMetadata(), _mapping(top.get("http_metadata"))),
        content_metadata=_fill(ContentMetadata(), content),
        exchanges=_exchanges(own.get("exchanges")),
    )
    extra = {key: value for key, value in top.items() if key not in _PARTS and key != OWN_KEY}
    return story, extra, isinstance(top.get(OWN_KEY), dict)


def _load(block: bytes) -> dict[str, Any]:
    top = read_json(block.decode(json.detect_encoding(block)))
    if not isinstance(top, dict):
        raise ValueError("not a JSON object")
    return top


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


_Part = TypeVar("_Part", RSSEntry, HTTPMetadata, ContentMetadata)


def _fill(part: _Part, values: dict[str, Any]) -> _Part:
    kinds = _KINDS[type(part)]
    for name, value in values.items():
        if value is not None and name in kinds and (value := _fitting(value, kinds[name])) is not None:
            setattr(part, name, value)
    return part


def _fitting(value: Any, kind: str) -> Any:
    """The value when it is of its field's type or can be read as such, else None."""
    if isinstance(value, bool) or kind == "bool":
        return value if isinstance(value, bool) and kind == "bool" else None
    if kind == "float":
        return _number(value)
    if kind == "int":
        return _whole_number(value)
    if kind == "str":
        return str(value) if isinstance(value, (str, int, float)) else None
    return value if isinstance(value, list) and all(isinstance(item, str) for item in value) else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def _whole_number(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 19:
        return int(value)
    return value if isinstance(value, int) else None


def _exchanges(value: Any) -> list[Exchange]:
    found = []
    for item in value if isinstance(value, list) else ():
        item = _mapping(item)
        if not isinstance(item.get("url"), str) or not isinstance(item.get("status"), int):
            continue
        found.append(
            Exchange(
                url=item["url"],
                status=item["status"],
                request_headers=_pairs(item.get("request_headers")),
                response_headers=_pairs(item.get("response_headers")),
                timestamp=_number(item.get("timestamp")),
                ip=_text(item.get("ip")),
                http_version=_text(item.get("http_version")),
                reason=_text(item.get("reason")),
            )
        )
    return found


def _pairs(value: Any) -> list[tuple[str, str]]:
    pairs = []
    for pair in value if isinstance(value, list) else ():
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair):
            pairs.append((pair[0], pair[1]))
    return pairs
