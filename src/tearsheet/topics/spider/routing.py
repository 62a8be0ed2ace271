"""Where a seed, a link or a story goes next: the rules of the topic pipeline as pure functions, which the jobs follow.

What a function returns is written to the tables, and the jobs follow from the tables (see `due`): a pending address is fetched, a
waiting story is added once all pages of its iteration have arrived, and a story of the topic that is not yet spidered is mined.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from tearsheet.topics import model

TOPIC_RUN = "topic_run"
TOPIC_MINE_STORY = model.MINE_STORY
TOPIC_FETCH_LINK = model.FETCH_LINK
TOPIC_ADD_STORY = "topic_add_story"
FACEBOOK_FETCH_STORY_STATS = "facebook_fetch_story_stats"
TOPIC_SNAPSHOT = "topic_snapshot"


class Route(Enum):
    """What follows for an address."""

    FETCH_LINK = TOPIC_FETCH_LINK
    """Its page is unknown, so it is fetched."""
    ADD_STORY = TOPIC_ADD_STORY
    """Its story is known and waits to be added."""
    END = ""
    """Its story is known and has already been routed."""


class AfterAdd(NamedTuple):
    """The columns of a story that was judged. `spidered` says that its links are not, or no longer, to be mined."""

    state: str
    spidered: bool


def after_seed(*, seed_has_stories_id: bool, seed_url_matches_existing_story: bool) -> Route:
    """A seed that has a story, or whose address belongs to a known one, is added; any other is fetched."""
    if seed_has_stories_id or seed_url_matches_existing_story:
        return Route.ADD_STORY
    return Route.FETCH_LINK


def after_mine(*, link_matches_existing_story: bool, story_in_topic: bool) -> Route:
    """A link to an unknown page is fetched; one to a story that the topic has routed ends here; one to another story adds it."""
    if not link_matches_existing_story:
        return Route.FETCH_LINK
    return Route.END if story_in_topic else Route.ADD_STORY


def after_fetch(*, content_matches: bool, matches_existing_story: bool) -> str:
    """The state of an address whose page has arrived. A page that may be relevant becomes a story, which waits to be added."""
    if not content_matches:
        return model.NO_MATCH
    return model.STORY_MATCH if matches_existing_story else model.STORY_ADDED


def after_add(*, story_is_relevant: bool, iteration: int, max_iterations: int) -> AfterAdd:
    """A relevant story is in the topic and, below the iteration limit, has its links mined; any other is left out.

    Its share counts are asked for because it is in the topic and has none (see `due`).
    """
    if not story_is_relevant:
        return AfterAdd(model.OUT, spidered=True)
    return AfterAdd(model.IN, spidered=iteration >= max_iterations)
