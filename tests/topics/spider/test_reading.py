"""Pages that a link led to are read in separate processes: the result is the same, and one that takes too long is given up."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from tearsheet.topics.spider.addresses import url_key
from tearsheet.topics.spider.reading import (
    READ_LINKED_PAGE,
    READ_LINKS,
    LinkedPage,
    ReceivedPage,
    read_linked_page,
    read_links,
)
from tearsheet.topics.spider.seeds import route_new_seeds
from tearsheet.topics.spider.stores.jobs import Taken
from tearsheet.topics.spider.topic_fetch_link import FetchLink
from tearsheet.work import Quarantine, Reader, ReadingJob, ReadingPool

TEXT = "The flood reached the old dam on Sunday, <a href=/more?x=1>as our reporter wrote</a>. " * 8
PAGE = ReceivedPage(
    f"<html><title>Tïtle</title><meta name=date content=2026-11-15><article><p>{TEXT}</p></article>".encode("latin-1"),
    "http://a.example/1",
    "iso-8859-1",
)


def test_a_process_sees_what_we_see() -> None:
    questions = [
        LinkedPage(PAGE, "flood AND dam", False),
        LinkedPage(PAGE, "drought", False),
        LinkedPage(PAGE, "drought", True),
    ]

    async def run() -> None:
        pool = ReadingPool(1, 60.0)
        try:
            for question in questions:
                assert await pool.read(READ_LINKED_PAGE, question) == read_linked_page(question)
            assert await pool.read(READ_LINKS, PAGE) == read_links(PAGE)
        finally:
            await pool.close()

    asyncio.run(run())
    made = [read_linked_page(question) for question in questions]
    assert made[0] is not None and made[0] == made[2] and made[0].title == "Tïtle" and made[1] is None
    assert [link.url for link in read_links(PAGE)] == ["http://a.example/more?x=1"]


class Hurried:
    """Gives no page enough time."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def read(self, job: ReadingJob[Any, Any], question: Any) -> Any:
        return await self._reader.read(replace(job, seconds=0.001), question)


class Fetches:
    async def process(self, story: Any) -> Any:
        story.raw_html.html = PAGE.body
        return story


def test_a_page_that_takes_too_long_is_a_matter_of_its_link(tools: Any, topic: Any) -> None:
    route_new_seeds(tools, topic)
    tools.fetcher = Fetches()

    async def run() -> None:
        pool = ReadingPool(1, 60.0)
        tools.reader = Hurried(pool)
        taken = Taken(topic.id, "topic_fetch_link", url_key("http://a.example/1"), turn=tools.clock())
        try:
            with pytest.raises(Quarantine, match="timeout: took longer than"):
                await FetchLink(tools).handle(topic, taken)
            tools.reader = pool
            await FetchLink(tools).handle(topic, taken)
        finally:
            await pool.close()

    asyncio.run(run())
