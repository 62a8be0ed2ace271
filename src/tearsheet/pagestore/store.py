"""The dated page store: one folder for each page, one META file for each day, readable without any program."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, BinaryIO

from tearsheet.errors import UsageError
from tearsheet.files import make_folder, storage_errors, sync_folder, write_whole
from tearsheet.foreign_text import read_json
from tearsheet.locks import lock
from tearsheet.pagestore.meta import (
    KINDS,
    MetaFile,
    MetaLine,
    clean_id,
    clean_language,
    encode_url,
    md5_hex,
    parse_meta,
    url_md5,
)
from tearsheet.pagestore.paths import (
    CONTENTS,
    META,
    SIDECAR,
    all_days,
    day_folder,
    day_folders,
    inside,
    page_folder,
)


@dataclass(slots=True, frozen=True)
class CaptureInfo:
    """What is known about a page's capture; kept beside the page."""

    final_url: str | None = None
    status: int | None = None
    charset: str | None = None
    fetched: float | None = None
    """Seconds since 1970-01-01 UTC."""
    story_id: str | None = None


@dataclass(slots=True, frozen=True)
class StoredPage:
    """A page of the store."""

    day: date
    url: str
    md5: str
    page_id: str | None
    kind: str | None
    language: str | None
    path: Path
    """The path of its contents."""
    feed_md5: str | None = None
    """The folder of the feed that it is an item of."""

    def content(self) -> bytes:
        """The page as it was received."""
        return self.path.read_bytes()

    def info(self) -> CaptureInfo:
        """What is known about its capture; nothing for old pages."""
        try:
            values = read_json(self.path.with_name(SIDECAR).read_text("utf-8", "replace"))
        except (OSError, ValueError):
            return CaptureInfo()
        return _read_info(values) if isinstance(values, dict) else CaptureInfo()


class PageStore:
    """A page store below one folder. Any number of processes may read and write it at once.

    The contents of a page are written before META names them, so that anything META names is there. After a crash between the
    two, storing the page again completes it, and so does `tearsheet pages check --repair`.
    """

    def __init__(self, base: Path) -> None:
        self.base = base
        self._seen: dict[Path, _SeenLines] = {}

    def put(
        self,
        url: str,
        content: bytes,
        *,
        day: date | None = None,
        page_id: object = None,
        kind: str = "url",
        language: str | None = None,
        feed_url: str | None = None,
        info: CaptureInfo | None = None,
    ) -> StoredPage:
        """Store a page. Doing so again on the same day replaces its contents and adds no second line.

        An item of a feed (`kind="rssitem"`) needs `feed_url`; its id and language are those of the feed. Raises UsageError.
        """
        if not url.strip() or (not content and kind != "rssitem"):
            raise UsageError("a page of the store needs a URL and contents")
        if kind not in KINDS or (kind == "rssitem") != (feed_url is not None):
            raise UsageError(f"kind {kind!r}: use url or rss, or rssitem together with the feed's URL")
        day = day or datetime.now(UTC).date()
        parent = day_folder(self.base, day)
        feed_md5 = url_md5(feed_url) if feed_url is not None else None
        if feed_md5 is not None:
            parent = page_folder(parent, feed_md5)
        line = MetaLine(url_md5(url), encode_url(url), clean_id(page_id), kind, clean_language(language))
        folder = page_folder(parent, line.md5)
        with storage_errors(f"cannot write to the page store {self.base}"):
            make_folder(folder)
            inside(self.base, folder)
            write_whole(folder / SIDECAR, _sidecar(line, content, info or CaptureInfo()), sync_name=False)
            write_whole(folder / CONTENTS, content)
            self.append_line(parent / META, line)
        return _page(day, line, folder / CONTENTS, feed_md5)

    def get(self, url: str, *, day: date | None = None, feed_url: str | None = None) -> StoredPage | None:
        """The page with this URL: of one day, or the newest."""
        md5s = dict.fromkeys((url_md5(url), md5_hex(url.strip()), md5_hex(url.strip() + "\n")))
        for day_searched in [day] if day is not None else reversed(all_days(self.base)):
            for folder in day_folders(self.base, day_searched):
                for md5 in md5s:
                    page = self._look_up(folder, day_searched, md5, feed_url)
                    if page is not None:
                        return page
        return None

    def _look_up(self, folder: Path, day: date, md5: str, feed_url: str | None) -> StoredPage | None:
        """A page by the name of its folder: directly below the day, or among the items of the day's feeds."""
        if feed_url is not None:
            parents = [page_folder(folder, url_md5(feed_url))]
        else:
            parents = [folder, *(path.parent.parent for path in sorted(folder.glob(f"*/{md5}/{CONTENTS}")))]
        for parent in parents:
            for line in self.meta(parent / META).lines if (parent / md5).is_dir() else ():
                found = self.find_contents(parent, line) if line.md5 == md5 else None
                if found is not None:
                    return _page(day, line, found, None if parent == folder else parent.name)
        return None

    def pages(
        self,
        *,
        since: date | None = None,
        until: date | None = None,
        kinds: Collection[str] | None = None,
        page_ids: Collection[str] | None = None,
    ) -> Iterator[StoredPage]:
        """Every page whose contents are there, day by day; each once, however often META names it."""
        for day in all_days(self.base):
            if (since is not None and day < since) or (until is not None and day > until):
                continue
            for page in self.pages_of_day(day):
                if kinds is not None and page.kind not in kinds:
                    continue
                if page_ids is None or page.page_id in page_ids:
                    yield page

    def pages_of_day(self, day: date) -> Iterator[StoredPage]:
        """The pages of one day: pages and feeds, each feed followed by its items."""
        seen: set[tuple[str | None, str, str | None]] = set()
        for folder in day_folders(self.base, day):
            for page in self._pages_below(folder, day, None):
                key = (page.feed_md5, page.md5, page.page_id)
                if key not in seen:
                    seen.add(key)
                    yield page

    def _pages_below(self, folder: Path, day: date, feed: MetaLine | None) -> Iterator[StoredPage]:
        feed_md5 = feed.md5 if feed is not None else None
        for line in self.meta(folder / META).lines:
            found = self.find_contents(folder, line)
            if found is not None:
                yield _page(day, line, found, feed_md5)
            if feed is None and line.kind in ("rss", None):
                yield from self._pages_below(page_folder(folder, line.md5), day, line)

    def find_contents(self, folder: Path, line: MetaLine) -> Path | None:
        """The contents that a line of META names. A link that leads out of the store is ignored."""
        for md5 in dict.fromkeys((line.md5, url_md5(line.url))):
            path = page_folder(folder, md5) / CONTENTS
            try:
                if path.is_file() and inside(self.base, path):
                    return path
            except UsageError:
                continue
        return None

    def meta(self, path: Path) -> MetaFile:
        """A parsed META file; an empty one when there is no such file, but nothing or, say, a pipe that would keep us waiting."""
        try:
            found = inside(self.base, path)
            if not found.is_file():
                return MetaFile()
            return parse_meta(found.read_text("utf-8", errors="surrogateescape"))
        except (FileNotFoundError, NotADirectoryError, UsageError):
            return MetaFile()

    def append_line(self, path: Path, line: MetaLine) -> None:
        """Name a page in a META file, unless the same line is already there."""
        written = line.text()
        with locked_meta(path) as stream:
            seen = self._seen.setdefault(path, _SeenLines())
            seen.read_on(stream)
            if written in seen.lines:
                return
            created = stream.seek(0, os.SEEK_END) == 0
            # A line that a crash cut off must not swallow ours.
            text = written + "\n" if seen.whole else "\n" + written + "\n"
            stream.write(text.encode("utf-8", "surrogateescape"))
            stream.flush()
            os.fsync(stream.fileno())
            if created:
                sync_folder(path.parent)


