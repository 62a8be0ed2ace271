"""Pages are read in separate processes: the result is the same, and one that takes too long harms only itself."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tearsheet.ingest.fetching import Refused
from tearsheet.ingest.reading import ReadingPool, ReceivedPage, read_page
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


def test_a_process_sees_what_we_see():
    async def run() -> None:
        async with ReadingPool(1, 30) as reader:
            assert await reader(PAGE) == read_page(PAGE)
            assert await reader(LANDING) == read_page(LANDING)

    asyncio.run(run())
    assert read_page(PAGE).biblio.contrib_names == ["? xy"]
    assert read_page(LANDING).following == "http://a.example/full"
    assert [reference.url for reference in read_page(PAGE).references] == [
        "http://a.example/x/s.css",
        "http://a.example/x/i.png",
    ]


def test_a_page_that_takes_too_long_costs_only_itself():
    async def run() -> None:
        async with ReadingPool(1, 0.5) as reader:
            await reader(LANDING)
            long = replace(PAGE, body=PAGE.body + b"<p>word</p>" * 1_000_000)
            with pytest.raises(Refused) as caught:
                await reader(long)
            assert (caught.value.status, "took longer than 0.5 s" in caught.value.detail) == ("timeout", True)
            assert (await reader(LANDING)).following == "http://a.example/full"

    asyncio.run(run())
