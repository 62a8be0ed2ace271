"""Stories leave what the feeds have brought: the entries, and the daily files that were written from them."""

from __future__ import annotations

import gzip
import re
from collections.abc import Container, Iterable
from contextlib import suppress
from pathlib import Path

from sqlalchemy import delete, select

from tearsheet.archive import index_id_of
from tearsheet.engines.database import Database
from tearsheet.feeds.polling.store import chunks
from tearsheet.feeds.tables import stories
from tearsheet.files import storage_errors, written_aside
from tearsheet.foreign_text import unescape
from tearsheet.urls import BadURL, normalize_url

_LINK = re.compile(rb"<item><link>(.*?)</link>")


def entry_ids(database: Database, urls: Iterable[str]) -> list[int]:
    """The numbers of the entries with these addresses."""
    found: list[int] = []
    with database.read() as connection:
        for some in chunks(sorted(_normalized(urls))):
            found += connection.execute(select(stories.c.id).where(stories.c.normalized_url.in_(some))).scalars()
    return found


def addresses_from_domain(database: Database, domain: str) -> list[str]:
    """The addresses of all entries of a source."""
    with database.read() as connection:
        return list(connection.execute(select(stories.c.url).where(stories.c.domain == domain)).scalars())


def erase_entries(database: Database, urls: Iterable[str], *, dry_run: bool = False) -> int:
    """Delete the entries with these addresses, queued or not; returns how many there are."""
    ids = entry_ids(database, urls)
    if not dry_run:
        with database.begin() as connection:
            for some in chunks(ids):
                connection.execute(delete(stories).where(stories.c.id.in_(some)))
    return len(ids)


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


def _normalized(urls: Iterable[str]) -> set[str]:
    found = set()
    for url in urls:
        with suppress(BadURL):
            found.add(normalize_url(url))
    return found
