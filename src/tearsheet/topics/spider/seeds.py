"""Where a topic starts: the seeds from the index, and what follows for each seed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tearsheet.chunks import chunks
from tearsheet.engines.database import Database
from tearsheet.engines.index import Index
from tearsheet.feeds.catalogue import members_of
from tearsheet.index import all_stories
from tearsheet.topics.decisions import included_pages
from tearsheet.topics.model import INDEX, NewTopic, Seed, Topic, seed_question
from tearsheet.topics.spider import routing
from tearsheet.topics.spider.routing import Route
from tearsheet.topics.spider.stores import seeds, web_stories
from tearsheet.topics.spider.tools import Tools
from tearsheet.topics.spider.web_story import story_of_index

_AT_ONCE = 500


def index_seeds(database: Database, index: Index, topic: Topic | NewTopic) -> Iterator[Seed]:
    """The stories in the index that match the topic's query; its collections are taken as they are now."""
    question = seed_question(topic)
    asked = question.ask(partial(members_of, database))
    found = all_stories(index, asked.query, order=question.order)
    for batch in chunks(found, _AT_ONCE):
        # In order of their ids, so that two processes that seed at once cannot deadlock.
        known = sorted((story_of_index(story) for story in batch), key=lambda story: story.id)
        web_stories.save_stories(database, known)
        yield from (Seed(story.url, story.id, INDEX) for story in batch)


def route_new_seeds(tools: Tools, topic: Topic) -> None:
    """Route every new seed: its story waits to be added, or its address is to be fetched."""
    with tools.database.read() as connection:
        included = {page.key for page in included_pages(connection, topic.id)}
    while new := seeds.unprocessed_seeds(tools.database, topic.id, _AT_ONCE):
        matched = tools.match([seed.url_key for seed in new if not seed.stories_id])
        to_add: list[tuple[str, bool]] = []
        to_fetch: list[tuple[str, str, bool]] = []
        for seed in new:
            assumed = seed.assume_match or seed.url_key in included
            route = routing.after_seed(
                seed_has_stories_id=bool(seed.stories_id), seed_url_matches_existing_story=seed.url_key in matched
            )
            if route is Route.ADD_STORY:
                stories_id = str(seed.stories_id or matched[seed.url_key])
                tools.note_candidate(topic, stories_id, 0)
                to_add.append((stories_id, assumed))
            else:
                to_fetch.append((seed.url_key, seed.url, assumed))
        seeds.route_seeds(tools.database, topic.id, to_add, to_fetch, [seed.url_key for seed in new])
