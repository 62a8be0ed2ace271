"""All stories that match a search, with their full text, as a file: JSON lines, CSV or Parquet."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Annotated, Any, BinaryIO, cast

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import StreamingResponse

from tearsheet.app import index_for
from tearsheet.engines.index import IndexedStory
from tearsheet.errors import TooSlow
from tearsheet.index import all_stories, csv_lines, jsonl_lines, write_parquet
from tearsheet.tables import can_write_parquet
from tearsheet.web.asking import SearchForm, ask
from tearsheet.web.reach import reach_of
from tearsheet.web.site import site_of

router = APIRouter(tags=["export"])
Form = Annotated[SearchForm, Depends()]
Bom = Annotated[bool, Query(description="Begin with a byte order mark, which Excel needs to see that it is UTF-8.")]
_PIECE = 1 << 18
_PARQUET = "application/vnd.apache.parquet"
_NO_PARQUET: dict[int | str, dict[str, Any]] = {501: {"description": "This server has no library for Parquet."}}


def _file_of(media_type: str) -> dict[int | str, dict[str, Any]]:
    """How an answer that is a file to download is described."""
    return {200: {"description": "The file.", "content": {media_type: {"schema": {"type": "string"}}}}}


CSV_FILE = _file_of("text/csv")


@router.get("/search.jsonl", response_class=StreamingResponse, responses=_file_of("application/jsonl"))
def export_jsonl(request: Request, form: Form) -> StreamingResponse:
    """Every matching story as a line of JSON, with its full text."""
    return download(jsonl_lines(_stories(request, form)), "application/jsonl", "stories.jsonl")


@router.get("/search.csv", response_class=StreamingResponse, responses=CSV_FILE)
def export_csv(request: Request, form: Form, bom: Bom = False) -> StreamingResponse:
    """Every matching story as a row of CSV, with its full text; `bom=1` for Excel."""
    return download(csv_lines(_stories(request, form), bom=bom), "text/csv; charset=utf-8", "stories.csv")


@router.get("/search.parquet", response_class=StreamingResponse, responses=_file_of(_PARQUET) | _NO_PARQUET)
def export_parquet(request: Request, form: Form) -> StreamingResponse:
    """Every matching story as a row of Parquet, with its full text."""
    if not can_write_parquet():
        raise HTTPException(501, "this server cannot write Parquet: its operator can install 'tearsheet[parquet]'")
    stories = in_time(_stories(request, form), site_of(request).services.settings.web.request_seconds)
    # Without a name, so that nothing is left of it, however the request ends.
    file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - closed by its reader, or with the last reference
    try:
        with site_of(request).heavy.turn():
            write_parquet(stories, file)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return download(_pieces(file), _PARQUET, "stories.parquet")


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE):
            yield piece


def in_time(
    stories: Iterator[IndexedStory], seconds: float, clock: Callable[[], float] = time.monotonic
) -> Iterator[IndexedStory]:
    """The stories, while somebody waits for them. Raises TooSlow when nobody does any more: their file would go to nobody."""
    until = clock() + seconds
    for story in stories:
        if clock() > until:
            raise TooSlow(
                f"this file took longer than {seconds:g} s (web.request_seconds): ask for less, or for JSON lines, "
                "which come at once"
            )
        yield story


def _stories(request: Request, form: SearchForm) -> Iterator[IndexedStory]:
    site, question = site_of(request), form.question()
    asked = ask(site, question, reach_of(request)).query
    return all_stories(index_for(site.services, question), asked, order=question.order)


def download(lines: Iterator[bytes], media_type: str, name: str) -> StreamingResponse:
    """Lines as a file to download."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(lines, media_type=media_type, headers=headers)
