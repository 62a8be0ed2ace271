"""The jobs that spider: `topic_fetch_link`, `topic_add_story`, `topic_mine_story` and `facebook_fetch_story_stats`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Any, Protocol

from tearsheet.clock import Clock, wall_clock
from tearsheet.engines.database import Database
from tearsheet.engines.index import Index, IndexedStory
from tearsheet.extract import Document, decode
from tearsheet.fetch import PoliteClient
from tearsheet.query import parse_query
from tearsheet.settings import TopicSettings
from tearsheet.story import RSSEntry, Story
from tearsheet.topics import model
from tearsheet.topics.model import Topic
from tearsheet.topics.spider import facebook, routing
from tearsheet.topics.spider import store as spider_store
from tearsheet.topics.spider.addresses import is_ignored, media_of, url_key
from tearsheet.topics.spider.dedupe import TitledStory, same_story
from tearsheet.topics.spider.generate import UNDATEABLE, WebStory, generate_story
from tearsheet.topics.spider.jobs import Job
from tearsheet.topics.spider.links import MinedLink, mine_links
from tearsheet.topics.spider.relevance import (
    Parts,
    RawTest,
    Verdict,
    fingerprint,
    judge,
    leave_out_repeated,
    outside_dates,
    split_sentences,
)
from tearsheet.topics.store import find_topic

Values = Mapping[str, Any]


class PageFetcher(Protocol):
    """The fetcher stage of the pipeline: robots.txt, manners, retries and all."""

    async def process(self, story: Story) -> Story:
        """Fill in the page."""
        ...


@dataclass(slots=True)
class Tools:
    """What the jobs work with."""

    database: Database
    index: Index
    fetcher: PageFetcher
    client: PoliteClient
    settings: TopicSettings
    archived: Callable[[str], tuple[bytes, str | None] | None]
    """The page and charset of a story of the index, from the archive."""
    clock: Clock = wall_clock

    def topic_at_work(self, topic_id: int) -> Topic | None:
        """The topic, if it is running: jobs of one that ended or failed have nothing to do."""
        topic = find_topic(self.database, topic_id)
        return topic if topic.state in model.AT_WORK else None

    def match(self, keys: Sequence[str]) -> dict[str, str]:
        """Which addresses are those of known stories, spidered or collected: stories_id by key."""
        found = spider_store.match_stories(self.database, keys)
        missing = [key for key in keys if key not in found]
        for key, story in zip(missing, self.index.get(missing) if missing else [], strict=True):
            if story is not None:
                spider_store.save_story(self.database, from_index(story), None, None, [])
                found[key] = story.id
        return found

    def note_candidate(self, topic: Topic, stories_id: str, iteration: int) -> None:
        """Remember the sentences of a known story that becomes a candidate of the topic."""
        story = spider_store.get_story(self.database, stories_id)
        if story is not None:
            self.note_sentences(topic, story, iteration)

    def note_sentences(self, topic: Topic, story: WebStory, iteration: int) -> None:
        """Remember the sentences that hold words of the query; others cannot change the verdict."""
        test = raw_test(topic.query)
        prints = [fingerprint(sentence) for sentence in split_sentences(story.text) if test.touches(sentence)]
        spider_store.keep_sentences(self.database, topic.id, story, iteration, prints)


@lru_cache(maxsize=100)
def raw_test(query: str) -> RawTest:
    """The first test of relevance for a query."""
    return RawTest(parse_query(query))


_parsed = lru_cache(maxsize=100)(parse_query)


def from_index(story: IndexedStory) -> WebStory:
    """A collected story as a story of the web: what was guessed of it was guessed by the parser."""
    day = date.fromisoformat(story.publication_date) if story.publication_date else None
    method = str(story.extra.get("publication_date_source") or "index") if day else UNDATEABLE
    return WebStory(
        id=story.id,
        url=story.url,
        media=story.canonical_domain or media_of(story.url),
        title=story.article_title,
        title_method="index",
        day=day,
        date_method=method,
        description=str(story.extra.get("description") or ""),
        text=story.text_content,
        language=story.language,
    )


class FetchLink:
    """`topic_fetch_link`: fetches an address, politely, and makes a story of a page that may be relevant."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def handle(self, values: Values, *, redelivered: bool) -> Sequence[Job]:
        """Fetch; a story that may be relevant waits to be added."""
        tools, topic_id, key = self._tools, int(values["topic"]), str(values["key"])
        topic = await asyncio.to_thread(tools.topic_at_work, topic_id)
        row = await asyncio.to_thread(spider_store.get_fetch, tools.database, topic_id, key) if topic else None
        if topic is None or row is None or row.state != model.PENDING:
            return ()
        if is_ignored(row.url):
            return await self._finish(topic, key, model.IGNORED)
        matched = await asyncio.to_thread(tools.match, [key])
        if matched:
            return await asyncio.to_thread(self._matched, topic, row, matched[key])
        wait = await self._turn(topic, row.url, values)
        if wait > 0:
            later = {**values, "turn": tools.clock() + wait}
            return (Job(routing.TOPIC_FETCH_LINK, later, wait),)
        story = await tools.fetcher.process(Story(rss_entry=RSSEntry(link=row.url)))
        return await asyncio.to_thread(self._page, topic, row, story)

    async def _turn(self, topic: Topic, url: str, values: Values) -> float:
        """How long the job must wait. It reserves its turn and comes back for it, so it goes round the queue once."""
        tools = self._tools
        if float(values.get("turn", 0.0)) > 0:
            return max(0.0, float(values["turn"]) - tools.clock())
        seconds = topic.seconds_per_media_fetch
        return await asyncio.to_thread(spider_store.take_turn, tools.database, media_of(url), tools.clock(), seconds)

    def _matched(self, topic: Topic, row: Any, stories_id: str) -> Sequence[Job]:
        self._tools.note_candidate(topic, stories_id, row.iteration)
        spider_store.finish_fetch(
            self._tools.database, topic.id, row.url_key, model.STORY_MATCH, code=200, stories_id=stories_id
        )
        return ()

    def _page(self, topic: Topic, row: Any, fetched: Story) -> Sequence[Job]:
        tools = self._tools
        page, http = fetched.raw_html.html or b"", fetched.http_metadata
        final = http.final_url or row.url
        text, _ = decode(page, http.encoding)
        if not routing.after_fetch(content_matches=row.assume_match or raw_test(topic.query)(text, final)):
            spider_store.finish_fetch(tools.database, topic.id, row.url_key, model.NO_MATCH, code=http.response_code)
            return ()
        made = generate_story(Document(text, final))
        addresses = {url_key(url): url for url in (row.url, *(hop.url for hop in fetched.exchanges), final)}
        known = tools.match([made.id])
        if made.id in known:
            # A known page keeps its own text, but this may be the simplest of its addresses: it must not matter which came first.
            before = spider_store.get_story(tools.database, known[made.id]) or made
            made = replace(before, url=made.url) if before.id == made.id else before
        story = spider_store.save_story(tools.database, made, page, http.encoding, addresses.items())
        tools.note_sentences(topic, story, row.iteration)
        state = model.STORY_MATCH if known else model.STORY_ADDED
        spider_store.finish_fetch(
            tools.database, topic.id, row.url_key, state, code=http.response_code, stories_id=story.id
        )
        return ()

    async def _finish(self, topic: Topic, key: str, state: str) -> Sequence[Job]:
        await asyncio.to_thread(spider_store.finish_fetch, self._tools.database, topic.id, key, state)
        return ()

    async def give_up(self, values: Values, reason: str, *, defect: bool) -> Sequence[Job]:
        """The address cannot be had."""
        state = model.ERROR if defect else model.REQUEST_FAILED
        await asyncio.to_thread(
            spider_store.finish_fetch,
            self._tools.database,
            int(values["topic"]),
            str(values["key"]),
            state,
            message=reason,
        )
        return ()


