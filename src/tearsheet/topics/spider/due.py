"""What is due for a topic: its jobs come from here alone, whether a run starts, goes on or was interrupted.

The tables say what is to be done; a message is only a nudge to do it now.
"""

from __future__ import annotations

from collections.abc import Mapping

from tearsheet.topics.model import Topic
from tearsheet.topics.spider import routing
from tearsheet.topics.spider.job import Job
from tearsheet.topics.spider.stores import candidates, fetches, jobs, shares
from tearsheet.topics.spider.stores.jobs import Wanted
from tearsheet.topics.spider.tools import Tools

_MOST = 10_000
"""Items that one look offers of each job; the next look offers the others."""
SPIDERING: Mapping[str, Wanted] = {
    routing.TOPIC_FETCH_LINK: fetches.pending_addresses,
    routing.TOPIC_ADD_STORY: candidates.stories_to_add,
    routing.TOPIC_MINE_STORY: candidates.stories_to_mine,
}
"""Which items each job is for, by the tables."""
COUNTING: Mapping[str, Wanted] = {routing.FACEBOOK_FETCH_STORY_STATS: shares.stories_without_shares}


def due_jobs(tools: Tools, topic: Topic) -> list[Job]:
    """The jobs for everything that is to be done, that no worker has in hand and that this run has not offered yet."""
    wanted = dict(SPIDERING)
    if tools.settings.facebook_token:
        wanted |= COUNTING
    return [
        Job(name, {"topic": topic.id, "run": topic.run, "item": item})
        for name, items in wanted.items()
        for item in jobs.offer(tools.database, topic.id, name, items, run=topic.run, now=tools.clock(), limit=_MOST)
    ]
