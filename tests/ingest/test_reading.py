"""Pages are read in separate processes: the result is the same, and one that takes too long harms only itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from tearsheet.ingest.fetching import Refused
from tearsheet.ingest.reading import (
    READ_SHEET,
    ReceivedPage,
    ReceivedSheet,
    page_contents,
    read_page,
    read_sheet,
)
from tearsheet.work import Reader, ReadingJob, ReadingPool
from tests.support.ingest_site import prose

PAGE = ReceivedPage(
    f"""<html><head><meta name=citation_title content="Tïtle"><meta name=citation_date content=2019><link rel=stylesheet href=s.css>
    <script type="application/ld+json">{{"@type": "Article", "author": "\\ud800 x\\u0000y"}}</script></head>
    <body>{prose(1400)}<img src=i.png></body></html>""".encode(),
    "http://a.example/x/y",
    "utf-8",
    ["http://a.example/x/y"],
)
LANDING = replace(PAGE, body=b"<meta http-equiv=refresh content='0; url=/full'><meta name=citation_title content=T>")


SHEET = ReceivedSheet(
    '@charset "iso-8859-1"; @import "a.css"; p { background: url(ä.png) }'.encode("latin-1"),
    "http://a.example/css/s.css",
    None,
    PAGE.url,
    "utf-8",
    10,
)


@asynccontextmanager
async def pool(seconds: float) -> AsyncIterator[ReadingPool]:
    reader = ReadingPool(1, seconds)
    try:
        yield reader
    finally:
        await reader.close()


def test_a_process_sees_what_we_see():
    async def run() -> None:
        async with pool(30) as reader:
            assert await page_contents(reader, PAGE) == read_page(PAGE)
            assert await page_contents(reader, LANDING) == read_page(LANDING)
            assert await reader.read(READ_SHEET, SHEET) == read_sheet(SHEET)

    asyncio.run(run())
    assert read_page(PAGE).biblio.contrib_names == ["\ufffd xy"]
    assert read_page(LANDING).following == "http://a.example/full"
    assert [reference.url for reference in read_page(PAGE).references] == [
        "http://a.example/x/s.css",
        "http://a.example/x/i.png",
    ]
    assert [reference.url for reference in read_sheet(SHEET)] == [
        "http://a.example/css/a.css",
        "http://a.example/css/ä.png",
    ]


class Hurried:
    """Gives long pages half a second."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def read(self, job: ReadingJob[Any, Any], question: Any) -> Any:
        job = replace(job, seconds=0.05) if len(question.body) > 1_000_000 else job
        return await self._reader.read(job, question)


def test_a_page_that_takes_too_long_costs_only_itself():
    async def run() -> None:
        async with pool(60) as reader:
            long = replace(PAGE, body=PAGE.body + b"<p>word</p>" * 1_000_000)
            with pytest.raises(Refused) as caught:
                await page_contents(Hurried(reader), long)
            assert (caught.value.status, "took longer than 0.05 s" in caught.value.detail) == ("timeout", True)
            assert (await page_contents(reader, LANDING)).following == "http://a.example/full"

    asyncio.run(run())


def test_a_style_sheet_says_no_more_than_is_asked_for():
    many = replace(SHEET, body=b"".join(b"url(%d.png)" % number for number in range(50)))
    assert len(read_sheet(many)) == 10
