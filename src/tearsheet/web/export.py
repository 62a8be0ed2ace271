"""All stories of a search as a stream: JSON lines or CSV, with their full text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Request
from fastapi.responses import StreamingResponse

from tearsheet.engines.ports import Index, IndexedStory
from tearsheet.query import Query
from tearsheet.web.asking import Question
from tearsheet.web.site import site_of
from tearsheet.web.stories import moment

router = APIRouter(tags=["export"])
COLUMNS = (
    "id", "url", "article_title", "canonical_domain", "language", "publication_date", "indexed_date", "source_id", "feed_id",
    "original_url", "text_content",
)  # fmt: skip
_PAGE = 200


@router.get("/search.jsonl", response_class=StreamingResponse)
def export_jsonl(request: Request, question: Annotated[Question, Depends()]) -> StreamingResponse:
    """Every matching story as a line of JSON, the newest first, with its full text."""
    stories = all_stories(site_of(request).services.index, question.query())
    encode = msgspec.json.Encoder().encode
    lines = (encode(row(story) | story.extra) + b"\n" for story in stories)
    return _download(lines, "application/jsonl", "stories.jsonl")


@router.get("/search.csv", response_class=StreamingResponse)
def export_csv(request: Request, question: Annotated[Question, Depends()], bom: bool = False) -> StreamingResponse:
    """Every matching story as a row of CSV, the newest first, with its full text. `bom=1` for Excel."""
    stories = all_stories(site_of(request).services.index, question.query())
    return _download(csv_lines(map(row, stories), COLUMNS, bom=bom), "text/csv; charset=utf-8", "stories.csv")


def all_stories(index: Index, query: Query) -> Iterator[IndexedStory]:
    """Every matching story, page by page. The first page is asked for at once, so that errors come before the answer."""
    first = index.search(query, limit=_PAGE)

    def rest() -> Iterator[IndexedStory]:
        found = first
        yield from found.stories
        while found.next_token:
            found = index.search(query, limit=_PAGE, token=found.next_token)
            yield from found.stories

    return rest()


def row(story: IndexedStory) -> dict[str, Any]:
    """A story by the names of the index's fields."""
    values = {name: getattr(story, name) for name in COLUMNS}
    return values | {"indexed_date": moment(story.indexed_date).isoformat()}


def csv_lines(rows: Iterator[dict[str, Any]], columns: tuple[str, ...], *, bom: bool = False) -> Iterator[bytes]:
    """Rows as CSV, one piece a row."""
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, columns, extrasaction="ignore")

    def taken() -> bytes:
        text = buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
        return text.encode()

    writer.writeheader()
    yield ("\ufeff".encode() if bom else b"") + taken()
    for values in rows:
        writer.writerow(values)
        yield taken()


def _download(lines: Iterator[bytes], media_type: str, name: str) -> StreamingResponse:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(lines, media_type=media_type, headers=headers)
