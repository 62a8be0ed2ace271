"""What a topic takes is archived once, whoever takes it and whenever it is killed, and stays in the database until then."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from tearsheet.archive.captures import Captures
from tearsheet.archive.profiles import PROFILES
from tearsheet.archive.reader import StoryArchiveReader
from tearsheet.archive.store import ArchiveStore
from tearsheet.archive.verify import verify_file
from tearsheet.engines.database import open_database
from tearsheet.index import NotIndexable, indexed_story
from tearsheet.topics import tables
from tearsheet.topics.erasing import erase_from_topics
from tearsheet.topics.model import OUT
from tearsheet.topics.spider.keeping import archive_pages, note_fetched, spidered_id, story_to_archive
from tearsheet.topics.spider.stores.unarchived import UnarchivedPage, count_unarchived
from tearsheet.topics.spider.stores.web_stories import StoredPage, get_page
from tearsheet.topics.texts import texts_by_id
from tearsheet.work import Drop
from tests.support.keep_pages_until_killed import PLACES
from tests.support.paths import ROOT
from tests.support.spidered_pages import FETCHED, fetched, keeping_tools, page_of, take_pages, taken_story

PAGES = range(12)


@pytest.fixture
def database(tmp_path):
    database = open_database("t.db", tmp_path)
    database.migrate()
    yield database
    database.close()


def check_archived(database, folder, numbers):
    """Each page is in exactly one file, as it was fetched, is found there and nowhere else, and nothing is left over."""
    store = ArchiveStore(database)
    captures = Captures(store, folder)
    times: Counter[str] = Counter()
    for path in folder.rglob("*.warc.gz"):
        with StoryArchiveReader(path) as reader:
            times.update(archived.story.id for archived in reader.archived())
    assert times == {spidered_id(taken_story(number).id): 1 for number in numbers}
    for number in numbers:
        story = taken_story(number)
        capture = captures.find(story.id)
        archived = captures.read(capture).story
        assert (archived.raw_html.html, archived.url, archived.spidered) == (page_of(number), story.url, True)
        assert capture.sha256 == hashlib.sha256(page_of(number)).hexdigest()
        assert capture.time == datetime.fromtimestamp(FETCHED + number, UTC)
        assert archived.content_metadata.text_content == f"Page {number} of many."
        assert get_page(database, story.id) is None
    for file in store.files():
        verdict = verify_file(file.local_path(folder), file, store.captures_of_file(file.id))
        assert (verdict.problems, file.name[:7]) == ([], "topics-")
    assert not list(folder.rglob("*.tmp"))
    with database.read() as connection:
        assert connection.execute(select(tables.unarchived_pages)).all() == []


def test_a_page_goes_into_the_archive_as_it_was_fetched_with_the_story_that_was_made_of_it():
    story = taken_story(7)
    page = fetched(7, story.url)
    made = story_to_archive(UnarchivedPage(story, page_of(7), note_fetched(page, lambda: FETCHED + 60)))
    assert (made.id, made.spidered, made.raw_html.html) == (spidered_id(story.id), True, page_of(7))
    assert (made.http_metadata, made.exchanges) == (page.http_metadata, page.exchanges)
    content = made.content_metadata
    assert (content.original_url, content.url, content.canonical_domain) == (
        page.rss_entry.link,
        story.url,
        "a.example",
    )
    assert (content.article_title, content.text_content) == ("Title 7", "Page 7 of many.")
    assert (content.publication_date, content.publication_date_source) == ("2024-01-01", "meta")
    assert content.parsed_date == "2023-11-14T22:14:20.250000"
    with pytest.raises(NotIndexable, match="spidered"):
        indexed_story(made, datetime.now(UTC))


@pytest.mark.parametrize("profile", PROFILES)
def test_a_page_leaves_the_database_when_its_file_is_safe(database, tmp_path, profile):
    topic = take_pages(database, "T", PAGES)
    tools = keeping_tools(database, tmp_path / "archive", max_stories=5, profile=profile)
    assert archive_pages(tools, topic.id, everything=True) == 0
    check_archived(database, tmp_path / "archive", PAGES)
    assert [file.stories for file in ArchiveStore(database).files()] == [5, 5, 2]
    assert archive_pages(tools, topic.id, everything=True) == 0
    assert len(list(ArchiveStore(database).files())) == 3
    assert texts_by_id(database, [taken_story(3).id, "unknown"]) == {taken_story(3).id: "Page 3 of many."}


def test_a_file_is_written_while_a_run_goes_on_once_there_are_enough_pages(database, tmp_path):
    topic = take_pages(database, "T", PAGES)
    assert archive_pages(keeping_tools(database, tmp_path / "archive", 13), topic.id, everything=False) == 12
    assert not (tmp_path / "archive").exists()
    assert archive_pages(keeping_tools(database, tmp_path / "archive", 12), topic.id, everything=False) == 0
    check_archived(database, tmp_path / "archive", PAGES)


def test_two_topics_that_take_one_page_archive_it_once(database, tmp_path):
    first, second = take_pages(database, "T", range(8)), take_pages(database, "U", range(4, 12))
    assert count_unarchived(database, second.id) == 8
    one, other = (keeping_tools(database, tmp_path / "archive") for _ in range(2))
    assert archive_pages(one, first.id, everything=True) == 0
    assert count_unarchived(database, second.id) == 4
    assert archive_pages(other, second.id, everything=True) == 0
    check_archived(database, tmp_path / "archive", PAGES)


def test_of_two_processes_that_archive_the_same_pages_one_gives_its_file_up(database, tmp_path, monkeypatch):
    topic = take_pages(database, "T", PAGES)
    one, other = (keeping_tools(database, tmp_path / "archive") for _ in range(2))
    assert one.archiver
    finish = one.archiver.finish

    def overtaken(*, everything):
        assert archive_pages(other, topic.id, everything=True) == 0
        return finish(everything=everything)

    monkeypatch.setattr(one.archiver, "finish", overtaken)
    archive_pages(one, topic.id, everything=True)
    monkeypatch.undo()
    assert archive_pages(one, topic.id, everything=True) == 0
    check_archived(database, tmp_path / "archive", PAGES)


def test_a_page_that_no_topic_took_is_not_archived(database, tmp_path):
    topic = take_pages(database, "T", PAGES)
    stories = tables.topic_stories
    with database.begin() as connection:
        rejected = stories.c.stories_id == taken_story(3).id
        connection.execute(stories.update().where(rejected).values(state=OUT))
    assert archive_pages(keeping_tools(database, tmp_path / "archive"), topic.id, everything=True) == 0
    assert get_page(database, taken_story(3).id) == StoredPage(page_of(3), "utf-8")
    assert ArchiveStore(database).totals().stories == 11


def test_a_page_that_the_archiver_refuses_stays_in_the_database(database, tmp_path, monkeypatch):
    topic = take_pages(database, "T", range(2))
    tools = keeping_tools(database, tmp_path / "archive")
    monkeypatch.setattr(tools.archiver, "process_batch", lambda stories: [Drop("no") for _ in stories])
    assert archive_pages(tools, topic.id, everything=True) == 0
    assert get_page(database, taken_story(1).id) == StoredPage(page_of(1), "utf-8")
    assert count_unarchived(database, topic.id) == 0


def test_an_erased_story_is_not_archived_any_more(database, tmp_path):
    topic = take_pages(database, "T", range(3))
    erase_from_topics(database, [taken_story(1).id])
    assert archive_pages(keeping_tools(database, tmp_path / "archive"), topic.id, everything=True) == 0
    check_archived(database, tmp_path / "archive", [0, 2])


def archive_with_kills(folder: Path, moments: list[str]) -> list[str]:
    script = [sys.executable, "-m", "tests.support.keep_pages_until_killed", str(folder), *moments, "none"]
    done = subprocess.run(script, capture_output=True, text=True, timeout=600, cwd=ROOT, check=True)
    return done.stdout.split()


def kill_and_check(database, folder, moments, kills):
    take_pages(database, "T", PAGES)
    ended = archive_with_kills(folder, moments)
    assert ended[-1] == "done" and "failed" not in ended, ended
    kills["pages of a topic being archived"] += ended.count("killed")
    check_archived(database, folder / "archive", PAGES)
    return ended.count("killed")


def test_kills_lose_no_page_and_archive_none_twice(database, tmp_path, kills):
    moments = ["write:before:3", "close:before", "name:after", "register:before", "register:after:2", "note:before"]
    assert kill_and_check(database, tmp_path, moments, kills) >= 4


@pytest.mark.kills
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(10))
def test_many_kills_lose_no_page_and_archive_none_twice(database, tmp_path, kills, seed):
    draw = random.Random(seed)
    places = [place for place in PLACES if place != "note"]  # a process notes once, when all is done
    moments = [f"{draw.choice(places)}:{draw.choice(['before', 'after'])}:{draw.randrange(1, 4)}" for _ in range(20)]
    assert kill_and_check(database, tmp_path, [*moments, "note:before"], kills)
