"""Read stories from WARC files: ours, Media Cloud's, and other people's. Bad bytes never raise; they are reported."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from tearsheet.archive import metadata
from tearsheet.archive.http import MAX_BODY, HttpResponse, decoded_body, parse_response
from tearsheet.archive.members import Damage
from tearsheet.archive.records import is_uuid
from tearsheet.archive.scan import MAX_BLOCK, Record, scan
from tearsheet.story import Exchange, HTTPMetadata, RawHTML, Story, make_story_id

MAX_DAMAGES_KEPT = 1_000
_MAX_PASSED = 20_000
"""How many records are read in vain, in all, to find those that revisits refer to."""
_PAIRING_SOFTWARE = ("tearsheet/", "mediacloud story-indexer")
_HTML_TYPES = frozenset(("text/html", "application/xhtml+xml", ""))
_NO_RESPONSES = frozenset(("resource", "conversion", "continuation"))
"""Records that hold something archived which no server answered in this form. Requests and the like hold nothing to index."""
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?)?(?:Z|\+00:00)?")


@dataclass(slots=True)
class ArchivedStory:
    """A story and where it was found."""

    story: Story
    record_id: str
    uri: str
    date: str
    """WARC-Date as it was written."""
    offset: int
    """Where the response record begins."""
    length: int
    end: int
    """Where the story's last record ends: its bytes run from `offset` to here. 0 when it cannot be cut out."""
    extra: dict[str, Any] = field(default_factory=dict)
    """Top-level keys of the metadata that are not a story's, such as `queue_data`."""
    has_metadata: bool = True
    """False for a page of a foreign file, of which only the HTTP exchange is known."""

    @property
    def sha256(self) -> str:
        """The digest of the page, in hexadecimal."""
        return hashlib.sha256(self.story.raw_html.html or b"").hexdigest()

    @property
    def time(self) -> datetime | None:
        """When the page was fetched: to the microsecond where that is known, else WARC-Date."""
        stamp = self.story.http_metadata.fetch_timestamp
        if stamp is not None:
            try:
                return datetime.fromtimestamp(stamp, UTC)
            except (ValueError, OverflowError, OSError):
                pass
        return parse_date(self.date)


@dataclass(slots=True, frozen=True)
class LeftOut:
    """A record that is whole and is no story, such as a page that was not found, or an image."""

    offset: int
    uri: str
    reason: str
    detail: str


def parse_date(text: str) -> datetime | None:
    """A date in any form found in archives: a bare day, a blank or a `T`, with or without fraction or `Z`; taken as UTC."""
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction = (part or "0" for part in match.groups())
    microsecond = int(fraction[:6].ljust(6, "0"))
    try:
        return datetime(int(year), int(month), int(day), int(hour), int(minute), int(second), microsecond, UTC)
    except ValueError:
        return None


