"""Stories to archive: a plain one, and every one that hypothesis can think of."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tearsheet.archive import ArchivedStory, StoryArchiveWriter
from tearsheet.archive.reader import read_story_at
from tearsheet.pipeline.archiver import Archiver
from tearsheet.story import ContentMetadata, Exchange, HTTPMetadata, RawHTML, RSSEntry, Story, make_story_id
from tearsheet.work.outcomes import Kept, Outcome

PAGE = "<html><head><title>Ünïted</title></head><body><p>Something happened today.</p></body></html>".encode()


def plain_story(number: int = 1, page: bytes = PAGE, **content: Any) -> Story:
    """A story as it reaches the archiver."""
    url = f"https://news.example/{number}"
    return Story(
        id=make_story_id("test", number),
        rss_entry=RSSEntry(
            link=f"https://t.example/{number}", title=f"Title {number}", domain="news.example", via="1@x"
        ),
        raw_html=RawHTML(page, "utf-8"),
        http_metadata=HTTPMetadata(200, 1_700_000_000.25 + number, url, "utf-8"),
        content_metadata=ContentMetadata(
            url=url, article_title=f"Title {number}", parsed_date="2026-11-15T01:02:03.000004", **content
        ),
        exchanges=[
            Exchange(
                f"https://t.example/{number}",
                301,
                [("User-Agent", "tearsheet")],
                [("Location", url)],
                1_700_000_000.0 + number,
                "192.0.2.7",
                "1.1",
                "Moved Permanently",
            ),
            Exchange(
                url,
                200,
                [("User-Agent", "tearsheet"), ("Accept", "text/html")],
                [("Content-Type", "text/html; charset=utf-8"), ("Content-Encoding", "gzip"), ("Content-Length", "77")],
                1_700_000_000.25 + number,
                "192.0.2.8",
                "2",
                None,
            ),
        ],
    )


def archived_story(folder: Path, page: bytes = PAGE, headers: Sequence[tuple[str, str]] = ()) -> ArchivedStory:
    """A story with this page and these headers besides, read from the archive that it was written to."""
    story = plain_story(1, page)
    story.exchanges[-1].response_headers += headers
    with StoryArchiveWriter(folder) as writer:
        writer.write(story)
    written = writer.close()
    found = read_story_at(folder / written.key, written.captures[0].offset)
    assert found is not None
    return found


def archive_all(archiver: Archiver, stories: Sequence[Story]) -> Sequence[Story | Outcome | Kept]:
    """Archive stories in files of their own, which are closed and registered when this returns."""
    results = archiver.process_batch(stories)
    archiver.finish(everything=True)
    return results


def large_story(number: int) -> Story:
    """A story whose page is large and does not compress well, so that a kill finds it half-written."""
    return plain_story(number, b"<html>" + random.Random(number).randbytes(30_000).hex().encode())


def _maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


_TEXT = st.text(max_size=40)
_TIME = st.floats(-1e9, 1e11, allow_nan=False)
_PAIRS = st.lists(st.tuples(_TEXT, _TEXT), max_size=3)
_EXCHANGES = st.builds(
    Exchange,
    url=_TEXT,
    status=st.integers(0, 999),
    request_headers=_PAIRS,
    response_headers=_PAIRS,
    timestamp=_maybe(_TIME),
    ip=_maybe(_TEXT),
    http_version=_maybe(st.sampled_from(["1.0", "1.1", "2", "3", "x"])),
    reason=_maybe(_TEXT),
)
_BY_TYPE = {
    "str | None": _maybe(_TEXT | st.sampled_from(["http://a.example/ b\r\nX: y", "https://例え.jp/ü"])),
    "int | None": _maybe(st.integers(-(2**40), 2**40)),
    "float | None": _maybe(_TIME),
    "bool | None": _maybe(st.booleans()),
    "bytes | None": _maybe(st.binary(max_size=400) | st.just(b"WARC/1.0\r\n\r\n" * 3)),
    "list[str] | None": _maybe(st.lists(_TEXT, max_size=3)),
}


def _part(kind: Any) -> st.SearchStrategy[Any]:
    return st.builds(kind, **{name: _BY_TYPE[annotation] for name, annotation in kind.__annotations__.items()})


any_story = st.builds(
    Story,
    id=st.uuids().map(str) | st.text(min_size=1, max_size=50),
    rss_entry=_part(RSSEntry),
    raw_html=_part(RawHTML),
    http_metadata=_part(HTTPMetadata),
    content_metadata=_part(ContentMetadata),
    exchanges=st.lists(_EXCHANGES, max_size=3),
)
