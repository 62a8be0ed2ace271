"""`topic_fetch_link`: fetches an address, politely, and makes a story of a page that may be relevant."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from tearsheet.archive import REASON, story_keys
from tearsheet.story import Exchange, RSSEntry, Story
from tearsheet.topics import model
from tearsheet.topics.model import Topic
from tearsheet.topics.spider import routing
from tearsheet.topics.spider.addresses import is_ignored, url_key
from tearsheet.topics.spider.job_workers import TurnLater
from tearsheet.topics.spider.keeping import note_fetched
from tearsheet.topics.spider.pace import is_missed
from tearsheet.topics.spider.platform_pages import SAYS_NOTHING, says_nothing, why_left_out
from tearsheet.topics.spider.reading import READ_LINKED_PAGE, LinkedPage, ReceivedPage
from tearsheet.topics.spider.stores import fetches, media, web_stories
from tearsheet.topics.spider.stores.jobs import Taken
from tearsheet.topics.spider.tools import Tools
from tearsheet.topics.spider.web_story import WebStory
from tearsheet.unwrapping import unwrap
from tearsheet.urls import registered_domain

_LEADS_NOWHERE = "on the list of links that never lead to a story"
_MOST_WRAPPERS = 3
"""How often the way to a page may end at an address that carries another."""


class FetchLink:
    """Fetches one address of a topic."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def handle(self, topic: Topic, taken: Taken) -> None:
        """Fetch the page; a story that may be relevant then waits to be added.

        Raises TurnLater, Quarantine for a page that cannot be read, and what the fetcher raises.
        """
        tools = self._tools
        row = await asyncio.to_thread(fetches.get_fetch, tools.database, topic.id, taken.item)
        if row is None or row.state != model.PENDING:
            return
        if reason := _why_left_out(topic, row, row.url):
            await asyncio.to_thread(self._leave_out, topic, row, reason)
            return
        if await asyncio.to_thread(tools.erased, [row.url_key]):
            await asyncio.to_thread(self._leave_out, topic, row, REASON)
            return
        matched = await asyncio.to_thread(tools.match, [row.url_key])
        if matched:
            await asyncio.to_thread(self._matched, topic, row, matched[row.url_key])
            return
        await asyncio.to_thread(self._wait_for_turn, topic, row.url, taken)
        story = await self._fetched(row.url)
        http = story.http_metadata
        final_url = http.final_url or row.url
        page = ReceivedPage(story.raw_html.html or b"", final_url, http.encoding)
        made = await tools.reader.read(READ_LINKED_PAGE, LinkedPage(page, topic.query, bool(row.assume_match)))
        reason = _why_left_out(topic, row, final_url)
        if (
            made is not None
            and not row.assume_match
            and says_nothing(made.url, made.title_method, made.description, made.text)
        ):
            reason = SAYS_NOTHING
        if await asyncio.to_thread(tools.erased, {*story_keys(story), *({made.id} if made else ())}):
            reason = REASON
        if reason:
            await asyncio.to_thread(self._leave_out, topic, row, reason)
            return
        await asyncio.to_thread(self._page, topic, row, story, made)

    async def _fetched(self, url: str) -> Story:
        """Fetch a page. Where the way ends at a copy or a redirector, it goes on to the page that is meant."""
        before: list[Exchange] = []
        for left in reversed(range(_MOST_WRAPPERS)):
            story = await self._tools.fetcher.process(Story(rss_entry=RSSEntry(link=url)))
            story.exchanges = [*before, *story.exchanges]
            final_url = story.http_metadata.final_url or url
            page = unwrap(final_url)
            if page == final_url or not left:
                break
            before, url = story.exchanges, page
        return story

    def _leave_out(self, topic: Topic, row: Any, reason: str) -> None:
        """The address is not followed, or its page not kept."""
        fetches.finish_fetch(self._tools.database, topic.id, row.url_key, model.IGNORED, message=reason)

    def _wait_for_turn(self, topic: Topic, url: str, taken: Taken) -> None:
        """Reserve a turn once and wait for it, so that the item comes back once and in order. Raises TurnLater."""
        tools, now = self._tools, self._tools.clock()
        seconds = topic.seconds_per_media_fetch
        turn = taken.turn
        if not turn or is_missed(turn, now, seconds):
            turn = now + media.take_turn(tools.database, registered_domain(url).lower(), now, seconds)
        if turn > now:
            raise TurnLater(turn, turn - now)

    def _matched(self, topic: Topic, row: Any, stories_id: str) -> None:
        self._tools.note_candidate(topic, stories_id, row.iteration)
        fetches.finish_fetch(
            self._tools.database, topic.id, row.url_key, model.STORY_MATCH, code=200, stories_id=stories_id
        )

    def _page(self, topic: Topic, row: Any, fetched: Story, made: WebStory | None) -> None:
        """Keep what was fetched, and the story that was made of it, if it can be relevant."""
        tools, http = self._tools, fetched.http_metadata
        known = self._known(made, http.final_url or row.url) if made else None
        state = routing.after_fetch(content_matches=made is not None, matches_existing_story=known is not None)
        stories_id = None
        if made is not None:
            story = self._save(made, known, row.url, fetched)
            tools.note_sentences(topic, story, row.iteration)
            stories_id = story.id
        fetches.finish_fetch(
            tools.database, topic.id, row.url_key, state, code=http.response_code, stories_id=stories_id
        )

    def _known(self, made: WebStory, final_url: str) -> str | None:
        """The known story that this page is: by the address that it says it has, or by the one that it was had from."""
        keys = [made.id, url_key(final_url)]
        found = self._tools.match(keys)
        return next((found[key] for key in keys if key in found), None)

    def _save(self, made: WebStory, known: str | None, url: str, fetched: Story) -> WebStory:
        tools, http = self._tools, fetched.http_metadata
        led_here = (url, *(hop.url for hop in fetched.exchanges), http.final_url or url, made.url)
        addresses = {url_key(hop): hop for hop in led_here}
        if known is not None:
            # A known page keeps its text, but this may be its simplest address: the order of arrival must not matter.
            before = web_stories.get_story(tools.database, known) or made
            made = replace(before, url=made.url) if before.id == made.id else before
        page = fetched.raw_html.html or b""
        noted = note_fetched(fetched, tools.clock) if tools.archiver is not None else None
        return web_stories.save_story(tools.database, made, page, http.encoding, addresses.items(), noted)

    def give_up(self, taken: Taken, reason: str, *, defect: bool) -> None:
        """Record that the address could not be fetched."""
        state = model.ERROR if defect else model.REQUEST_FAILED
        fetches.finish_fetch(self._tools.database, taken.topic_id, taken.item, state, message=reason)


def _why_left_out(topic: Topic, row: Any, url: str) -> str | None:
    """Why an address is not followed; None if it is. A seed that is said to match may be anywhere."""
    if is_ignored(url):
        return _LEADS_NOWHERE
    return why_left_out(url, topic.platforms or bool(row.assume_match))
