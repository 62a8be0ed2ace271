"""Where a seed, a link or a story goes next: the pseudo-code of the topic pipeline as pure functions, which the jobs follow.

What a function answers is written into the tables, and from the tables follow the jobs (see `due`): an address that is pending is
fetched, a story that waits is added once all pages of its iteration are there, a story of the topic that is not spidered is mined.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from tearsheet.topics import model

TOPIC_RUN = "topic_run"
TOPIC_MINE_STORY = "topic_mine_story"
TOPIC_FETCH_LINK = "topic_fetch_link"
TOPIC_ADD_STORY = "topic_add_story"
FACEBOOK_FETCH_STORY_STATS = "facebook_fetch_story_stats"
TOPIC_SNAPSHOT = "topic_snapshot"


class Route(Enum):
    """What follows for an address."""

    FETCH_LINK = TOPIC_FETCH_LINK
    """Nobody knows its page: it is fetched."""
    ADD_STORY = TOPIC_ADD_STORY
    """Its story is known: that waits to be added."""
    END = ""
    """Its story is known and was routed before."""


class AfterAdd(NamedTuple):
    """The columns of a story that was judged. `spidered` says that its links are not to be mined (any more)."""

    state: str
    spidered: bool


def after_seed(*, seed_has_stories_id: bool, seed_url_matches_existing_story: bool) -> Route:
    """A seed with a story, or whose address is a known story's, is added; any other is fetched."""
    if seed_has_stories_id or seed_url_matches_existing_story:
        return Route.ADD_STORY
    return Route.FETCH_LINK


def after_mine(*, link_matches_existing_story: bool, story_in_topic: bool) -> Route:
    """A link to an unknown page is fetched, one to a story that the topic has routed ends here, one to another story adds it."""
    if not link_matches_existing_story:
        return Route.FETCH_LINK
    return Route.END if story_in_topic else Route.ADD_STORY


def after_fetch(*, content_matches: bool, matches_existing_story: bool) -> str:
    """The state of an address whose page is there. A page that may be relevant is a story, which waits to be added."""
    if not content_matches:
        return model.NO_MATCH
    return model.STORY_MATCH if matches_existing_story else model.STORY_ADDED


def after_add(*, story_is_relevant: bool, iteration: int, max_iterations: int) -> AfterAdd:
    """A relevant story is in the topic and, below the limit of iterations, has its links mined; any other is left out.

    That its share counts are asked for follows from its being in the topic without any.
    """
    if not story_is_relevant:
        return AfterAdd(model.OUT, spidered=True)
    return AfterAdd(model.IN, spidered=iteration >= max_iterations)
