"""What a corrected topic keeps, and what it works out anew: on every database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from tearsheet.engines.database import Database
from tearsheet.topics import model, store, tables
from tearsheet.topics.decisions import EXCLUDE, INCLUDE
from tearsheet.topics.listing import list_stories
from tearsheet.topics.model import INDEX, NewTopic, Seed, Topic
from tearsheet.topics.spider import correcting
from tearsheet.topics.spider.addresses import url_key
from tearsheet.topics.spider.links import MinedLink
from tearsheet.topics.spider.routing import Route
from tearsheet.topics.spider.stores import anew, candidates, fetches, jobs, links, seeds, web_stories
from tearsheet.topics.spider.stores.links import RoutedLink
from tests.support.databases import DATABASES
from tests.support.topic_rows import add_members, web_story

GONE = "http://gone.example/1"
LATER = "http://later.example/1"
FIRST, SECOND = web_story(1, "First"), web_story(2, "Second", "b.example")


@pytest.fixture(params=DATABASES)
def database(request, tmp_path: Path) -> Iterator[Database]:
    harness = request.param()
    harness.prepare(tmp_path)
    database = harness.open()
    database.migrate()
    yield database
    database.close()
    harness.remove()


@pytest.fixture
def topic(database) -> Topic:
    """A seed that links to a story, to a page that could not be had and to one that waits for another try."""
    topic = store.create_topic(database, NewTopic("T", "story"), 0.0)
    seeds.add_seeds(database, topic.id, [Seed(FIRST.url)])
    add_members(database, topic, FIRST)
    web_stories.save_story(database, SECOND, None, None, [(url_key(SECOND.url), SECOND.url)])
    to_second = RoutedLink(MinedLink(SECOND.url, SECOND.id, "anchor", sentence="Said."), Route.ADD_STORY, SECOND.id)
    to_fetch = [RoutedLink(MinedLink(url, url_key(url), "anchor"), Route.FETCH_LINK) for url in (GONE, LATER)]
    links.save_links(database, topic.id, FIRST.id, 0, [to_second, *to_fetch])
    fetches.finish_fetch(database, topic.id, url_key(GONE), model.REQUEST_FAILED, message="HTTP 503")
    links.resolve_links(database, topic.id)
    candidates.decide(database, topic.id, SECOND.id, state=model.IN, spidered=True, why="matched")
    jobs.offer(database, topic.id, model.FETCH_LINK, fetches.pending_addresses, run="r", now=0.0, limit=9)
    taken = jobs.take(database, topic.id, model.FETCH_LINK, url_key(LATER), run="r", holder="me", until=9.0)
    assert taken is not None and jobs.is_any_held(database, topic.id, 5.0)
    jobs.put_back(database, taken, "me", until=9.0, tries=1, turn=0.0, put_off=True)
    assert not jobs.is_any_held(database, topic.id, 5.0)
    return store.find_topic(database, "T")


def states(database, topic) -> dict[str, tuple[str, int, bool]]:
    own = tables.topic_stories.c
    with database.read() as connection:
        rows = connection.execute(select(own.stories_id, own.state, own.iteration, own.mined))
        return {row.stories_id: (row.state, row.iteration, row.mined) for row in rows}


def test_links_and_failures_are_kept_and_verdicts_are_not(database, topic):
    anew.begin_anew(database, topic.id)
    assert states(database, topic) == {FIRST.id: (model.KNOWN, -1, True), SECOND.id: (model.KNOWN, -1, False)}
    assert list_stories(database, topic) == []
    progress = store.progress_of(database, topic)
    assert (progress.stories, progress.links_unfetched, progress.to_fetch) == (0, 0, 0)
    assert candidates.known_candidates(database, topic.id, [FIRST.id]) == set()
    assert [link.sentence for link in links.known_links(database, topic.id, FIRST.id)] == ["Said.", "", ""]
    again = [(url_key(url), url, False) for url in (GONE, LATER)]
    seeds.route_seeds(database, topic.id, [(SECOND.id, True), (SECOND.id, False)], again, [])
    gone = fetches.get_fetch(database, topic.id, url_key(GONE))
    later = fetches.get_fetch(database, topic.id, url_key(LATER))
    assert gone is not None and (gone.state, gone.iteration) == (model.REQUEST_FAILED, 0)
    assert later is not None and (later.state, later.iteration) == (model.PENDING, 0)
    assert store.progress_of(database, topic).put_off == 1, "it waits for as long as it was told"
    candidate = candidates.get_candidate(database, topic.id, SECOND.id)
    assert candidate is not None and (candidate.iteration, candidate.assume_match) == (0, True)


def test_what_is_not_reached_again_is_forgotten(database, topic):
    anew.begin_anew(database, topic.id)
    anew.forget_unreached(database, topic.id)
    assert states(database, topic) == {}
    assert links.known_links(database, topic.id, FIRST.id) == []
    assert fetches.get_fetch(database, topic.id, url_key(GONE)) is None
    assert store.progress_of(database, topic).put_off == 0


def test_a_story_that_is_found_nearer_before_it_is_judged_counts_from_there(database, topic):
    third = web_story(3, "Third")
    web_stories.save_story(database, third, None, None, [])
    for iteration in (2, 1, 3):
        with database.begin() as connection:
            candidates.add_waiting(database, connection, topic.id, iteration, [(third.id, False)])
    candidate = candidates.get_candidate(database, topic.id, third.id)
    assert candidate is not None and candidate.iteration == 1
    with database.begin() as connection:
        candidates.add_waiting(database, connection, topic.id, 0, [(SECOND.id, False)])
    assert states(database, topic)[SECOND.id][:2] == (model.IN, 1), "what was judged stays"


def test_links_of_a_story_that_is_out_now_are_not_kept(database, topic):
    anew.begin_anew(database, topic.id)
    seeds.route_seeds(database, topic.id, [(FIRST.id, False)], [], [])
    candidates.decide(database, topic.id, FIRST.id, state=model.OUT, spidered=True, why="no match")
    assert states(database, topic)[FIRST.id] == (model.OUT, 0, False)
    assert links.known_links(database, topic.id, FIRST.id) == []


def test_corrections_are_seen_by_the_next_run(database, topic):
    correcting.decide_pages(database, topic, EXCLUDE, [SECOND.url], "no")
    correcting.decide_pages(database, topic, INCLUDE, [GONE], "yes")
    correcting.merge_sources(database, topic, "b.example", "a.example", "one")
    assert correcting.retry(database, topic) == correcting.Retried(1, 1)
    assert fetches.get_fetch(database, topic.id, url_key(GONE)) is None
    edited = correcting.edit_topic(database, topic, {"max_iterations": 2}, "", lambda new: [Seed(LATER, None, INDEX)])
    assert (edited.changed, edited.index_seeds) == (("max_iterations",), None), "no seed came from the index"
    assert store.find_topic(database, "T").corrected
    anew.begin_anew(database, topic.id)
    assert not store.find_topic(database, "T").corrected
    new = seeds.unprocessed_seeds(database, topic.id, 9)
    assert {(seed.url, seed.source) for seed in new} == {(FIRST.url, "url"), (GONE, INCLUDE)}
    assert seeds.count_seeds(database, topic.id) == 2
    correcting.undo_pages(database, topic, INCLUDE, [GONE])
    anew.begin_anew(database, topic.id)
    assert [seed.url for seed in seeds.unprocessed_seeds(database, topic.id, 9)] == [FIRST.url]
