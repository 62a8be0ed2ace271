"""`topic_run`: the job that routes a topic's seeds, watches its spider, dedupes its stories and has the result frozen.

`topic_run` does not sit and wait. It checks the tables, does what is to be done, sends out the jobs that are due, and goes back to
its queue until the next check. So it survives a kill like every other job.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tearsheet.counts import how_many
from tearsheet.topics import model, store
from tearsheet.topics.model import Progress, Topic
from tearsheet.topics.spider import routing
from tearsheet.topics.spider.budget import said_of_budget
from tearsheet.topics.spider.due import due_jobs
from tearsheet.topics.spider.giving_up import why_given_up
from tearsheet.topics.spider.job import Job
from tearsheet.topics.spider.keeping import archive_pages
from tearsheet.topics.spider.merge import merge_topic
from tearsheet.topics.spider.seeds import route_new_seeds
from tearsheet.topics.spider.stores import anew, candidates, jobs, links, shares
from tearsheet.topics.spider.tools import Tools

Values = Mapping[str, Any]
_LOST_SECONDS = 60.0
"""Time without progress after which items are offered again: their messages may have been lost."""


def start_run(tools: Tools, topic: Topic) -> Job:
    """Start a run or resume an interrupted one; returns the job that drives it. An earlier driver stops at its next check."""
    state = topic.state if topic.state in model.AT_WORK else model.RUNNING
    if state != topic.state:
        shares.forget_failures(tools.database, topic.id)
    store.set_state(tools.database, topic.id, state, "")
    return _next_check(_rename_run(tools, topic), {})


def _rename_run(tools: Tools, topic: Topic) -> Topic:
    """Give the topic's run a new name: messages with the old one are void, and everything due is offered again."""
    renamed = replace(topic, run=uuid.uuid4().hex[:12])
    store.set_state(tools.database, topic.id, run=renamed.run)
    jobs.void_turns(tools.database, topic.id, tools.clock())
    return renamed


def _next_check(topic: Topic, seen: Values, delay: float = 0.0) -> Job:
    return Job(routing.TOPIC_RUN, {**seen, "topic": topic.id, "run": topic.run}, delay)


