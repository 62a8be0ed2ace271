"""What became of each page of a topic, and why."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from tearsheet.app.services import Services
from tearsheet.settings import Settings
from tearsheet.topics import NewTopic, model, store, tables
from tearsheet.topics.listing import list_stories
from tearsheet.topics.snapshot.store import freeze
from tearsheet.topics.spider.correcting import merge_sources
from tearsheet.topics.spider.merge import merge_topic
from tearsheet.topics.spider.stores import fetches, seeds
from tests.support.topic_rows import add_members, web_story


@pytest.fixture
def database(tmp_path):
    with Services(Settings(tmp_path)) as services:
        yield services.database


def test_every_state_has_a_status_and_a_reason(database):
    topic = store.create_topic(database, NewTopic("flood", "water"), 0)
    judged = (model.IN, model.OUT, model.OVER_BUDGET, model.OVER_CAP, model.WAITING, model.ADDING, model.KNOWN)
    fetched = (model.NO_MATCH, model.IGNORED, model.REQUEST_FAILED, model.ERROR, model.PENDING)
    stories = {state: web_story(number, f"Story {number}") for number, state in enumerate(judged, 1)}
    add_members(database, topic, *stories.values(), why="")
    to_fetch = [(state, f"http://{number}.b.example/", False) for number, state in enumerate(fetched)]
    seeds.route_seeds(database, topic.id, [], to_fetch, [])
    for state in fetched[:-1]:
        fetches.finish_fetch(
            database, topic.id, state, state, message="HTTP 503" if state == model.REQUEST_FAILED else ""
        )
    with database.begin() as connection:
        own = tables.topic_stories
        for state, story in stories.items():
            connection.execute(update(own).where(own.c.stories_id == story.id).values(state=state))
    listed = {one.state: (one.status, one.why) for one in list_stories(database, topic)}
    assert listed == {
        model.IN: ("in", ""),
        model.OUT: ("out", ""),
        model.OVER_BUDGET: ("out", ""),
        model.OVER_CAP: ("out", ""),
        model.NO_MATCH: ("out", "the page holds no match for the query"),
        model.IGNORED: ("out", "ignored"),
        model.WAITING: ("undecided", "waits to be judged"),
        model.ADDING: ("undecided", "waits to be judged"),
        model.REQUEST_FAILED: ("undecided", "HTTP 503"),
        model.ERROR: ("undecided", "error"),
        model.PENDING: ("undecided", "waits to be fetched"),
    }


def test_merged_stories_name_the_one_that_was_kept_and_count_for_its_source(database):
    topic = store.create_topic(database, NewTopic("flood", "water"), 0)
    merge_sources(database, topic, "b.example", "a.example", "one paper")
    kept = web_story(1, "The water came in the night", text="A longer text.")
    add_members(database, topic, kept, web_story(2, "The water came in the night", "b.example"))
    merge_topic(database, topic.id)
    first, second = list_stories(database, topic)
    assert (first.status, first.url, first.source) == ("in", kept.url, "a.example")
    assert (second.status, second.source) == ("out", "a.example")
    assert second.why == f"merged into {kept.url}: same title: The water came in the night"


def test_links_to_a_story_that_is_merged_count_whenever_they_are_found(database):
    topic = store.create_topic(database, NewTopic("flood", "water"), 0)
    kept, lost = web_story(1, "The water came in", text="A longer text."), web_story(2, "The water came in")
    add_members(database, topic, kept, lost, web_story(3, "Elsewhere", "c.example"), web_story(4, "There", "d.example"))
    merge_topic(database, topic.id)
    link_to(database, topic, 3, lost)  # of a later run
    link_to(database, topic, 4, kept)
    frozen = linking_to(database, topic, kept)
    assert frozen == ["http://c.example/3", "http://d.example/4"]
    assert store.count_links_between_stories(database, topic) == 2


def link_to(database, topic, number: int, target) -> None:
    with database.begin() as connection:
        connection.execute(
            tables.topic_links.insert().values(
                topics_id=topic.id, stories_id=f"{number:064}", url_key=target.id, url=target.url, kind="anchor",
                fetched=True, ref_stories_id=target.id,
            )
        )  # fmt: skip


def linking_to(database, topic, target) -> list[str]:
    frozen = freeze(database, topic)
    url = [story.url for story in frozen.stories]
    return sorted(url[a] for a, b in frozen.links if frozen.stories[b].id == target.id)
