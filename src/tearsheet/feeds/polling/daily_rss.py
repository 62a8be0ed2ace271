"""The daily synthetic RSS file: every story that was found on one day, as `mc-YYYY-MM-DD.rss.gz`."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Container, Iterator
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from tearsheet.archive import index_id_of
from tearsheet.engines.database import Database
from tearsheet.errors import StorageError
from tearsheet.feeds.polling.story_store import stories_of_day
from tearsheet.files import make_folder, storage_errors, written_aside
from tearsheet.foreign_text import unescape, xml_safe
from tearsheet.masking import without_login

_LINK = re.compile(rb"<item><link>(.*?)</link>")
_BUILT = re.compile(rb"<lastBuildDate>([^<]{1,100})</lastBuildDate>")
_HEAD = 2_000
"""Within so many bytes stands when a file was written."""


def daily_rss_name(day: date) -> str:
    """`mc-2026-11-15.rss.gz`."""
    return f"mc-{day.isoformat()}.rss.gz"


def write_daily_rss(database: Database, folder: Path, day: date, now: datetime) -> int:
    """Write the file of one day (UTC), completely or not at all; returns how many stories are in it. Raises StorageError."""
    path = folder / daily_rss_name(day)
    count = 0
    try:
        make_folder(folder)
        with written_aside(path) as file, gzip.GzipFile(path.stem, "wb", fileobj=file, mtime=0) as zipped:
            for line in _document(database, day, now):
                count += line.startswith("<item>")
                zipped.write(line.encode("utf-8"))
    except OSError as error:
        raise StorageError(
            f"cannot write {path}: {error.strerror}; free some space or choose another folder"
        ) from error
    return count


def write_missing_days(database: Database, folder: Path, days: int, now: datetime) -> dict[Path, int]:
    """Write the files of the last full days that are missing, or were written before their day was over.

    Returns them, with how many stories are in each.
    """
    made = {}
    for back in range(1, days):
        day = now.date() - timedelta(days=back)
        if not _is_whole(folder / daily_rss_name(day), day):
            made[folder / daily_rss_name(day)] = write_daily_rss(database, folder, day, now)
    return made


def _is_whole(path: Path, day: date) -> bool:
    """Whether there is a file that was written after its day. Its own words count: a copy has another time on its disk."""
    try:
        with gzip.open(path) as file:
            start = file.read(_HEAD)
    except (OSError, EOFError, zlib.error):
        return False
    if b"<rss" not in start:
        return False
    built = _BUILT.search(start)
    try:
        # A file that does not say when it was written is another program's.
        return built is None or parsedate_to_datetime(built[1].decode()) >= _over_at(day)
    except (ValueError, TypeError):  # a time without a zone cannot be compared
        return False


def _over_at(day: date) -> datetime:
    """When all polls of a day are written, also those that began in its last minute."""
    return datetime.combine(day, datetime.min.time(), UTC) + timedelta(days=1, minutes=10)


def _document(database: Database, day: date, now: datetime) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0">\n<channel>\n'
    # The site of this channel is whichever serves the file.
    yield f"<title>Stories found on {day}</title>\n<link>/</link>\n<description>Links from all feeds</description>\n"
    yield f"<lastBuildDate>{format_datetime(now, usegmt=True)}</lastBuildDate>\n"
    for row in stories_of_day(database, day):
        yield _item(row)
    yield "</channel>\n</rss>\n"


def _item(row: Any) -> str:
    """One story on one line, with the element names of the original."""
    date_text = format_datetime(row.published_at.astimezone(UTC), usegmt=True) if row.published_at else ""
    numbers = (("mcFeedId", row.feed_id), ("mcSourceId", row.sources_id))
    ids = "".join(f' {name}="{number}"' for name, number in numbers if number is not None)
    return (
        f"<item><link>{escape(_clean(row.url))}</link><pubDate>{date_text}</pubDate>"
        f"<domain>{escape(_clean(row.domain or ''))}</domain><title>{escape(_clean(unescape(row.title or '')))}</title>"
        f"<source url={quoteattr(_clean(without_login(row.feed_url or '')))}{ids} /></item>\n"
    )


def _clean(text: str) -> str:
    return " ".join(xml_safe(text).split())


def erase_from_daily_rss(folder: Path, keys: Container[str], *, dry_run: bool = False) -> int:
    """Remove stories from the daily files of a folder, given the keys of their addresses; returns how many there are."""
    erased = 0
    for path in sorted(folder.glob("mc-*.rss.gz")):
        with storage_errors(f"cannot write {path} anew"):
            lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
            kept = [line for line in lines if not _is_of(line, keys)]
            erased += len(lines) - len(kept)
            if len(kept) < len(lines) and not dry_run:
                with written_aside(path) as file, gzip.GzipFile(path.stem, "wb", fileobj=file, mtime=0) as zipped:
                    zipped.writelines(kept)
    return erased


def _is_of(line: bytes, keys: Container[str]) -> bool:
    found = _LINK.match(line)
    return found is not None and index_id_of(unescape(found[1].decode("utf-8", "replace"))) in keys
