"""Whether a collection is what the newsroom expects: in the index, in the archive, in the ledger."""

from __future__ import annotations

from pathlib import Path

from tearsheet.app.services import Services
from tearsheet.archive import StoryArchiveReader
from tearsheet.demo import Newsroom
from tearsheet.query import parse_query
from tearsheet.settings import load_settings
from tearsheet.urls import normalize_url
from tearsheet.work.ledger_entry import DROPPED


def indexed_urls(services: Services) -> list[str]:
    found, token = [], None
    while True:
        page = services.index.search(parse_query("*"), limit=100, token=token, text=False)
        found += [normalize_url(story.url) for story in page.stories]
        token = page.next_token
        if token is None:
            return found


def archived_urls(folder: Path) -> list[str]:
    urls = []
    for path in sorted(folder.rglob("*.warc.gz")):
        with StoryArchiveReader(path) as reader:
            urls += [normalize_url(story.content_metadata.url or "") for story in reader]
    return urls


def check(data: Path, newsroom: Newsroom) -> None:
    """Every good article is indexed once and archived once; every bad one is dropped with its reason."""
    expected = newsroom.expectation()
    stories = sorted(story.normalized_url for story in expected.stories)
    with Services(load_settings(data, environ={})) as services:
        assert sorted(indexed_urls(services)) == stories
        assert sorted(archived_urls(data / "archive")) == stories
        dropped = {(c.stage, c.reason): c.stories for c in services.ledger.counts() if c.status == DROPPED}
        wanted = expected.totals.dropped
        assert {key: (dropped.get(key), wanted.get(key)) for key in dropped.keys() | wanted.keys()} == {
            key: (wanted[key], wanted[key]) for key in wanted
        }, sorted(dropped.items() ^ wanted.items())
        for story in services.index.search(parse_query("*"), limit=100).stories:
            assert services.archive.capture_of_story(story.story_id) is not None
