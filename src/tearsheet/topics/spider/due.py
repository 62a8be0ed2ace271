"""What is due for a topic. All of its jobs come from here, whether a run starts, continues or was interrupted.

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
"""How many items of each job are offered at a time; the rest are offered at the next check."""
SPIDERING: Mapping[str, Wanted] = {
    routing.TOPIC_FETCH_LINK: fetches.pending_addresses,
    routing.TOPIC_ADD_STORY: candidates.stories_to_add,
    routing.TOPIC_MINE_STORY: candidates.stories_to_mine,
}
"""The query that finds the items of each job."""
COUNTING: Mapping[str, Wanted] = {routing.FACEBOOK_FETCH_STORY_STATS: shares.stories_without_shares}


def due_jobs(tools: Tools, topic: Topic) -> list[Job]:
    """The jobs for everything to be done that no worker holds and that this run has not offered yet."""
    wanted = dict(SPIDERING)
    if tools.settings.facebook_token:
        wanted |= COUNTING
    return [
        Job(name, {"topic": topic.id, "run": topic.run, "item": item})
        for name, items in wanted.items()
        for item in jobs.offer(tools.database, topic.id, name, items, run=topic.run, now=tools.clock(), limit=_MOST)
    ]
