"""Write stories into a WARC file: each record is its own gzip member, and the file has a temporary name until it is whole."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from tearsheet.archive.addresses import story_addresses
from tearsheet.archive.cdxj import CdxLine, cdxj_file, http_mime
from tearsheet.archive.files import discard, finish, open_aside
from tearsheet.archive.names import ArchiveName, cdxj_name, safe_part, this_host
from tearsheet.archive.profiles import PROFILES, Earlier, archive_id, story_records, warcinfo
from tearsheet.archive.records import OutRecord, compress, warc_date
from tearsheet.clock import Clock, wall_clock
from tearsheet.errors import ConfigError
from tearsheet.files import storage_errors, write_whole
from tearsheet.story import Story

_SERIALS = itertools.count(1)
SOFTWARE = "tearsheet"
_MAX_NAMES_TRIED = 10_000


@dataclass(slots=True, frozen=True)
class Capture:
    """Where one story is: the evidence that every view of it can point to."""

    story_id: str
    url: str
    file: str
    """The name of the WARC file."""
    offset: int
    """First byte of the response record's gzip member."""
    length: int
    """Bytes of that member."""
    sha256: str
    """The digest of the page as it was received (after content decoding), in hexadecimal."""
    time: datetime
    """When the page was fetched."""
    index_url: str
    """The address whose hash is the story's id in the index."""
    addresses: tuple[str, ...] = ()
    """Every address by which the story is known."""


@dataclass(slots=True, frozen=True)
class ArchiveFile:
    """A finished WARC file."""

    path: Path
    key: str
    """`YYYY/MM/DD/NAME`."""
    size: int
    sha256: str
    stories: int
    created: datetime
    captures: tuple[Capture, ...]

    @property
    def name(self) -> str:
        """The file name without its folder."""
        return self.path.name


class StoryArchiveWriter:
    """Writes one WARC file. Nothing is safe until `close` has returned; until then the file has another name.

    Use it as a context manager: an exception throws the unfinished file away.
    """

    def __init__(
        self,
        folder: Path,
        *,
        prefix: str = "mc",
        profile: str = "mediacloud",
        host: str | None = None,
        clock: Clock = wall_clock,
        taken: Callable[[str], bool] = lambda name: False,
    ) -> None:
        """`taken` says that a file with this name is known though it is not in the folder: only a store has it now."""
        if profile not in PROFILES:
            raise ConfigError(f"archive.profile: {profile!r} is neither {' nor '.join(PROFILES)}")
        self._profile = profile
        self._version = "1.0" if profile == "mediacloud" else "1.1"
        self._clock = clock
        self._created = datetime.fromtimestamp(clock(), UTC).replace(microsecond=0)
        self._host = host or this_host()
        with storage_errors(f"cannot write to the archive folder {folder}"):
            name, self.path, self._stream = self._take_name(folder, safe_part(prefix), safe_part(self._host), taken)
        self._name, self._key = str(name), name.key
        self._digest = hashlib.sha256()
        self._captures: list[Capture] = []
        self._cdx_lines: list[bytes] = []
        self._earlier: dict[str, Earlier] = {}
        self._finished: ArchiveFile | None = None
        self.size = 0
        """Bytes in the file so far, for the caller to decide when it is large enough."""
        date = warc_date(self._created.timestamp(), self._version)
        software = f"{SOFTWARE}/{version('tearsheet')}"
        with storage_errors(f"cannot write {self.path}"):
            self._put(compress(warcinfo(self._version, date, self._name, self._host, software).to_bytes()))

    def _take_name(
        self, folder: Path, prefix: str, host: str, taken: Callable[[str], bool]
    ) -> tuple[ArchiveName, Path, BinaryIO]:
        for _ in range(_MAX_NAMES_TRIED):
            name = ArchiveName(prefix, self._created, next(_SERIALS), host)
            path = folder / name.key
            stream = None if taken(str(name)) else open_aside(path)
            if stream is not None:
                return name, path, stream
        raise FileExistsError(17, "no free file name", str(folder))

    @property
    def stories(self) -> int:
        """How many stories were written so far."""
        return len(self._captures)

    @property
    def story_ids(self) -> list[str]:
        """The archive ids of the stories that were written so far."""
        return [capture.story_id for capture in self._captures]

    def write(self, story: Story, extra: Mapping[str, Any] | None = None) -> Capture:
        """Add a story and say where it is. `extra` adds top-level keys to its metadata, such as `queue_data` for a dumped queue.

        A story without an id is given one that depends only on its address, time and page.
        """
        now = self._clock()
        records = story_records(story, self._profile, now=now, earlier=self._earlier, extra=extra)
        # Made before any is written: a story that cannot be archived leaves no trace in the file that others are in.
        members = [compress(record.to_bytes()) for record in records]
        capture = self._capture(story, self.size, len(members[0]), now)
        lines = self._cdx_lines_of(records, members)
        with storage_errors(f"cannot write {self.path}"):
            for member in members:
                self._put(member)
        if self._profile == "full" and records[0].type == "response":
            first = records[0]
            self._earlier.setdefault(_payload_digest(first), Earlier(first.id, first.uri or "", first.date))
        self._cdx_lines += lines
        self._captures.append(capture)
        return capture

    def _put(self, member: bytes) -> None:
        self._stream.write(member)
        self._digest.update(member)
        self.size += len(member)

    def _cdx_lines_of(self, records: Sequence[OutRecord], members: Sequence[bytes]) -> list[bytes]:
        lines, offset = [], self.size
        for record, member in zip(records, members, strict=True):
            if record.type in ("response", "revisit"):
                lines.append(self._cdx_line(record, offset, len(member)).text().encode())
            offset += len(member)
        return lines

    def _cdx_line(self, record: OutRecord, offset: int, length: int) -> CdxLine:
        mime, status = http_mime(record.head)
        if record.type == "revisit":
            mime = "warc/revisit"
        digest = _payload_digest(record)
        return CdxLine(record.uri or "", record.date, mime, status, digest, offset, length, self._name)

    def _capture(self, story: Story, offset: int, length: int, now: float) -> Capture:
        stamp = story.http_metadata.fetch_timestamp
        return Capture(
            story_id=archive_id(story),
            url=story.url or "",
            file=self._name,
            offset=offset,
            length=length,
            sha256=hashlib.sha256(story.raw_html.html or b"").hexdigest(),
            time=_moment(now if stamp is None else stamp, now),
            index_url=story.content_metadata.url or story.url or "",
            addresses=tuple(story_addresses(story)),
        )

    def close(self) -> ArchiveFile:
        """Make the file safe, give it its name and write its CDXJ. The result says where each story is."""
        if self._finished is not None:
            return self._finished
        with storage_errors(f"cannot write {self.path}"):
            try:
                finish(self._stream, self.path)
            except BaseException:
                self.abort()
                raise
            write_whole(self.path.with_name(cdxj_name(self._name)), cdxj_file(self._cdx_lines))
        self._finished = ArchiveFile(
            path=self.path,
            key=self._key,
            size=self.size,
            sha256=self._digest.hexdigest(),
            stories=len(self._captures),
            created=self._created,
            captures=tuple(self._captures),
        )
        return self._finished

    def abort(self) -> None:
        """Throw away what was written."""
        if self._finished is None and not self._stream.closed:
            discard(self._stream, self.path)

    def __enter__(self) -> StoryArchiveWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self.abort()


def _payload_digest(record: OutRecord) -> str:
    return dict(record.headers)["WARC-Payload-Digest"]


def _moment(stamp: float, otherwise: float) -> datetime:
    try:
        return datetime.fromtimestamp(stamp, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(otherwise, UTC)