class TopicRun:
    """Checks a topic, and does what follows from it."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._check_seconds = deque((0.0,), maxlen=2)
        """What the last two checks took. The quicker one counts: the first of a process loads code, and a busy machine delays."""

    async def handle(self, values: Values, *, redelivered: bool) -> Sequence[Job]:
        """Do the next step."""
        started = time.perf_counter()
        following = await asyncio.to_thread(self._step, values, redelivered)
        self._check_seconds.append(time.perf_counter() - started)
        return following

    async def give_up(self, values: Values, reason: str) -> None:
        """Mark the topic as failed, with the reason."""
        await asyncio.to_thread(self._fail, int(values["topic"]), f"the run failed: {reason}"[:500])

    def _step(self, values: Values, redelivered: bool) -> Sequence[Job]:
        topic = self._tools.topic_at_work(int(values["topic"]))
        if topic is None or topic.run != values["run"]:
            return ()
        if redelivered:  # the last check was cut off, so what it offered may never have been sent
            topic = _rename_run(self._tools, topic)
        if topic.state == model.RUNNING:
            return self._begin_anew(topic, values) if topic.corrected else self._spider(topic, values)
        if topic.state == model.DEDUPED:
            return self._wait_for_shares(topic, values)
        return (_snapshot(topic),)

    def _begin_anew(self, topic: Topic, values: Values) -> Sequence[Job]:
        """Work out the result of a topic that was corrected from its seeds on, once nobody is at work on the earlier one."""
        tools = self._tools
        topic = _rename_run(tools, topic)
        if jobs.is_any_held(tools.database, topic.id, tools.clock()):
            return (_next_check(topic, values, tools.settings.poll_seconds),)
        anew.begin_anew(tools.database, topic.id)
        return (_next_check(topic, {}),)

    def _spider(self, topic: Topic, values: Values) -> Sequence[Job]:
        database = self._tools.database
        route_new_seeds(self._tools, topic)
        links.resolve_links(database, topic.id)
        candidates.release(database, topic.id, topic.max_stories, self._tools.settings.max_self_linked)
        progress = store.progress_of(database, topic)
        settings, now = self._tools.settings, self._tools.clock()
        idle = now - _since(values, repr(progress), now)
        reason = why_given_up(
            progress, idle, max_error_share=settings.max_error_share, stuck_seconds=settings.stuck_seconds
        )
        if reason:
            self._fail(topic.id, reason)
            return ()
        # What was put off is tried again once everything else is done, unless it must wait for longer still. That is asked once:
        # while some are tried, the turn of others comes near, and the topic would wait for one after the other.
        if not progress.done:
            archive_pages(self._tools, topic.id, everything=False)
            return self._go_on(topic, values, repr(progress))
        if "found_late" not in values and jobs.take_up_again(database, topic.id, now + settings.wait_seconds):
            return self._go_on(topic, {**values, "found_late": _found(progress)}, repr(progress))
        if values.get("found_late", _found(progress)) != _found(progress):
            # What arrived late may be nearer to the seeds than what was found without it, and lead to what has been found since.
            return self._begin_anew(topic, {})
        if left := archive_pages(self._tools, topic.id, everything=True):
            return self._go_on(topic, values, f"to archive: {left}")
        return self._dedupe(topic, progress)

    def _dedupe(self, topic: Topic, progress: Progress) -> Sequence[Job]:
        anew.forget_unreached(self._tools.database, topic.id)
        merges = merge_topic(self._tools.database, topic.id)
        said = _told(
            progress.over_budget and said_of_budget(topic.max_stories, progress.over_budget),
            merges.moved and f"{how_many(merges.moved, 'story')} of sources that were merged into others",
            merges.merged and f"{how_many(merges.merged, 'story')} merged into others",
            progress.over_cap
            and f"{how_many(progress.over_cap, 'page')} left out of sources that link to themselves without end",
            (waits := progress.describe_put_off(self._tools.clock())) and f"{waits} (by `tearsheet topic run`)",
        )
        store.set_state(self._tools.database, topic.id, model.DEDUPED, said, only_from=model.AT_WORK)
        return (_next_check(topic, {}),)

    def _wait_for_shares(self, topic: Topic, values: Values) -> Sequence[Job]:
        """Wait for the missing counts, but not for ever."""
        tools, now = self._tools, self._tools.clock()
        waiting_since = float(values.get("waiting_since", now))
        asked = bool(tools.settings.facebook_token)
        missing = shares.count_without_shares(tools.database, topic.id) if asked else 0
        if missing and now - waiting_since <= tools.settings.facebook_wait_seconds:
            return self._go_on(topic, {**values, "waiting_since": waiting_since}, f"{missing} without share counts")
        if tools.make_searchable is not None and not tools.make_searchable(topic):
            return self._go_on(topic, values, "not searchable yet")
        said = _told(topic.message, asked and self._said_of_shares(topic, missing))
        jobs.forget(tools.database, topic.id)
        store.set_state(tools.database, topic.id, model.SNAPSHOT, said, only_from=model.AT_WORK)
        return (_snapshot(topic),)

    def _said_of_shares(self, topic: Topic, missing: int) -> str:
        failed, reason = shares.failures(self._tools.database, topic.id)
        if not missing + failed:
            return "share counts complete"
        why = f" ({reason})" if reason else ""
        return f"share counts missing for {how_many(missing + failed, 'story')}{why}"

    def _go_on(self, topic: Topic, values: Values, seen: str) -> Sequence[Job]:
        """Send out what is due, and check again later. After a long time without progress, everything is offered again."""
        now = self._tools.clock()
        since = _since(values, seen, now)
        offered = float(values.get("offered", now))
        if now - max(since, offered) > _LOST_SECONDS:
            topic, offered = _rename_run(self._tools, topic), now
        noted = {**values, "since": since, "seen": seen, "offered": offered}
        pause = pause_until_check(self._tools.settings.poll_seconds, min(self._check_seconds), moved=since == now)
        return (*due_jobs(self._tools, topic), _next_check(topic, noted, pause))

    def _fail(self, topic_id: int, message: str) -> None:
        store.set_state(self._tools.database, topic_id, model.FAILED, message)


def _told(*news: object) -> str:
    """What there is to tell of a run: what did not happen is no news."""
    return "; ".join(str(one) for one in news if one)


def pause_until_check(poll_seconds: float, check_seconds: float, *, moved: bool) -> float:
    """How long to wait before the next check: less than `poll_seconds` after progress, which may have made more jobs due.

    But long enough that checking, which takes time for a large topic, never takes more than a tenth of the time.
    """
    return max(poll_seconds / 4 if moved else poll_seconds, 9 * check_seconds)


def _snapshot(topic: Topic) -> Job:
    return Job(routing.TOPIC_SNAPSHOT, {"topic": topic.id, "run": topic.run})


def _found(progress: Progress) -> list[int]:
    """What a run has found so far, as the values of a job tell it."""
    return [progress.stories, progress.not_relevant, progress.links]


def _since(values: Values, seen: str, now: float) -> float:
    """When the state of the run last changed."""
    return float(values.get("since", now)) if seen == values.get("seen") else now
