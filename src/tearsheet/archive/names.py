"""Names of archive files: `PREFIX-YYYYMMDDhhmmss-SERIAL-HOST.warc.gz`, in the folder of their day."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from datetime import UTC, datetime

SUFFIX = ".warc.gz"
CDXJ_SUFFIX = ".cdxj"
INGESTED = "ingest"
"""The prefix of files that hold ingested documents, with their pictures and styles."""
SPIDERED = "topics"
"""The prefix of files that hold the pages that spiders of topics fetched."""

_NAME = re.compile(r"(?P<prefix>.+)-(?P<time>\d{14})-(?P<serial>\d+)-(?P<host>.*)\.warc(?:\.gz)?", re.DOTALL)
_UNSAFE = re.compile(r"[^A-Za-z0-9._]+")


@dataclass(slots=True, frozen=True)
class ArchiveName:
    """The parts of a file name."""

    prefix: str
    time: datetime
    serial: int
    host: str

    def __str__(self) -> str:
        return f"{self.prefix}-{self.time:%Y%m%d%H%M%S}-{self.serial}-{self.host}{SUFFIX}"

    @property
    def key(self) -> str:
        """The file's path below the archive folder, and its key in every blob store: `YYYY/MM/DD/NAME`."""
        return f"{self.time:%Y/%m/%d}/{self}"


def holds_documents(name: str) -> bool:
    """Whether a file with this name holds ingested documents, which are no stories of the index."""
    return name.startswith(f"{INGESTED}-")


def holds_collected(name: str) -> bool:
    """Whether a file with this name holds stories that were collected, which belong into the index."""
    return not name.startswith((f"{INGESTED}-", f"{SPIDERED}-"))


def parse_name(name: str) -> ArchiveName | None:
    """The parts of a file name given by this program or by Media Cloud's; None for a name of another kind."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    try:
        time = datetime.strptime(match["time"], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return ArchiveName(match["prefix"], time, int(match["serial"]), match["host"])


def safe_part(text: str) -> str:
    """Text made safe for a file name: letters, digits, `.` and `_`; never empty, never a hidden file."""
    return _UNSAFE.sub("_", text).lstrip(".") or "x"


def this_host() -> str:
    """The name of this machine, made safe for a file name."""
    return safe_part(socket.gethostname())


def cdxj_name(warc_name: str) -> str:
    """The name of the CDXJ file beside a WARC file."""
    return warc_name.removesuffix(".gz").removesuffix(".warc") + CDXJ_SUFFIX
