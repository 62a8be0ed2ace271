"""A look ahead: what a sample of a topic's seeds and of their links is, read and judged as a run would, with nothing kept of it."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tearsheet.counts import how_many
from tearsheet.query import Query, parse_query
from tearsheet.story import RSSEntry, Story
from tearsheet.topics.draw import drawn
from tearsheet.topics.model import Topic
from tearsheet.topics.planning import Found, Sample
from tearsheet.topics.spider.addresses import media_of, url_key
from tearsheet.topics.spider.dedupe import TitledStory, same_story
from tearsheet.topics.spider.links import MinedLink
from tearsheet.topics.spider.reading import READ_LINKED_PAGE, READ_LINKS, LinkedPage, ReceivedPage
from tearsheet.topics.spider.relevance import (
    Parts,
    calendar_week,
    fingerprint,
    judge,
    leave_out_repeated,
    outside_dates,
    raw_test,
    split_sentences,
)
from tearsheet.topics.spider.stores import media, web_stories
from tearsheet.topics.spider.stores.samples import SampledSeed
from tearsheet.topics.spider.tools import Tools
from tearsheet.topics.spider.web_story import WebStory, story_of_index
from tearsheet.work import Outcome, Requeue

MOST_SEEDS = 500
"""How many seeds are read for an estimate."""
_AT_ONCE = 16
_LONGEST_WAIT = 30.0
"""A host that wants to be left alone for longer is not waited for."""
_MOST_WAITS = 20

Tell = Callable[[str], object]
"""Is told how far it is, as often as there is something to say."""


@dataclass(slots=True)
class _Looked:
    """A seed or a link that was looked at."""

    assume_match: bool
    story: WebStory | None = None
    """If its page may be about the topic."""
    links: list[MinedLink] = field(default_factory=list)
    fetched: bool = False
    failed: bool = False


class _Repeats:
    """Which sentences with words of the query a source used in several stories of a week; copies of one story do not count."""

    def __init__(self, query: str) -> None:
        self._test = raw_test(query)
        self._users: defaultdict[tuple[str, str, int], dict[str, TitledStory]] = defaultdict(dict)

    def note(self, story: WebStory) -> None:
        for place in self._places(story):
            self._users[place][story.id] = _titled(story)

    def of(self, story: WebStory) -> set[int]:
        """The fingerprints of those sentences of a story that another one has as well."""
        own = _titled(story)
        return {
            place[-1]
            for place in self._places(story)
            if any(id != story.id and not same_story(own, other) for id, other in self._users[place].items())
        }

    def _places(self, story: WebStory) -> set[tuple[str, str, int]]:
        week = calendar_week(story.day)
        touching = filter(self._test.touches, split_sentences(story.text))
        return {(story.media, week, fingerprint(sentence)) for sentence in touching}


def _titled(story: WebStory) -> TitledStory:
    return TitledStory(story.id, story.media, story.day, story.title)


class Sampler:
    """Looks at a sample. It writes nothing but when each source was last asked, so that a run afterwards is as polite."""

    def __init__(self, tools: Tools, topic: Topic, tell: Tell) -> None:
        self._tools = tools
        self._topic = topic
        self._query: Query = parse_query(topic.query)
        self._tell = tell
        self._repeats = _Repeats(topic.query)
        self._looked = 0
        self._seconds: list[float] = []

    async def sample(self, seeds: Iterable[SampledSeed], number: int) -> Sample:
        """Read the seeds, or some of them, and follow `number` of their links."""
        known: set[str] = set()
        chosen = await asyncio.to_thread(self._chosen, seeds, known)
        read = await self._read_seeds(chosen, number)
        total, members = len(known), await asyncio.to_thread(self._members, read)
        known |= {seed.story.id for seed in read if seed.story}
        links = [{link.key: link for link in seed.links if link.key not in known} for seed in members]
        often = Counter(key for of_seed in links for key in of_seed)
        addresses = {key: link for of_seed in links for key, link in of_seed.items()}
        self._looked = 0
        picked = drawn(self._topic.name, addresses.values(), number, lambda link: link.key)
        followed = await asyncio.gather(*(self._look(link.key, link.url, "link") for link in picked))
        new = {one.story.id: one for one in followed if one.story and one.story.id not in known}
        found = await asyncio.to_thread(self._members, list(new.values()))
        seen = known | addresses.keys()
        return Sample(
            seeds=total,
            read=len(read),
            fetched_seeds=sum(seed.fetched for seed in read),
            members=len(members),
            links=[len(of_seed) for of_seed in links],
            addresses=len(addresses),
            once=sum(times == 1 for times in often.values()),
            twice=sum(times == 2 for times in often.values()),
            followed=len(picked),
            fetched=sum(one.fetched for one in followed),
            failed=sum(one.failed for one in followed),
            found=[Found(len(one.links), sum(link.key in seen for link in one.links)) for one in found],
            busiest=_share_of_most(media_of(link.url) for link in addresses.values()),
            seconds=sum(self._seconds) / len(self._seconds) if self._seconds else 0.0,
        )

    def _chosen(self, seeds: Iterable[SampledSeed], known: set[str]) -> list[SampledSeed]:
        def noted() -> Iterable[SampledSeed]:
            for number, seed in enumerate(seeds, 1):
                known.add(seed.stories_id or seed.key)
                self._tell(f"{how_many(number, 'seed')} found")
                yield seed

        return drawn(self._topic.name, noted(), MOST_SEEDS, lambda seed: seed.key)

    async def _read_seeds(self, chosen: Sequence[SampledSeed], most_fetched: int) -> list[_Looked]:
        """The seeds that were drawn, in the order of the draw, until so many of them had to be fetched."""
        read: list[_Looked] = []
        while len(read) < len(chosen) and sum(seed.fetched for seed in read) < most_fetched:
            some = chosen[len(read) : len(read) + _AT_ONCE]
            read += await asyncio.gather(
                *(self._look(seed.stories_id or seed.key, seed.url, "seed", seed.assume_match) for seed in some)
            )
        return read

    async def _look(self, key: str, url: str, what: str, assume_match: bool = False) -> _Looked:
        """What is at an address: the links of its page if it is a story of the topic."""
        looked = _Looked(assume_match)
        if not await asyncio.to_thread(self._tools.erased, [key]):
            try:
                await self._read(looked, key, url)
            except Outcome:
                looked.failed = True
        self._looked += 1
        self._tell(f"{how_many(self._looked, what)} looked at")
        return looked

    async def _read(self, looked: _Looked, key: str, url: str) -> None:
        story = await asyncio.to_thread(self._known, key)
        page: ReceivedPage | None = None
        if story is None:
            looked.fetched = True
            page = await self._fetch(url)
            question = LinkedPage(page, self._topic.query, looked.assume_match)
            story = await self._tools.reader.read(READ_LINKED_PAGE, question)
            if story and (before := await asyncio.to_thread(self._known, url_key(page.url))):
                story = before  # the address led to a page that is known by another
        looked.story = story
        if story is None or not (looked.assume_match or await asyncio.to_thread(self._belongs, story)):
            return
        page = page or await asyncio.to_thread(self._stored, story)
        if page is None:
            looked.fetched = True
            page = await self._fetch(story.url)
        looked.links = await self._tools.reader.read(READ_LINKS, page)

    def _known(self, key: str) -> WebStory | None:
        """The story at an address, if it was collected or spidered before."""
        tools = self._tools
        known = web_stories.match_stories(tools.database, [key]).get(key)
        if known is not None:
            return web_stories.get_story(tools.database, known)
        [collected] = tools.index.get([key])
        return story_of_index(collected) if collected else None

    def _members(self, looked: Sequence[_Looked]) -> list[_Looked]:
        """Those that belong to the topic, as far as the sample tells which sentences a source repeats."""
        for one in looked:
            if one.story:
                self._repeats.note(one.story)
        return [one for one in looked if one.story and (one.assume_match or self._belongs(one.story))]

    def _belongs(self, story: WebStory) -> bool:
        if outside_dates(story.day, self._topic.start, self._topic.end):
            return False
        repeated = self._repeats.of(story)
        kept, left_out = leave_out_repeated(split_sentences(story.text), repeated.__contains__)
        about = story.description if fingerprint(story.description) not in repeated else ""
        parts = Parts(story.title, about, story.url, kept, left_out, story.language, story.media, story.day)
        return judge(self._query, parts).relevant

    def _stored(self, story: WebStory) -> ReceivedPage | None:
        stored = web_stories.get_page(self._tools.database, story.id)
        page = (stored.html, stored.charset) if stored else self._tools.archived(story.id)
        return ReceivedPage(page[0], story.url, page[1]) if page else None

    async def _fetch(self, url: str) -> ReceivedPage:
        """The page, as politely as a run asks for it. Raises the outcomes of `work`."""
        tools, pace = self._tools, self._topic.seconds_per_media_fetch
        await asyncio.sleep(
            await asyncio.to_thread(media.take_turn, tools.database, media_of(url), tools.clock(), pace)
        )
        for _ in range(_MOST_WAITS):
            started = time.perf_counter()
            try:
                fetched = await tools.fetcher.process(Story(rss_entry=RSSEntry(link=url)))
            except Requeue as busy:
                if busy.after > _LONGEST_WAIT:
                    raise
                await asyncio.sleep(busy.after)
                continue
            self._seconds.append(time.perf_counter() - started)
            http = fetched.http_metadata
            return ReceivedPage(fetched.raw_html.html or b"", http.final_url or url, http.encoding)
        raise Requeue("busy", _LONGEST_WAIT)


def _share_of_most(names: Iterable[str]) -> float:
    counts = Counter(names)
    return max(counts.values()) / counts.total() if counts else 0.0