class _SeenLines:
    """The lines of a META file that were read so far; later only what was appended since is read."""

    def __init__(self) -> None:
        self.lines: set[str] = set()
        self.whole = True
        self._inode = 0
        self._size = 0

    def read_on(self, stream: BinaryIO) -> None:
        """Read what was appended since. Call it with the file locked."""
        state = os.fstat(stream.fileno())
        if state.st_ino != self._inode or state.st_size < self._size:
            self.lines.clear()
            self.whole, self._inode, self._size = True, state.st_ino, 0
        stream.seek(self._size)
        data = stream.read()
        complete, _, rest = data.rpartition(b"\n")
        self.lines.update(complete.decode("utf-8", "surrogateescape").split("\n"))
        self._size += len(data) - len(rest)
        self.whole = not rest


@contextmanager
def locked_meta(path: Path) -> Iterator[BinaryIO]:
    """A META file opened for reading and appending, and locked; created if it does not exist."""
    while True:
        with storage_errors(f"cannot write {path}"), path.open("a+b") as stream:
            lock(stream)
            try:
                current = os.path.samestat(os.fstat(stream.fileno()), path.stat())
            except FileNotFoundError:
                current = False
            if current:  # else a migration replaced the file while we waited
                yield stream
                return


def _page(day: date, line: MetaLine, contents: Path, feed_md5: str | None) -> StoredPage:
    return StoredPage(day, line.key, line.md5, line.page_id, line.kind, line.language, contents, feed_md5)


def _read_info(values: dict[str, Any]) -> CaptureInfo:
    def text(name: str) -> str | None:
        value = values.get(name)
        return value if isinstance(value, str) else None

    status, fetched = values.get("status"), values.get("fetched")
    return CaptureInfo(
        text("final_url"),
        status if isinstance(status, int) else None,
        text("charset"),
        float(fetched) if isinstance(fetched, (int, float)) else None,
        text("story_id"),
    )


def _sidecar(line: MetaLine, content: bytes, info: CaptureInfo) -> bytes:
    values: dict[str, Any] = {
        "url": line.url,
        "page_id": line.page_id,
        "kind": line.kind,
        "language": line.language,
        **{name: getattr(info, name) for name in CaptureInfo.__slots__},
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    return json.dumps(values, indent=1).encode() + b"\n"