class AddStory:
    """`topic_add_story`: tests whether a story is relevant, and adds it to the topic."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def handle(self, values: Values, *, redelivered: bool) -> Sequence[Job]:
        """Judge the story; a relevant one gets its share counts and its links followed."""
        return await asyncio.to_thread(self._add, int(values["topic"]), str(values["story"]))

    def _add(self, topic_id: int, stories_id: str) -> Sequence[Job]:
        tools = self._tools
        topic = tools.topic_at_work(topic_id)
        candidate = spider_store.get_candidate(tools.database, topic_id, stories_id) if topic else None
        if topic is None or candidate is None:
            return ()
        relevant = candidate.state == model.IN
        if candidate.state == model.ADDING:
            verdict = self._judge(topic, candidate)
            relevant = verdict.relevant
            last = candidate.iteration >= topic.max_iterations
            spider_store.decide(
                tools.database, topic_id, stories_id, relevant=relevant, why=verdict.why, mined=not relevant or last
            )
        # A job that comes a second time is routed like the first: nobody knows whether what followed got into its queue.
        names = routing.after_add(
            story_is_relevant=relevant, iteration=candidate.iteration, max_iterations=topic.max_iterations
        )
        return tuple(Job(name, {"topic": topic_id, "story": stories_id}) for name in names)

    def _judge(self, topic: Topic, candidate: spider_store.Candidate) -> Verdict:
        story = candidate.story
        if candidate.assume_match:
            return Verdict(True, "said to match by its seed")
        if reason := outside_dates(story.day, topic.start, topic.end):
            return Verdict(False, reason)
        sentences = split_sentences(story.text)
        repeated = self._repeated(topic, story, candidate.iteration, sentences)
        kept, left_out = leave_out_repeated(sentences, repeated.__contains__)
        parts = Parts(
            title=story.title,
            description=story.description if fingerprint(story.description) not in repeated else "",
            url=story.url,
            sentences=kept,
            repeated=left_out,
            language=story.language,
            media=story.media,
            day=story.day,
        )
        return judge(_parsed(topic.query), parts)

    def _repeated(self, topic: Topic, story: WebStory, iteration: int, sentences: Sequence[str]) -> set[int]:
        """Sentences that another story of the source used in that week; not those of a second copy of the same story."""
        test = raw_test(topic.query)
        prints = [fingerprint(sentence) for sentence in sentences if test.touches(sentence)]
        used = spider_store.other_users(self._tools.database, topic.id, story, iteration, prints)
        others = spider_store.titles_of(self._tools.database, sorted(set().union(*used.values())))
        own = TitledStory(story.id, story.media, story.day, story.title)
        copies = {
            id
            for id, (title, day) in others.items()
            if same_story(own, TitledStory(id, story.media, date.fromisoformat(day) if day else None, title))
        }
        return {number for number, users in used.items() if users - copies}

    async def give_up(self, values: Values, reason: str, *, defect: bool) -> Sequence[Job]:
        """The story cannot be judged: it is left out, and the reason kept."""
        await asyncio.to_thread(
            spider_store.decide,
            self._tools.database,
            int(values["topic"]),
            str(values["story"]),
            relevant=False,
            why=f"error: {reason}"[:500],
            mined=True,
        )
        return ()


class MineStory:
    """`topic_mine_story`: finds the links of a story of the topic."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def handle(self, values: Values, *, redelivered: bool) -> Sequence[Job]:
        """Mine the links; each is fetched, or its known story waits to be added."""
        tools, topic_id, stories_id = self._tools, int(values["topic"]), str(values["story"])
        topic = await asyncio.to_thread(tools.topic_at_work, topic_id)
        if topic is None:
            return ()
        candidate = await asyncio.to_thread(spider_store.get_candidate, tools.database, topic_id, stories_id)
        if candidate is None or candidate.state != model.IN:
            return ()
        if not candidate.spidered:
            links = await self._links(candidate.story)
            await asyncio.to_thread(self._save, topic, candidate, links)
        keys = await asyncio.to_thread(spider_store.pending_links_of, tools.database, topic_id, stories_id)
        return tuple(fetch_job(topic_id, key) for key in keys)

    async def _links(self, story: WebStory) -> list[MinedLink]:
        tools = self._tools
        stored = await asyncio.to_thread(spider_store.get_page, tools.database, story.id)
        page = (stored.html, stored.charset) if stored else await asyncio.to_thread(tools.archived, story.id)
        if page is None:
            fetched = await tools.fetcher.process(Story(rss_entry=RSSEntry(link=story.url)))
            page = (fetched.raw_html.html or b"", fetched.http_metadata.encoding)
        return await asyncio.to_thread(mine_links, page[0], story.url, charset=page[1])

    def _save(self, topic: Topic, candidate: spider_store.Candidate, links: list[MinedLink]) -> None:
        tools, story = self._tools, candidate.story
        matched = tools.match([link.key for link in links])
        for target in sorted(set(matched.values())):
            tools.note_candidate(topic, target, candidate.iteration + 1)
        spider_store.save_links(tools.database, topic.id, story.id, candidate.iteration, links, matched)

    async def give_up(self, values: Values, reason: str, *, defect: bool) -> Sequence[Job]:
        """The links cannot be had: the story stays without any, and the reason is kept where it is our error."""
        note = reason[:500] if defect else None
        await asyncio.to_thread(
            spider_store.save_links, self._tools.database, int(values["topic"]), str(values["story"]), 0, (), {}, note
        )
        return ()


