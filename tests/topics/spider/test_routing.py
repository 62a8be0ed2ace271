"""The pseudo-code of the topic pipeline, row by row."""

import pytest

from tearsheet.topics import model
from tearsheet.topics.spider.routing import Route, after_add, after_fetch, after_mine, after_seed


@pytest.mark.parametrize(
    ("has_stories_id", "matches", "route"),
    [(True, False, Route.ADD_STORY), (False, True, Route.ADD_STORY), (False, False, Route.FETCH_LINK)],
)
def test_seeds(has_stories_id, matches, route):
    assert after_seed(seed_has_stories_id=has_stories_id, seed_url_matches_existing_story=matches) is route


@pytest.mark.parametrize(
    ("matches", "in_topic", "route"),
    [(False, False, Route.FETCH_LINK), (True, True, Route.END), (True, False, Route.ADD_STORY)],
)
def test_links_of_a_story(matches, in_topic, route):
    assert after_mine(link_matches_existing_story=matches, story_in_topic=in_topic) is route


@pytest.mark.parametrize(
    ("content_matches", "known", "state"),
    [(True, False, model.STORY_ADDED), (True, True, model.STORY_MATCH), (False, False, model.NO_MATCH)],
)
def test_pages(content_matches, known, state):
    assert after_fetch(content_matches=content_matches, matches_existing_story=known) == state


@pytest.mark.parametrize(
    ("relevant", "iteration", "after"),
    [(True, 14, (model.IN, False)), (True, 15, (model.IN, True)), (False, 0, (model.OUT, True))],
)
def test_stories(relevant, iteration, after):
    assert after_add(story_is_relevant=relevant, iteration=iteration, max_iterations=15) == after
