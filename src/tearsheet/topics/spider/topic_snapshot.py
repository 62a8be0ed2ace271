"""`topic_snapshot`: freezes the topic's stories and links. All figures are computed from what was frozen."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from tearsheet.topics import model, store
from tearsheet.topics.snapshot import save_snapshot
from tearsheet.topics.spider.job import Job
from tearsheet.topics.spider.tools import Tools


class TopicSnapshot:
    """Takes the snapshot at the end of a run."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def handle(self, values: Mapping[str, Any], *, redelivered: bool) -> Sequence[Job]:
        """Freeze the topic, once per run."""
        await asyncio.to_thread(self._freeze, int(values["topic"]), str(values["run"]))
        return ()

    def _freeze(self, topic_id: int, run: str) -> None:
        topic = self._tools.topic_at_work(topic_id)
        if topic is not None and topic.run == run and topic.state == model.SNAPSHOT:
            save_snapshot(self._tools.database, topic, run, max_self_linked=self._tools.settings.max_self_linked)

    async def give_up(self, values: Mapping[str, Any], reason: str) -> None:
        """Mark the topic as failed, with the reason."""
        message = f"the snapshot failed: {reason}"[:500]
        await asyncio.to_thread(store.set_state, self._tools.database, int(values["topic"]), model.FAILED, message)
