"""Archives what an ingest received: pages and sub-resources as WARC records, as they came over the wire."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tearsheet.archive import INGESTED, ArchiveStore, Capture, StoryArchiveWriter
from tearsheet.ingest.file_facts import sha1_hex, time14
from tearsheet.ingest.model import CdxRow
from tearsheet.story import HTTPMetadata, RawHTML, RSSEntry, Story, make_story_id

if TYPE_CHECKING:
    # Only for types: whoever merely reads captures asks the web for nothing.
    from tearsheet.ingest.fetching import Fetched

VIA = "ingest"
"""Marks these captures among the others in the archive."""


class CaptureFile:
    """One WARC file for the documents of a few requests. Nothing is durable until `close` has returned."""

    def __init__(self, store: ArchiveStore, folder: Path, *, stores: Sequence[str] = ()) -> None:
        self._store = store
        self._folder = folder
        self._stores = stores
        self._writer: StoryArchiveWriter | None = None
        self._key = ""
        self._captures: dict[str, Capture] = {}

    def keep(self, fetched: Fetched) -> None:
        """Add a document."""
        if self._writer is None:
            self._writer = StoryArchiveWriter(self._folder, prefix=INGESTED, profile="full", taken=self._store.has_file)
        self._writer.write(story_of(fetched))

    def close(self) -> None:
        """Make the file durable and register it; a file without documents is not kept."""
        if self._writer is None:
            return
        file = self._writer.close()
        self._store.register(file, stores=self._stores)
        self._key = file.key
        self._captures = {capture.story_id: capture for capture in file.captures}

    def abort(self) -> None:
        """Throw away what was written."""
        if self._writer is not None:
            self._writer.abort()

    def locate(self, row: CdxRow) -> None:
        """Fill in where a row's document is stored."""
        capture = self._captures.get(capture_id(row.url, row.datetime, row.sha1hex))
        if capture is not None:
            row.warc_path, row.warc_offset, row.warc_csize = self._key, capture.offset, capture.length


def capture_id(url: str, datetime14: str, sha1hex: str) -> str:
    """The id of a capture: always the same for the same bytes at the same time."""
    return make_story_id("ingest", url, datetime14, sha1hex)


def is_document(story: Story) -> bool:
    """Whether a story of the archive is the capture of an ingested document, which is no news and is not in the index."""
    return story.rss_entry.via == VIA and not story.content_metadata.text_content


def story_of(fetched: Fetched) -> Story:
    """A document in the form that the archive takes."""
    return Story(
        id=capture_id(fetched.url, time14(fetched.timestamp), sha1_hex(fetched.body)),
        rss_entry=RSSEntry(link=fetched.asked, via=VIA),
        raw_html=RawHTML(fetched.body),
        http_metadata=HTTPMetadata(fetched.code, fetched.timestamp, fetched.url, fetched.charset),
        exchanges=fetched.exchanges,
    )
