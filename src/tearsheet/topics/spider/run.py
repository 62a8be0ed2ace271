"""`topic_run` and `topic_snapshot`: the jobs that seed a topic, watch its spider, dedupe its stories and freeze the result.

`topic_run` does not sit and wait. It looks at `topic_stories.spidered` and `topic_links.fetched`, does what is to be done, and
goes back to its queue for the next look. So it survives a kill like every other job.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from tearsheet.engines.database import Database
from tearsheet.engines.index import Index
from tearsheet.feeds.catalogue import members_of
from tearsheet.index import Question, all_stories
from tearsheet.topics import model, store
from tearsheet.topics.model import Progress, Seed, Topic
from tearsheet.topics.snapshot import save_snapshot
from tearsheet.topics.spider import facebook, routing
from tearsheet.topics.spider import store as spider_store
from tearsheet.topics.spider.jobs import Job
from tearsheet.topics.spider.merge import merge_topic
from tearsheet.topics.spider.spider import Tools, Values, fetch_job, from_index

_SEED_CHUNK = 500
_LEAST_ERRORS = 10
"""Errors that are forgiven however small the topic is."""


def start_run(tools: Tools, topic: Topic, *, again: bool = True) -> tuple[str, list[Job]]:
    """Begin a run, or go on with one that was interrupted: its name, and the job that drives it.

    The same run may be driven by two messages after an interruption; the older one ends when it sees another name.
    """
    if topic.state in model.AT_WORK and not again:
        return topic.run, []
    name = uuid.uuid4().hex[:12]
    state = topic.state if topic.state in model.AT_WORK else model.RUNNING
    store.set_state(tools.database, topic.id, state, "", run=name)
    return name, [Job(routing.TOPIC_RUN, {"topic": topic.id, "run": name, "fresh": True})]


def index_seeds(database: Database, index: Index, topic: Topic) -> Iterator[Seed]:
    """The stories of the index that the topic's query asks for; its collections are taken as they are now."""
    question = Question(
        topic.query,
        topic.start,
        topic.end,
        sources=topic.domains,
        collections=topic.collections,
        either=True,
        order="oldest",
    )
    asked = question.ask(partial(members_of, database))
    found = all_stories(index, asked.query, order=question.order)
    while some := list(islice(found, _SEED_CHUNK)):
        # In the order of their ids, so that two who seed at once cannot wait for one another's rows.
        known = sorted((from_index(story) for story in some), key=lambda story: story.id)
        spider_store.save_stories(database, known)
        yield from (Seed(story.url, story.id, "index") for story in some)


