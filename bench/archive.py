"""The archive side by side with warcio, on the same real pages in the same run: writing, reading, size of the files.

`python -m bench.archive [--pages N] [--rounds N]`; exits with 1 when a promise does not hold.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from tearsheet.archive import StoryArchiveReader, StoryArchiveWriter
from tearsheet.story import (
    ContentMetadata,
    HTTPMetadata,
    RawHTML,
    RSSEntry,
    Story,
    make_story_id,
)

SHARED = Path(os.environ.get("TEARSHEET_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
PROMISES = {"writing": 6.0, "reading": 2.0}
LARGEST = 1.15


def _as_dict(part: RSSEntry | HTTPMetadata | ContentMetadata) -> dict[str, Any]:
    return {item.name: getattr(part, item.name) for item in fields(part)}


def real_pages(limit: int) -> Iterator[bytes]:
    """Pages of the extraction set, in the order of their archive."""
    with tarfile.open(SHARED / "extraction" / "pages.tar.xz") as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is not None:
                yield stream.read()
                limit -= 1
            if not limit:
                return


def as_story(number: int, page: bytes) -> Story:
    url = f"https://news.example/2026/11/{number}/some-slug-of-a-story"
    text = page.decode("utf-8", "replace")
    return Story(
        id=make_story_id("bench", number),
        rss_entry=RSSEntry(url, f"Story {number}", "news.example", "Sun, 15 Nov 2026 10:00:00 GMT", "2026-11-15"),
        raw_html=RawHTML(page, "utf-8"),
        http_metadata=HTTPMetadata(200, 1_763_200_000.123456 + number, url, "utf-8"),
        content_metadata=ContentMetadata(
            original_url=url,
            url=url,
            normalized_url=url,
            canonical_domain="news.example",
            publication_date="2026-11-15",
            language="en",
            article_title=f"Story {number}",
            text_content=text[len(text) // 2 :][:5_000],
            parsed_date="2026-11-15T10:00:00.000001",
        ),
    )


# ------------------------------------------------------------------------------------------------------------ ours


def write_ours(stories: list[Story], folder: Path) -> Path:
    with StoryArchiveWriter(folder) as writer:
        for story in stories:
            writer.write(story)
    return writer.close().path


def read_ours(path: Path) -> int:
    with StoryArchiveReader(path) as reader:
        return sum(len(story.raw_html.html or b"") for story in reader)


# ---------------------------------------------------------------------------------------------------------- warcio


def write_warcio(stories: list[Story], folder: Path) -> Path:
    """The same records with warcio, as Media Cloud's indexer writes them."""
    path = folder / "warcio.warc.gz"
    with path.open("wb") as stream:
        writer = WARCWriter(stream, gzip=True, warc_version="1.0")
        writer.write_record(writer.create_warcinfo_record(path.name, {"software": "warcio"}))
        for story in stories:
            html = story.raw_html.html or b""
            headers = [("Content-Type", "text/html; encoding=utf-8"), ("Content-Length", str(len(html)))]
            response = writer.create_warc_record(
                story.url,
                "response",
                payload=io.BytesIO(html),
                http_headers=StatusAndHeaders("200 OK", headers, protocol="HTTP/1.0"),
            )
            writer.write_record(response)
            parts = {
                "rss_entry": _as_dict(story.rss_entry),
                "http_metadata": _as_dict(story.http_metadata),
                "content_metadata": _as_dict(story.content_metadata),
            }
            metadata = writer.create_warc_record(
                story.url,
                "metadata",
                payload=io.BytesIO(json.dumps(parts, indent=2).encode()),
                warc_content_type="application/x.mediacloud-indexer+json",
                warc_headers_dict={"WARC-Refers-To": response.rec_headers.get_header("WARC-Record-ID")},
            )
            writer.write_record(metadata)
        stream.flush()
        os.fsync(stream.fileno())
    return path


def read_warcio(path: Path) -> int:
    """The same stories back with warcio: a page and its metadata."""
    total = 0
    html = b""
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type == "response":
                html = record.content_stream().read()
            elif record.rec_type == "metadata":
                parts = json.loads(record.content_stream().read())
                known = {name: parts["content_metadata"].get(name) for name in ContentMetadata.__slots__}
                story = Story(
                    rss_entry=RSSEntry(**parts["rss_entry"]),
                    raw_html=RawHTML(html),
                    http_metadata=HTTPMetadata(**parts["http_metadata"]),
                    content_metadata=ContentMetadata(**known),
                )
                total += len(story.raw_html.html or b"")
    return total


def best(rounds: int, *works: Callable[[], Any]) -> list[tuple[float, Any]]:
    """The shortest time of each work and its result; they take turns, so that both see the same machine."""
    times = [(float("inf"), None) for _ in works]
    for _ in range(rounds):
        for number, work in enumerate(works):
            start = time.perf_counter()
            result = work()
            times[number] = (min(times[number][0], time.perf_counter() - start), result)
    return times


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=474)
    options.add_argument("--rounds", type=int, default=5)
    chosen = options.parse_args()
    stories = [as_story(number, page) for number, page in enumerate(real_pages(chosen.pages))]
    size = sum(len(story.raw_html.html or b"") for story in stories)
    print(f"{len(stories)} pages, {size / 1e6:.1f} MB")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (ours, our_path), (theirs, their_path) = best(
            chosen.rounds, lambda: write_ours(stories, folder), lambda: write_warcio(stories, folder)
        )
        (our_read, got), (their_read, expected) = best(
            4 * chosen.rounds, lambda: read_ours(our_path), lambda: read_warcio(our_path)
        )
        assert got == expected == size, "not every page came back"
        larger = our_path.stat().st_size / their_path.stat().st_size
    held = larger <= LARGEST
    for what, mine, other in (("writing", ours, theirs), ("reading", our_read, their_read)):
        times = other / mine
        held &= times >= PROMISES[what]
        print(
            f"{what}: {size / mine / 1e6:6.0f} MB/s, warcio {size / other / 1e6:4.0f} MB/s: {times:.1f} times "
            f"(promised {PROMISES[what]:.0f})"
        )
    print(f"size: {larger:.3f} of warcio's (promised at most {LARGEST})")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