class StoryArchiveReader:
    """The stories of one WARC file, in order.

    After reading, `damages` says what could not be used. Our files hold stories as pairs of records, and a response that has
    lost its metadata is not taken for a story; in a foreign file, every successful HTML response is one. `watch` is called
    with every record.
    """

    def __init__(
        self,
        source: Path | str | BinaryIO,
        *,
        offset: int = 0,
        max_block: int = MAX_BLOCK,
        max_body: int = MAX_BODY,
        watch: Callable[[Record], None] | None = None,
    ) -> None:
        self._owned = isinstance(source, (str, Path))
        self._stream: BinaryIO
        if isinstance(source, (str, Path)):
            self._stream, self.name = Path(source).open("rb"), Path(source).name  # noqa: SIM115  # closed by close()
        else:
            self._stream, self.name = source, ""
        self._offset = offset
        self._max_block = max_block
        self._max_body = max_body
        self._watch = watch
        self._paired = False
        self._responses: dict[str, int] = {}
        """Where the responses are, by their ids."""
        self._all_known = False
        self._revisited: tuple[str, bytes] = ("", b"")
        """The last page that was revisited, as many in a row may revisit the same."""
        self._passed = 0
        self.damages: list[Damage] = []
        self.damage_count = 0

    def __iter__(self) -> Iterator[Story]:
        for archived in self.archived():
            yield archived.story

    def archived(self) -> Iterator[ArchivedStory]:
        """The stories, and where they were found."""
        return (entry for entry in self.entries() if isinstance(entry, ArchivedStory))

    def entries(self) -> Iterator[ArchivedStory | LeftOut]:
        """The stories, and between them what someone archived that is none."""
        if self._offset:
            self._learn_software()
        pending: Record | None = None
        for record in self.records():
            kind = record.type
            if self._watch is not None:
                self._watch(record)
            if kind in ("response", "revisit"):
                if pending is not None and record.headers.get("warc-concurrent-to") == pending.id:
                    continue  # a redirect that led to the pending response
                if pending is not None:
                    yield from self._alone(pending)
                pending = record
                if kind == "response" and record.id:
                    self._responses[record.id] = record.offset
            elif kind == "metadata" and record.headers.get("content-type", "").startswith(metadata.CONTENT_TYPE):
                if pending is None or not _belongs(record, pending):
                    self._report(Damage(record.offset, "metadata record without its response"))
                    continue
                yield from self._pair(pending, record)
                pending = None
            elif kind == "warcinfo":
                self._read_warcinfo(record)
            elif kind in _NO_RESPONSES:
                yield _left_out(record, "no-response", f"a record of type {kind}")
        if pending is not None:
            yield from self._alone(pending)

    def records(self) -> Iterator[Record]:
        """Every record of the file, as it is."""
        return scan(self._stream, self._report, offset=self._offset, max_block=self._max_block)

    def close(self) -> None:
        """Close the file if the reader opened it."""
        if self._owned:
            self._stream.close()

    def __enter__(self) -> StoryArchiveReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _report(self, damage: Damage) -> None:
        self.damage_count += 1
        if len(self.damages) < MAX_DAMAGES_KEPT:
            self.damages.append(damage)

    def _learn_software(self) -> None:
        for record in scan(self._stream, lambda _: None, max_block=self._max_block):
            if record.type == "warcinfo":
                self._read_warcinfo(record)
            return

    def _read_warcinfo(self, record: Record) -> None:
        for line in record.block.decode("utf-8", "replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip().lower() == "software":
                self._paired = value.strip().startswith(_PAIRING_SOFTWARE)

    def _pair(self, response: Record, record: Record) -> Iterator[ArchivedStory]:
        try:
            story, extra, ours = metadata.story_from_json(record.block)
            http = parse_response(response.data, response.start, response.end)
            body = self._body(response, http)
        except ValueError as error:
            self._report(Damage(response.offset, f"story cannot be read: {error}"))
            return
        self._paired = True
        if story.raw_html.html is not None:
            story.raw_html.html = body
        story.id = story.id or _story_id(response)
        if not ours:
            # Media Cloud's own rule for its files: a story without a parsed date takes that of its capture.
            story.raw_html.encoding = http.charset
            if story.content_metadata.parsed_date is None and (date := parse_date(response.date)) is not None:
                story.content_metadata.parsed_date = date.replace(tzinfo=None).isoformat()
        end = record.offset + record.length if record.length and response.length else 0
        yield _archived(story, response, end, extra=extra)

    def _alone(self, response: Record) -> Iterator[ArchivedStory | LeftOut]:
        """A response without our metadata: a page of a foreign file, or one half of a pair."""
        if self._paired:
            self._report(Damage(response.offset, "response without its metadata record"))
            return
        try:
            http = parse_response(response.data, response.start, response.end)
            if http.status != 200 or http.mime not in _HTML_TYPES:
                reason = f"http-{http.status}" if http.status != 200 else "no-html"
                yield _left_out(response, reason, f"{http.mime or 'no media type'}, status {http.status}")
                return
            body = self._body(response, http)
        except ValueError as error:
            self._report(Damage(response.offset, f"page cannot be read: {error}"))
            return
        end = response.offset + response.length if response.length else 0
        yield _archived(_foreign_story(response, http, body, self.name), response, end, has_metadata=False)

    def _body(self, response: Record, http: HttpResponse) -> bytes:
        if response.type != "revisit":
            return decoded_body(http, self._max_body)
        record_id = response.headers.get("warc-refers-to", "")
        if not record_id or record_id != self._revisited[0]:
            first = self._find_response(record_id)
            if first is None:
                raise ValueError("it revisits a page that is not in this file")
            body = decoded_body(parse_response(first.data, first.start, first.end), self._max_body)
            self._revisited = (record_id, body)
        return self._revisited[1]

    def _find_response(self, record_id: str) -> Record | None:
        """The response that a revisit refers to. The whole file is searched once, however many refer to what it lacks."""
        if not record_id:
            return None
        position = self._stream.tell()
        try:
            if record_id not in self._responses and not self._all_known:
                self._learn_responses()
            return self._read_response(record_id) if record_id in self._responses else None
        finally:
            self._stream.seek(position)

    def _learn_responses(self) -> None:
        self._all_known = True
        for record in scan(self._stream, lambda _: None, max_block=self._max_block):
            if record.type == "response" and record.id:
                self._responses.setdefault(record.id, record.offset)

    def _read_response(self, record_id: str) -> Record | None:
        """Read from its offset on; where it shares a gzip member with others, those before it are passed."""
        for record in scan(self._stream, lambda _: None, offset=self._responses[record_id], max_block=self._max_block):
            if record.id == record_id and record.type == "response":
                return record
            self._passed += 1
            if self._passed > _MAX_PASSED:
                return None
        return None


def read_story_at(source: Path | BinaryIO, offset: int) -> ArchivedStory | None:
    """The story whose response record begins at an offset; None when there is none."""
    with StoryArchiveReader(source, offset=offset) as reader:
        archived = next(reader.archived(), None)
    return archived if archived is not None and archived.offset == offset else None


def _left_out(record: Record, reason: str, what: str) -> LeftOut:
    return LeftOut(record.offset, record.uri, reason, f"{record.uri or 'the record'} at byte {record.offset}: {what}")


def _belongs(record: Record, response: Record) -> bool:
    refers = record.headers.get("warc-refers-to") or record.headers.get("warc-concurrent-to")
    return refers in (None, response.id) or record.uri == response.uri


def _story_id(response: Record) -> str:
    """The record's own UUID; for a record that has none, an id made from its id, address and date."""
    key = response.id.strip("<>").removeprefix("urn:uuid:").lower()
    return key if is_uuid(key) else make_story_id("record", response.id, response.uri, response.date)


def _archived(
    story: Story, response: Record, end: int, *, extra: dict[str, Any] | None = None, has_metadata: bool = True
) -> ArchivedStory:
    return ArchivedStory(
        story=story,
        record_id=response.id,
        uri=response.uri,
        date=response.date,
        offset=response.offset,
        length=response.length,
        end=end,
        extra=extra or {},
        has_metadata=has_metadata,
    )


def _foreign_story(response: Record, http: HttpResponse, body: bytes, name: str) -> Story:
    date = parse_date(response.date)
    stamp = date.timestamp() if date else None
    exchange = Exchange(
        url=response.uri,
        status=http.status,
        response_headers=http.headers,
        timestamp=stamp,
        ip=response.headers.get("warc-ip-address"),
        http_version=http.version,
        reason=http.reason or None,
    )
    story = Story(
        id=_story_id(response),
        raw_html=RawHTML(body, None),
        http_metadata=HTTPMetadata(http.status, stamp, response.uri, http.charset),
        exchanges=[exchange],
    )
    story.rss_entry.link = response.uri
    story.rss_entry.via = name or None
    return story
