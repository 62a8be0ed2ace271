"""The queuer of the `historical` pipeline: CSV files of the old system's database.

The columns are `collect_date, stories_id, media_id, downloads_id, feeds_id, [language], url`. A story without an address is fetched
blind: the page itself must give it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO

from tearsheet.pipeline.queuers.csv_rows import csv_rows
from tearsheet.pipeline.queuers.rows import (
    Problem,
    Row,
    Unreadable,
    checked_url,
    date_in_name,
    timestamp_of,
    whole_number,
)
from tearsheet.story import NEED_CANONICAL_URL, ContentMetadata, HTTPMetadata, RSSEntry, Story, make_story_id
from tearsheet.urls import BadURL

SUFFIXES = (".csv",)
_NEEDED = "downloads_id"


def story_of(row: Mapping[str, str], file: str) -> Story:
    """The story of one row, whose cells are by column name. Raises ValueError with a reason to count and what is wrong."""
    download = whole_number(row.get(_NEEDED, ""))
    if download is None:
        raise ValueError("bad-dlid", f"{row.get(_NEEDED, '')[:40]!r} is not a downloads_id")
    collected = row.get("collect_date", "").strip()
    timestamp = timestamp_of(collected) if collected else None
    if collected and timestamp is None:
        raise ValueError("bad-date", f"{collected[:40]!r} is not a collect_date")
    language = row.get("language", "").strip().lower() or None
    return Story(
        id=make_story_id("historical", download, collected),
        rss_entry=RSSEntry(
            link=str(download),
            fetch_date=date_in_name(file),
            source_feed_id=whole_number(row.get("feeds_id", "")),
            source_source_id=whole_number(row.get("media_id", "")),
            via=file,
        ),
        http_metadata=HTTPMetadata(final_url=_url_of(row), fetch_timestamp=timestamp),
        content_metadata=ContentMetadata(language=language[:2] if language else None, full_language=language),
    )


def _url_of(row: Mapping[str, str]) -> str:
    if not row.get("url", "").strip():
        return NEED_CANONICAL_URL
    try:
        return checked_url(row["url"])
    except BadURL as error:
        raise ValueError("bad-url", str(error)) from error


def read(file: str, stream: BinaryIO) -> Iterator[Row | Problem]:
    """Every download once, and every address once."""
    columns: list[str] | None = None
    seen: set[int] = set()
    for number, cells in csv_rows(stream, [_NEEDED]):
        if isinstance(cells, Problem):
            yield cells
        elif columns is None:
            columns = [cell.strip().lower() for cell in cells]
            if _NEEDED not in columns:
                raise Unreadable(
                    number, "bad-columns", f"there is no column {_NEEDED} among {', '.join(columns)[:200]}"
                )
        elif len(cells) != len(columns):
            yield Problem(number, "bad-row", f"{len(cells)} columns instead of {len(columns)}")
        else:
            yield _row(number, dict(zip(columns, cells, strict=True)), file, seen)


def _row(number: int, row: Mapping[str, str], file: str, seen: set[int]) -> Row | Problem:
    try:
        story = story_of(row, file)
    except ValueError as error:
        reason, detail = error.args
        return Problem(number, reason, detail)
    url = story.http_metadata.final_url
    # A file has many addresses, and up to half of them twice: their hashes are enough to recognise them.
    key = hash(story.rss_entry.link if url == NEED_CANONICAL_URL else url)
    if key in seen:
        return Problem(number, "dups", f"{row.get('url') or story.rss_entry.link} is already in this file")
    seen.add(key)
    return Row(number, story)
