"""`topic_mine_story`: finds the links of a story of the topic."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence

from tearsheet.story import RSSEntry, Story
from tearsheet.topics import model
from tearsheet.topics.model import Topic
from tearsheet.topics.spider import routing
from tearsheet.topics.spider.links import MinedLink
from tearsheet.topics.spider.reading import READ_LINKS, ReceivedPage
from tearsheet.topics.spider.routing import Route
from tearsheet.topics.spider.stores import candidates, links, web_stories
from tearsheet.topics.spider.stores.candidates import Candidate
from tearsheet.topics.spider.stores.jobs import Taken
from tearsheet.topics.spider.stores.links import RoutedLink
from tearsheet.topics.spider.tools import Tools


class MineStory:
    """Mines one story of a topic."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def handle(self, topic: Topic, taken: Taken) -> None:
        """Mine the links; each is to be fetched, or, if its story is known, that waits to be added."""
        candidate = await asyncio.to_thread(candidates.get_candidate, self._tools.database, topic.id, taken.item)
        if candidate is None or candidate.state != model.IN or candidate.spidered:
            return
        mined = await self._links(topic, candidate)
        await asyncio.to_thread(self._save, topic, candidate, mined)

    async def _links(self, topic: Topic, candidate: Candidate) -> list[MinedLink]:
        tools, story = self._tools, candidate.story
        if candidate.mined:
            return await asyncio.to_thread(links.known_links, tools.database, topic.id, story.id)
        stored = await asyncio.to_thread(web_stories.get_page, tools.database, story.id)
        page = (stored.html, stored.charset) if stored else await asyncio.to_thread(tools.archived, story.id)
        if page is None:
            fetched = await tools.fetcher.process(Story(rss_entry=RSSEntry(link=story.url)))
            page = (fetched.raw_html.html or b"", fetched.http_metadata.encoding)
        return await tools.reader.read(READ_LINKS, ReceivedPage(page[0], story.url, page[1]))

    def _save(self, topic: Topic, candidate: Candidate, mined: Sequence[MinedLink]) -> None:
        tools, story = self._tools, candidate.story
        matched = tools.match([link.key for link in mined])
        known = candidates.known_candidates(tools.database, topic.id, set(matched.values()))
        routed = route_links(mined, matched, known)
        for target in sorted({link.stories_id for link in routed if link.stories_id and link.route is Route.ADD_STORY}):
            tools.note_candidate(topic, target, candidate.iteration + 1)
        links.save_links(tools.database, topic.id, story.id, candidate.iteration, routed)

    def give_up(self, taken: Taken, reason: str, *, defect: bool) -> None:
        """Leave the story without links, because its page is not available; record the reason if the error is ours."""
        note = reason[:500] if defect else None
        links.save_links(self._tools.database, taken.topic_id, taken.item, 0, (), note, mined=False)


def route_links(mined: Sequence[MinedLink], matched: Mapping[str, str], in_topic: Collection[str]) -> list[RoutedLink]:
    """Each link with what follows for it. `matched` holds the known stories by the keys of links."""
    routed = []
    for link in mined:
        stories_id = matched.get(link.key)
        route = routing.after_mine(
            link_matches_existing_story=stories_id is not None, story_in_topic=stories_id in in_topic
        )
        routed.append(RoutedLink(link, route, stories_id))
    return routed
