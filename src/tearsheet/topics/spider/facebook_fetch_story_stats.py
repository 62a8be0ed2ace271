"""`facebook_fetch_story_stats`: asks for the share counts of a story. No other job follows from them."""

from __future__ import annotations

import asyncio

from tearsheet.topics.model import Topic
from tearsheet.topics.spider.facebook import fetch_shares
from tearsheet.topics.spider.stores import shares, web_stories
from tearsheet.topics.spider.stores.jobs import Taken
from tearsheet.topics.spider.tools import Tools


class FetchStoryStats:
    """Asks for the share counts of one story."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def handle(self, topic: Topic, taken: Taken) -> None:
        """Ask, unless the counts are there already, perhaps for another topic."""
        tools, settings = self._tools, self._tools.settings
        if await asyncio.to_thread(shares.has_shares, tools.database, taken.item):
            return
        story = await asyncio.to_thread(web_stories.get_story, tools.database, taken.item)
        if story is not None:
            found = await fetch_shares(tools.client, settings.facebook_url, settings.facebook_token, story.url)
            await asyncio.to_thread(shares.save_shares, tools.database, taken.item, found)

    def give_up(self, taken: Taken, reason: str, *, defect: bool) -> None:
        """Record why there was no answer; the next run asks again."""
        shares.save_failure(self._tools.database, taken.item, reason[:500])
