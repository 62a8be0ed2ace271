"""Stages with known behaviour, for tests of the toolkit around them."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from tearsheet.story import Story
from tearsheet.work.outcomes import Drop, Quarantine, Requeue, Result, Retry


class Obedient:
    """A CPU stage that does what the story's title says."""

    def process(self, story: Story) -> Story | Sequence[Story]:
        order = story.rss_entry.title or ""
        if order == "hang":
            time.sleep(3600)
        if order == "crash":
            os._exit(3)
        if order == "print":
            print("noise that must not reach the frames")
        if order == "defect":
            raise ZeroDivisionError("a defect")
        if order == "drop":
            raise Drop("unwanted", "says the title")
        if order == "quarantine":
            raise Quarantine("odd")
        if order == "memory":
            _ = bytearray(1 << 40)
        story.content_metadata.article_title = order.upper()
        return story


class Flaky:
    """An asynchronous stage that fails as often as the title says, then goes on."""

    def __init__(self) -> None:
        self.seen: dict[str, int] = {}

    async def process(self, story: Story) -> Story | Sequence[Story]:
        kind, _, times = (story.rss_entry.title or "").partition(" ")
        self.seen[story.id] = self.seen.get(story.id, 0) + 1
        if self.seen[story.id] <= int(times or 0):
            raise Requeue("busy", after=0) if kind == "busy" else Retry("flaky")
        return story


class Collector:
    """A batch stage that remembers its batches and chokes on a poisoned story."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def process_batch(self, stories: Sequence[Story]) -> Sequence[Result]:
        titles = [story.rss_entry.title or "" for story in stories]
        if "poison" in titles:
            raise ZeroDivisionError("poisoned batch")
        self.batches.append(titles)
        return [Drop("unwanted") if title == "drop" else story for title, story in zip(titles, stories, strict=True)]
