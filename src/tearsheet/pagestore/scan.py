"""Store a feed and those of its items that are new since the last scan. An item that failed is tried again next time."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tearsheet.errors import TearsheetError
from tearsheet.files import make_folder, storage_errors, write_whole
from tearsheet.pagestore.meta import encode_url, url_md5
from tearsheet.pagestore.store import PageStore, StoredPage

SCANS = ".scans"
"""Folder of the store in which each feed's last scan is remembered."""
_MAX_REMEMBERED = 5_000


@dataclass(slots=True, frozen=True)
class FeedItem:
    """An item of a feed. An item without a date is new if it was not seen before."""

    url: str
    published: datetime | None = None


@dataclass(slots=True)
class Scan:
    """What a scan stored, and what it could not."""

    feed: StoredPage
    items: list[StoredPage] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _State:
    last_scan: datetime | None = None
    failed: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    """Digests of items that were stored, the newest last."""

    def is_new(self, item: FeedItem) -> bool:
        md5 = url_md5(item.url)
        if encode_url(item.url) in self.failed:
            return True
        if md5 in self.seen:
            return False
        return item.published is None or self.last_scan is None or item.published > self.last_scan


def scan_feed(
    store: PageStore,
    url: str,
    xml: bytes,
    items: Iterable[FeedItem],
    fetch: Callable[[str], bytes],
    *,
    page_id: object = None,
    language: str | None = None,
    now: datetime,
) -> Scan:
    """Store a feed's XML and its new items, which `fetch` downloads. Two scans of one feed take turns.

    `fetch` raises a TearsheetError or OSError for an item that cannot be fetched: the others are stored, and that one is
    tried again by the next scan, whatever its date.
    """
    with storage_errors(f"cannot write to the page store {store.base}"):
        make_folder(store.base / SCANS)
    path = store.base / SCANS / f"{url_md5(url)}.json"
    day = now.astimezone(UTC).date()
    with _locked(path):
        state = _load(path)
        scan = Scan(store.put(url, xml, day=day, page_id=page_id, kind="rss", language=language))
        for item in items:
            if not item.url.strip() or not state.is_new(item):
                continue
            try:
                content = fetch(item.url)
            except (TearsheetError, OSError):
                scan.failed.append(encode_url(item.url))
                continue
            page = store.put(
                item.url, content, day=day, page_id=page_id, kind="rssitem", language=language, feed_url=url
            )
            scan.items.append(page)
            state.seen.append(page.md5)
        # Items that failed in earlier scans and have since left the feed are lost: no feed will name them again.
        values = {
            "url": encode_url(url),
            "last_scan": now.astimezone(UTC).isoformat(),
            "failed": scan.failed,
            "seen": state.seen[-_MAX_REMEMBERED:],
        }
        with storage_errors(f"cannot write to the page store {store.base}"):
            write_whole(path, json.dumps(values, indent=1).encode() + b"\n")
    return scan


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.with_suffix(".lock").open("ab") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _load(path: Path) -> _State:
    try:
        values: Any = json.loads(path.read_bytes())
        return _State(
            datetime.fromisoformat(values["last_scan"]), [str(url) for url in values["failed"]], list(values["seen"])
        )
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return _State()
