"""All stories that match a search, with their full text, as a file: JSON lines, CSV or Parquet."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import FileResponse, StreamingResponse
from starlette.background import BackgroundTask

from tearsheet.engines.index import IndexedStory
from tearsheet.index import all_stories, csv_lines, jsonl_lines, write_parquet
from tearsheet.web.asking import SearchForm, ask
from tearsheet.web.site import site_of

router = APIRouter(tags=["export"])
Form = Annotated[SearchForm, Depends()]


@router.get("/search.jsonl", response_class=StreamingResponse)
def export_jsonl(request: Request, form: Form) -> StreamingResponse:
    """Every matching story as a line of JSON, with its full text."""
    return download(jsonl_lines(_stories(request, form)), "application/jsonl", "stories.jsonl")


@router.get("/search.csv", response_class=StreamingResponse)
def export_csv(request: Request, form: Form, bom: bool = False) -> StreamingResponse:
    """Every matching story as a row of CSV, with its full text; `bom=1` for Excel."""
    return download(csv_lines(_stories(request, form), bom=bom), "text/csv; charset=utf-8", "stories.csv")


@router.get("/search.parquet", response_class=FileResponse)
def export_parquet(request: Request, form: Form) -> FileResponse:
    """Every matching story as a row of Parquet, with its full text."""
    stories = _stories(request, form)
    descriptor, path = tempfile.mkstemp(suffix=".parquet")
    try:
        with os.fdopen(descriptor, "wb") as target:
            write_parquet(stories, target)
    except BaseException:
        os.unlink(path)  # noqa: PTH108 - the name is a str already
        raise
    done = BackgroundTask(os.unlink, path)
    return FileResponse(path, media_type="application/vnd.apache.parquet", filename="stories.parquet", background=done)


def _stories(request: Request, form: SearchForm) -> Iterator[IndexedStory]:
    site, question = site_of(request), form.question()
    # Ordering by relevance is limited to so many stories; an export is not.
    order = "newest" if question.order == "relevance" else question.order
    return all_stories(site.services.index, ask(site, question).query, order=order)


def download(lines: Iterator[bytes], media_type: str, name: str) -> StreamingResponse:
    """Lines as a file to download."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(lines, media_type=media_type, headers=headers)
