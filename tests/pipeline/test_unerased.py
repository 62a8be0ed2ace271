"""Erased stories end before a stage, or after it when only then their address is known; the ledger learns no address."""

from __future__ import annotations

import asyncio

import pytest

from tearsheet.archive import ArchiveStore, Erased, index_id_of
from tearsheet.pipeline.archiver import Archiver
from tearsheet.pipeline.unerased import Unerased, UnerasedBatch, UnerasedKeeping, forget
from tearsheet.story import Story
from tearsheet.work import Drop
from tearsheet.work.ledger_entry import entry_for
from tests.support.archive_stories import plain_story


@pytest.fixture
def erased(database):
    erased = Erased(database)
    erased.start("asked for", {index_id_of("https://news.example/2"): "https://news.example/2"})
    return erased


class Batch:
    def __init__(self) -> None:
        self.seen: list[str] = []

    def process_batch(self, stories):
        self.seen += [story.id for story in stories]
        return stories


def test_a_batch_goes_on_without_its_erased_stories(erased):
    stage, stories = Batch(), [plain_story(number) for number in (1, 2, 3)]
    results = UnerasedBatch(stage, erased).process_batch(stories)
    assert stage.seen == [stories[0].id, stories[2].id]
    assert [isinstance(one, Drop) and one.reason for one in results] == [False, "erased", False]
    assert results[2] is stories[2]
    assert UnerasedBatch(stage, erased).process_batch([]) == []


def test_an_archiver_is_given_no_erased_story_and_still_closes_its_files(erased, database, tmp_path):
    store = ArchiveStore(database)
    archiver = UnerasedKeeping(Archiver(store, tmp_path / "archive"), erased)
    results = archiver.process_batch([plain_story(number) for number in (1, 2, 3)])
    assert [isinstance(one, Drop) for one in results] == [False, True, False]
    assert len(archiver.finish(everything=True)) == 1
    assert [file.stories for file in store.files()] == [2]


class Fetching:
    """Finds out where a link leads."""

    calls = 0

    async def process(self, story):
        self.calls += 1
        story.http_metadata.final_url = story.rss_entry.link.replace("t.example", "news.example")
        return story


def linked(number: int):
    story = plain_story(number)
    story.http_metadata.final_url = story.content_metadata.url = None
    return story


def test_an_erased_story_is_not_asked_for_and_one_that_turns_out_to_be_is_not_kept(erased):
    stage = Fetching()
    result = asyncio.run(Unerased(stage, erased).process(linked(1)))
    assert isinstance(result, Story) and result.http_metadata.final_url == "https://news.example/1"
    with pytest.raises(Drop, match="erased"):
        asyncio.run(Unerased(stage, erased).process(linked(2)))
    assert stage.calls == 2
    with pytest.raises(Drop, match="erased"):
        asyncio.run(Unerased(stage, erased).process(plain_story(2)))
    assert stage.calls == 2


def test_what_the_ledger_notes_names_no_address():
    story = plain_story(2)
    story.rss_entry.source_source_id = 7
    forget(story)
    entry = entry_for(story, "fetcher")
    assert (entry.url, entry.domain, entry.source_id) == ("", "news.example", 7)
    assert entry.story_id == plain_story(2).id and "Title 2" not in str(story)
