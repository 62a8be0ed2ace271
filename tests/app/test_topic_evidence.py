"""The index of topics: filled from the database and from what was collected, and asked only when a topic is named."""

from __future__ import annotations

import json
from typing import Any, cast

import httpx
import pytest

import tearsheet
from tearsheet.app import Services
from tearsheet.app.asking import ask, has_topic_index, index_for, story_by_id, topic_scope
from tearsheet.app.topic_evidence import captures_in_topic, fill_topic_index, make_searchable, topic_archiver
from tearsheet.engines.index import IndexedStory
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.index import answers, read_question
from tearsheet.settings import Settings
from tearsheet.story import VIA_SPIDER
from tearsheet.topics import find_topic
from tearsheet.topics.erasing import erase_from_topics
from tearsheet.topics.spider.keeping import archive_pages
from tearsheet.topics.spider.tools import Tools
from tearsheet.web.app import create_app
from tests.support.spidered_pages import take_pages, taken_story
from tests.support.web_server import serve_app


def settings_in(folder, **changes):
    settings = Settings(data=folder)
    settings.topics.archive = changes.get("archive", True)
    return settings


@pytest.fixture
def services(tmp_path):
    """Pages 0 to 3 are in a topic; page 0 and one of no topic were collected."""
    with Services(settings_in(tmp_path / "data")) as services:
        take_pages(services.database, "T", range(4))
        first = taken_story(0)
        collected = [
            ("Collected text of page 0.", first.id, first.url),
            ("Of no topic.", "f" * 64, "http://c.example/"),
        ]
        services.index.add(
            [IndexedStory(id, f"story-{text}", url, "a.example", 5, "Title", text) for text, id, url in collected]
        )
        services.index.refresh()
        yield services


@pytest.fixture
def topic(services):
    return find_topic(services.database, "T")


def asked(services, text, **more):
    question = read_question(text, **more)
    return index_for(services, question), ask(services, question)


def urls(services, text, **more):
    index, both = asked(services, text, **more)
    index.refresh()
    return {story.url for story in answers.stories(index, both.query).stories}


def test_a_topic_has_its_own_stories_and_nobody_else_sees_those_that_were_spidered(services, topic):
    assert fill_topic_index(services, [topic]) == 4
    assert fill_topic_index(services, [topic]) == 0
    assert urls(services, "*", topic="T") == {taken_story(number).url for number in range(4)}
    assert urls(services, "*") == {taken_story(0).url, "http://c.example/"}
    assert urls(services, '"page 2"', topic="T") == {taken_story(2).url}
    assert urls(services, '"page 2"') == set()
    assert urls(services, "collected", topic="T") == {taken_story(0).url}
    index, both = asked(services, '"page 2"', topic="T")
    assert answers.count(index, both.query, both.everything) == answers.Total(1, 4)


def test_what_leaves_a_topic_is_found_with_it_no_more(services, topic):
    fill_topic_index(services, [topic])
    erase_from_topics(services.database, [taken_story(2).id])
    assert urls(services, "*", topic="T") == {taken_story(number).url for number in (0, 1, 3)}


def test_a_topic_that_was_never_run_says_how_its_stories_can_be_searched(services):
    with pytest.raises(NotFoundError, match="`tearsheet index rebuild`"):
        asked(services, "*", topic="T")
    assert not has_topic_index(services)
    with pytest.raises(NotFoundError, match="no topic 'U'"):
        topic_scope(services, "U")
    with pytest.raises(UsageError, match="topic"):
        read_question("*", topic="T").ask(lambda *_: (set(), set()))


def test_somebody_else_may_be_writing_to_the_index_of_topics(services, topic):
    index = services.open_topic_index()
    index.add([IndexedStory("a" * 64, "", "http://x.example/", "x.example", 1, "Title", "Text")])
    assert not make_searchable(services, topic)
    index.close()
    assert make_searchable(services, topic)


def test_spidered_pages_are_archived_and_kept_out_of_the_index_of_what_was_collected(services, topic):
    nothing = cast(Any, None)
    archiver = topic_archiver(services)
    tools = Tools(
        services.database,
        services.index,
        nothing,
        nothing,
        nothing,
        services.settings.topics,
        nothing,
        archiver=archiver,
    )
    assert archive_pages(tools, topic.id, everything=True) == 0
    fill_topic_index(services, [topic])
    captures = captures_in_topic(services, [taken_story(number).id for number in range(5)])
    assert [capture is not None for capture in captures] == [True] * 4 + [False]
    story, capture = story_by_id(services, taken_story(2).id), captures[2]
    assert story and capture
    assert story.indexed_date == int(capture.time.timestamp() * 1_000_000) * 1000
    assert services.captures.of_stories([(story.story_id, story.id)]) == [capture]
    assert services.captures.read(capture).story.rss_entry.via == VIA_SPIDER
    assert services.archive.collected_stories() == 0
    report, walked = tearsheet.app.rebuild_index(services, [], lambda read: None)
    assert (report.total, walked.spidered, services.index.count(tearsheet.parse_query("*"))) == (0, 4, 2)


def test_pages_are_not_archived_where_the_settings_say_so(tmp_path):
    with Services(settings_in(tmp_path, archive=False)) as services:
        assert topic_archiver(services) is None


def test_pages_programs_and_the_library_ask_for_a_topic(services, topic):
    fill_topic_index(services, [topic])
    identifier = taken_story(2).id
    with serve_app(create_app(services)) as address, httpx.Client(base_url=address, timeout=30) as client:
        found = client.get("/search.json", params={"q": '"page 2"', "topic": "T"}).json()
        assert (found["count"], found["all_stories"]) == (1, 4)
        assert client.get("/search.json", params={"q": '"page 2"'}).json()["count"] == 0
        assert client.get("/search.json", params={"q": "*", "topic": "U"}).status_code == 404
        page = client.get("/search", headers={"accept": "text/html"}, params={"q": '"page 2"', "topic": "T"})
        assert f"/stories/{identifier}" in page.text and "<option selected>T</option>" in page.text
        assert "Title 2" in client.get(f"/stories/{identifier}").text
        lines = client.get("/search.jsonl", params={"q": "*", "topic": "T"}).text.splitlines()
        assert {json.loads(line)["url"] for line in lines} == {taken_story(number).url for number in range(4)}
        counted = client.get("/api/search/total-count", params={"q": '"page 2"', "topic": "T"}).json()
        assert counted["count"]["relevant"] == 1
    with tearsheet.open(services.settings) as collection:
        assert collection.count('"page 2"', topic="T").count == 1
        assert collection.count('"page 2"').count == 0
        assert [story.id for story in collection.search('"page 2"', topic="T")] == [identifier]
        assert collection.story(identifier).article_title == "Title 2"
