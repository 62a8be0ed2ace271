"""The fetcher of the `historical` pipeline: pages of the old system, out of a blob store.

The reasons that are counted are those of Media Cloud's hist-fetcher: `bad-dlid`, `epoch-err`, `not-found`, `redundant`.
"""

from __future__ import annotations

import asyncio
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, time

from tearsheet.engines.blobs import BlobInfo, Blobs
from tearsheet.errors import NotFoundError
from tearsheet.pipeline.epochs import NoSuchEpoch, is_doubtful, pick_version
from tearsheet.pipeline.queuers import whole_number
from tearsheet.story import Story
from tearsheet.work import Drop

FOLDER = "downloads/"
"""The prefix of a download's key; its id follows."""
REDUNDANT = b"(redundant feed)"
"""What the old system stored for a feed that had not changed."""
_GZIP = b"\x1f\x8b"
_THREADS = 16


class HistFetcher:
    """A stage: fills in the page, the code 200, and the time if it was not known."""

    def __init__(self, blobs: Blobs, *, max_bytes: int = 10_000_000) -> None:
        self._blobs = blobs
        self._max_bytes = max_bytes
        self._threads = ThreadPoolExecutor(_THREADS, "hist-fetcher")

    async def process(self, story: Story) -> Story:
        """Get the page of the story's download. Raises Drop."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self.fetch, story)

    def fetch(self, story: Story) -> Story:
        """The same, as a plain call."""
        download = whole_number(story.rss_entry.link or "")
        if download is None:
            raise Drop("bad-dlid", f"{story.rss_entry.link!r} is not a downloads_id")
        http = story.http_metadata
        try:
            version = self._version(download, collected(story))
            data = self._blobs.get(_key(download), version=version.version if version else None)
            if http.fetch_timestamp is None:
                http.fetch_timestamp = self._modified(download, version)
        except NotFoundError as error:
            raise Drop("not-found", str(error)) from error
        except NoSuchEpoch as error:
            raise Drop("epoch-err", str(error)) from error
        page = page_of(data, self._max_bytes)
        if page.startswith(REDUNDANT):
            raise Drop("redundant", "a feed that had not changed")
        story.raw_html.html = page
        http.response_code = 200
        return story

    def _version(self, download: int, moment: datetime | None) -> BlobInfo | None:
        """The version to get; None for the current one."""
        if not is_doubtful(download):
            return None
        versions = self._blobs.versions(_key(download))
        if not versions:
            raise NotFoundError(f"there is no blob {_key(download)!r}")
        return pick_version(versions, moment)

    def _modified(self, download: int, version: BlobInfo | None) -> float | None:
        found = version or self._blobs.head(_key(download))
        return found.modified.timestamp() if found else None


def _key(download: int) -> str:
    return f"{FOLDER}{download}"


def collected(story: Story) -> datetime | None:
    """When the page was collected: its `collect_date`, else the day of its CSV file, else None."""
    stamp, day = story.http_metadata.fetch_timestamp, story.rss_entry.fetch_date
    if stamp is not None:
        return datetime.fromtimestamp(stamp, UTC)
    return datetime.combine(date.fromisoformat(day), time(), UTC) if day else None


def page_of(data: bytes, max_bytes: int) -> bytes:
    """The page of a stored download, unpacked if it was gzipped. Raises Drop when it is broken, too large or empty."""
    page = data
    if data.startswith(_GZIP):
        unpacker = zlib.decompressobj(wbits=31)
        try:
            page = unpacker.decompress(data, max_bytes + 1)
        except zlib.error as error:
            raise Drop("bad-gzip", str(error)) from error
        if len(page) <= max_bytes and not unpacker.eof:
            raise Drop("bad-gzip", "it is cut off")
    if len(page) > max_bytes:
        raise Drop("oversized", f"more than {max_bytes:,} bytes")
    if not page.strip():
        raise Drop("no-html", "an empty page")
    return page
