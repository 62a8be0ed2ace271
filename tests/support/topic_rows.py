"""Rows of topics for tests: stories of the web, and stories that are in a topic."""

from __future__ import annotations

from datetime import date

from tearsheet.engines.database import Database
from tearsheet.topics import model
from tearsheet.topics.model import Topic
from tearsheet.topics.spider.stores import candidates, seeds, web_stories
from tearsheet.topics.spider.web_story import WebStory


def web_story(number: int, title: str, media: str = "a.example", text: str = "Text.") -> WebStory:
    return WebStory(
        f"{number:064}", f"http://{media}/{number}", media, title, "page", date(2024, 1, 1), "meta", text=text
    )


def add_members(
    database: Database, topic: Topic, *stories: WebStory, why: str = "matched in title", spidered: bool = True
) -> None:
    """Save stories and take them into the topic."""
    for story in stories:
        web_stories.save_story(database, story, None, None, [])
    seeds.route_seeds(database, topic.id, [(story.id, False) for story in stories], [], [])
    for story in stories:
        candidates.decide(database, topic.id, story.id, state=model.IN, spidered=spidered, why=why)