class TopicRun:
    """`topic_run`: one look at a topic, and what follows from it."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def handle(self, values: Values, *, redelivered: bool) -> Sequence[Job]:
        """Do the next step."""
        return await asyncio.to_thread(self._step, values, redelivered)

    async def give_up(self, values: Values, reason: str, *, defect: bool) -> Sequence[Job]:
        """The topic fails, with its reason."""
        message = f"the run failed: {reason}"
        await asyncio.to_thread(
            store.set_state, self._tools.database, int(values["topic"]), model.FAILED, message[:500]
        )
        return ()

    def _step(self, values: Values, redelivered: bool) -> Sequence[Job]:
        topic = self._tools.topic_at_work(int(values["topic"]))
        if topic is None or topic.run != values["run"]:
            return ()
        if topic.state == model.DEDUPED:
            return self._wait_for_shares(topic, values, redelivered or bool(values.get("fresh")))
        if topic.state == model.SNAPSHOT:
            return (Job(routing.TOPIC_SNAPSHOT, {"topic": topic.id, "run": topic.run}),)
        fresh = redelivered or bool(values.get("fresh"))
        jobs = self._seed(topic)
        spider_store.resolve_links(self._tools.database, topic.id)
        released, full = spider_store.release(self._tools.database, topic.id, topic.max_stories)
        jobs += [Job(routing.TOPIC_ADD_STORY, {"topic": topic.id, "story": id}) for id in released]
        if fresh:
            jobs += self._all_unfinished(topic, set(released))
        if full:
            message = f"stopped at {topic.max_stories:,} stories, the topic's size budget"
            spider_store.stop_spidering(self._tools.database, topic.id, "the size budget was used up")
            store.set_state(self._tools.database, topic.id, message=message)
            topic = replace(topic, message=message)
        return self._go_on(topic, store.progress_of(self._tools.database, topic), jobs, values)

    def _seed(self, topic: Topic) -> list[Job]:
        """Route the seeds that are new: the seed's pseudo-code."""
        tools, jobs = self._tools, []
        while seeds := spider_store.unprocessed_seeds(tools.database, topic.id, _SEED_CHUNK):
            matched = tools.match([seed.url_key for seed in seeds if not seed.stories_id])
            to_add: list[tuple[str, bool]] = []
            to_fetch = []
            for seed in seeds:
                stories_id = str(seed.stories_id or matched.get(seed.url_key, ""))
                route = routing.after_seed(
                    seed_has_stories_id=bool(seed.stories_id), seed_url_matches_existing_story=seed.url_key in matched
                )
                if route == routing.TOPIC_ADD_STORY:
                    tools.note_candidate(topic, stories_id, 0)
                    to_add.append((stories_id, seed.assume_match))
                else:
                    to_fetch.append(seed)
            keys = [seed.url_key for seed in seeds]
            spider_store.route_seeds(tools.database, topic.id, to_add, to_fetch, keys)
            jobs += [fetch_job(topic.id, seed.url_key) for seed in to_fetch]
        return jobs

    def _all_unfinished(self, topic: Topic, released: set[str]) -> list[Job]:
        """Jobs for all that is unfinished: after an interruption nobody knows which of them are still in a queue."""
        to_fetch, to_add, to_mine = spider_store.unfinished(self._tools.database, topic.id)
        jobs = [fetch_job(topic.id, key) for key, _ in to_fetch]
        jobs += [Job(routing.TOPIC_ADD_STORY, {"topic": topic.id, "story": id}) for id in to_add if id not in released]
        return jobs + [Job(routing.TOPIC_MINE_STORY, {"topic": topic.id, "story": id}) for id in to_mine]

    def _go_on(self, topic: Topic, progress: Progress, jobs: list[Job], values: Values) -> Sequence[Job]:
        tools, now = self._tools, self._tools.clock()
        allowed = max(_LEAST_ERRORS, tools.settings.max_error_share * (progress.links + progress.stories + 1))
        if progress.errors > allowed:
            return self._fail(topic, f"{progress.errors:,} errors of our own are more than the {allowed:,.0f} allowed")
        if progress.done and not jobs:
            merges = merge_topic(tools.database, topic.id)
            said = f"{topic.message}; " if topic.message else ""
            said += f"{merges.moved:,} stories moved to another source, {merges.merged:,} merged"
            store.set_state(tools.database, topic.id, model.DEDUPED, said)
            return (Job(routing.TOPIC_RUN, _payload(topic, now) | {"fresh": True}),)
        seen = repr(progress)
        since = now if seen != values.get("seen") else float(values.get("since", now))
        if now - since > tools.settings.stuck_seconds:
            waited = f"no progress for {now - since:,.0f} s, waiting for {progress.describe_waiting()}"
            return self._fail(topic, waited)
        again = Job(routing.TOPIC_RUN, _payload(topic, since, seen), tools.settings.poll_seconds)
        return (*jobs, again)

    def _wait_for_shares(self, topic: Topic, values: Values, fresh: bool) -> Sequence[Job]:
        """Wait for the counts that are missing. They are asked for once more here: by an interruption a job may be lost."""
        tools, now = self._tools, self._tools.clock()
        since = float(values.get("since", now))
        without = facebook.stories_without_shares(tools.database, topic.id) if tools.settings.facebook_token else []
        missing = len(without)
        if missing and now - since <= tools.settings.facebook_wait_seconds:
            name = routing.FACEBOOK_FETCH_STORY_STATS
            jobs = [Job(name, {"topic": topic.id, "story": id}) for id in without] if fresh else []
            return (*jobs, Job(routing.TOPIC_RUN, _payload(topic, since), tools.settings.poll_seconds))
        if not tools.settings.facebook_token:
            said = "share counts skipped: topics.facebook_token is not set"
        else:
            said = f"share counts missing for {missing:,} stories" if missing else "share counts complete"
        store.set_state(tools.database, topic.id, model.SNAPSHOT, f"{topic.message}; {said}")
        return (Job(routing.TOPIC_SNAPSHOT, {"topic": topic.id, "run": topic.run}),)

    def _fail(self, topic: Topic, message: str) -> Sequence[Job]:
        store.set_state(self._tools.database, topic.id, model.FAILED, message)
        return ()


def _payload(topic: Topic, since: float, seen: str = "") -> dict[str, Any]:
    return {"topic": topic.id, "run": topic.run, "since": since, "seen": seen}


class TopicSnapshot:
    """`topic_snapshot`: freezes the topic's stories and links. All figures are computed from what was frozen."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def handle(self, values: Values, *, redelivered: bool) -> Sequence[Job]:
        """Freeze, once for each run."""
        return await asyncio.to_thread(self._freeze, int(values["topic"]), str(values["run"]))

    def _freeze(self, topic_id: int, run: str) -> Sequence[Job]:
        topic = store.find_topic(self._tools.database, topic_id)
        if topic.run == run and topic.state == model.SNAPSHOT:
            save_snapshot(self._tools.database, topic, run)
        return ()

    async def give_up(self, values: Values, reason: str, *, defect: bool) -> Sequence[Job]:
        """The topic fails, with its reason."""
        message = f"the snapshot failed: {reason}"[:500]
        await asyncio.to_thread(store.set_state, self._tools.database, int(values["topic"]), model.FAILED, message)
        return ()
