"""The queuer of the `csv` pipeline: a list of addresses to be fetched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from tearsheet.pipeline.queuers.csv_rows import csv_rows
from tearsheet.pipeline.queuers.rows import Problem, Row, Unreadable, checked_url, date_in_name
from tearsheet.pipeline.queuers.tracker import tracked_name
from tearsheet.story import HTTPMetadata, RSSEntry, Story, make_story_id
from tearsheet.urls import BadURL

SUFFIXES = (".csv",)
_URL_COLUMNS = ("url", "link", "story_url")


def story_of(url: str, file: str) -> Story:
    """The story of one address. The date in its file's name is the day it was acquired."""
    return Story(
        id=make_story_id("csv", tracked_name(file), url),
        rss_entry=RSSEntry(link=url, fetch_date=date_in_name(file), via=file),
        http_metadata=HTTPMetadata(final_url=url),
    )


def read(file: str, stream: BinaryIO) -> Iterator[Row | Problem]:
    """Every address once. A first row with columns `url`, `link` or `story_url` says where they are; else they are in the first.

    Of several such columns, a row's address is in the first that is filled. Raises Unreadable when no row has one.
    """
    columns, first, seen = [0], True, set[str]()
    for number, cells in csv_rows(stream, _URL_COLUMNS):
        if isinstance(cells, Problem):
            yield cells
            continue
        if first:
            first = False
            names = [cell.strip().lower() for cell in cells]
            headings = [names.index(name) for name in _URL_COLUMNS if name in names]
            if headings:
                columns = headings
                continue
        candidates = [cells[column] for column in columns if column < len(cells)]
        if not candidates:
            where = columns[0] + 1
            yield Problem(number, "bad-row", f"{len(cells)} columns, and the address should be in column {where}")
            continue
        try:
            url = checked_url(next(filter(str.strip, candidates), ""))
        except BadURL as error:
            yield Problem(number, "bad-url", str(error))
            continue
        if url in seen:
            yield Problem(number, "dups", f"{url} is already in this file")
            continue
        seen.add(url)
        yield Row(number, story_of(url, file))
    if not seen:
        raise Unreadable(
            1, "bad-columns", f"no row has an address: name its column {' or '.join(_URL_COLUMNS)} in the first row"
        )