class FacebookStats:
    """`facebook_fetch_story_stats`: asks for the share counts of a story. Never routes the story on."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def handle(self, values: Values, *, redelivered: bool) -> Sequence[Job]:
        """Ask, unless there is no token or the counts are there already."""
        tools, settings, stories_id = self._tools, self._tools.settings, str(values["story"])
        if not settings.facebook_token:
            return ()
        if await asyncio.to_thread(facebook.has_shares, tools.database, stories_id):
            return ()
        story = await asyncio.to_thread(spider_store.get_story, tools.database, stories_id)
        if story is not None:
            shares = await facebook.fetch_shares(
                tools.client, settings.facebook_url, settings.facebook_token, story.url
            )
            await asyncio.to_thread(facebook.save_shares, tools.database, stories_id, shares)
        return ()

    async def give_up(self, values: Values, reason: str, *, defect: bool) -> Sequence[Job]:
        """Keep that the counts could not be had."""
        shares = facebook.Shares(error=reason[:500])
        await asyncio.to_thread(facebook.save_shares, self._tools.database, str(values["story"]), shares)
        return ()


def fetch_job(topic_id: int, key: str) -> Job:
    """The job that fetches an address of a topic."""
    return Job(routing.TOPIC_FETCH_LINK, {"topic": topic_id, "key": key})
