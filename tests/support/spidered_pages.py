"""Pages that the spider of a topic took, and the archiver that keeps them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from tearsheet.archive.store import ArchiveStore
from tearsheet.engines.database import Database
from tearsheet.pipeline.archiver import Archiver
from tearsheet.settings import TopicSettings
from tearsheet.story import Exchange, HTTPMetadata, RawHTML, RSSEntry, Story
from tearsheet.topics import store
from tearsheet.topics.model import NewTopic, Topic
from tearsheet.topics.spider.addresses import url_key
from tearsheet.topics.spider.keeping import note_fetched
from tearsheet.topics.spider.stores import web_stories
from tearsheet.topics.spider.tools import Tools
from tearsheet.topics.spider.web_story import WebStory
from tests.support.topic_rows import add_members, web_story

FETCHED = 1_700_000_000.25


def page_of(number: int) -> bytes:
    return f"<p>Page {number} of many.</p>".encode() * 20


def taken_story(number: int) -> WebStory:
    """The story of a page, known by its address."""
    story = web_story(number, f"Title {number}", text=f"Page {number} of many.")
    return replace(story, id=url_key(story.url))


def fetched(number: int, url: str) -> Story:
    """A page as the fetcher hands it over."""
    link = f"{url}?from=elsewhere"
    return Story(
        rss_entry=RSSEntry(link=link),
        raw_html=RawHTML(page_of(number)),
        http_metadata=HTTPMetadata(200, FETCHED + number, url, "utf-8"),
        exchanges=[Exchange(link, 302, timestamp=FETCHED), Exchange(url, 200, timestamp=FETCHED + number)],
    )


def take_pages(database: Database, name: str, numbers: range) -> Topic:
    """A topic that has taken these pages, each fetched just now unless another topic has it already."""
    topic = store.create_topic(database, NewTopic(name, "page"), 0.0)
    stories = [taken_story(number) for number in numbers]
    for number, story in zip(numbers, stories, strict=True):
        page = fetched(number, story.url)
        noted = note_fetched(page, lambda: FETCHED + 60)
        web_stories.save_story(database, story, page.raw_html.html, "utf-8", [], noted)
    add_members(database, topic, *stories)
    return topic


def keeping_tools(database: Database, folder: Path, max_stories: int = 5_000, profile: str = "mediacloud") -> Tools:
    """What archives pages; nothing else of a spider is there."""
    nothing = cast(Any, None)
    archiver = Archiver(
        ArchiveStore(database), folder, prefix="topics", profile=profile, max_stories=max_stories, only_news=False
    )
    return Tools(
        database, nothing, nothing, nothing, nothing, TopicSettings(), lambda _: None,
        archiver=archiver, pages_in_file=max_stories,
    )  # fmt: skip
