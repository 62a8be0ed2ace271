"""Where a topic starts: the seeds that the index holds, and what follows for each seed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tearsheet.feeds.catalogue import find_collection, places_of
from tearsheet.index import all_stories
from tearsheet.query import parse_query
from tearsheet.topics.model import Seed, Topic
from tearsheet.topics.spider import routing
from tearsheet.topics.spider.routing import Route
from tearsheet.topics.spider.stores import seeds, web_stories
from tearsheet.topics.spider.tools import Tools
from tearsheet.topics.spider.web_story import story_of_index

_CHUNK = 500


def index_seeds(tools: Tools, topic: Topic) -> Iterator[Seed]:
    """The stories of the index that the topic's query asks for."""
    domains, sources = _collected_sources(tools, topic)
    query = parse_query(topic.query).within(
        start=topic.start,
        end=topic.end,
        domains={*topic.domains, *domains} if topic.domains or topic.collections else None,
        sources=sources if topic.collections else None,
    )
    found = all_stories(tools.index, query, order="oldest")
    while some := list(islice(found, _CHUNK)):
        # In the order of their ids, so that two who seed at once cannot wait for one another's rows.
        known = sorted((story_of_index(story) for story in some), key=lambda story: story.id)
        web_stories.save_stories(tools.database, known)
        yield from (Seed(story.url, story.id, "index") for story in some)


def _collected_sources(tools: Tools, topic: Topic) -> tuple[set[str], set[int]]:
    """The sources of the topic's collections, as they are now: their domains and their ids."""
    ids = [find_collection(tools.database, name) for name in topic.collections]
    return places_of(tools.database, collection_ids=ids) if ids else (set(), set())


def route_new_seeds(tools: Tools, topic: Topic) -> None:
    """Route every seed that is new: its story waits to be added, or its address is to be fetched."""
    while new := seeds.unprocessed_seeds(tools.database, topic.id, _CHUNK):
        matched = tools.match([seed.url_key for seed in new if not seed.stories_id])
        to_add: list[tuple[str, bool]] = []
        to_fetch = []
        for seed in new:
            route = routing.after_seed(
                seed_has_stories_id=bool(seed.stories_id), seed_url_matches_existing_story=seed.url_key in matched
            )
            if route is Route.ADD_STORY:
                stories_id = str(seed.stories_id or matched[seed.url_key])
                tools.note_candidate(topic, stories_id, 0)
                to_add.append((stories_id, seed.assume_match))
            else:
                to_fetch.append(seed)
        seeds.route_seeds(tools.database, topic.id, to_add, to_fetch, [seed.url_key for seed in new])
