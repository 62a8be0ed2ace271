"""One job of a topic at a time, and stories to give it."""

import asyncio
from datetime import date

from tearsheet.topics.spider.generate import WebStory


def step(handler, job, redelivered=False):
    return list(asyncio.run(handler.handle(job.values, redelivered=redelivered)))


def web_story(number: int, title: str, media: str = "a.example", text: str = "Text.") -> WebStory:
    return WebStory(
        f"{number:064}", f"http://{media}/{number}", media, title, "page", date(2024, 1, 1), "meta", text=text
    )
