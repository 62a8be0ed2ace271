from datetime import date

import pytest

from tearsheet.extract import Document
from tearsheet.topics.spider.generate import generate_story
from tearsheet.topics.spider.routing import after_add, after_fetch, after_mine, after_seed, wait_for_media


def made(head: str, url: str):
    return generate_story(
        Document(f"<html><head>{head}</head><body><p>Text</p></body></html>", url, today=date(2024, 6, 1))
    )


def test_each_guess_has_its_method():
    story = made('<meta property="og:title" content="The Title">', "http://www.paper.co.uk/2024/05/17/the-story.html")
    assert (story.media, story.title, story.title_method) == ("paper.co.uk", "The Title", "og:title")
    assert (story.day, story.date_method, story.undateable) == (date(2024, 5, 17), "url", False)


def test_a_page_that_says_nothing():
    story = made("", "http://paper.example/the-long_story.html")
    assert (story.title, story.title_method) == ("the long story", "url")
    assert (story.day, story.date_method, story.undateable) == (None, "undateable", True)


@pytest.mark.parametrize(
    "url", ["http://paper.example/", "http://paper.example/tag/2024/05/17/x", "https://en.wikipedia.org/wiki/X"]
)
def test_undateable_addresses(url):
    assert made('<meta property="article:published_time" content="2024-05-17">', url).undateable


def test_the_canonical_address_counts_within_the_source_only():
    own = made('<link rel="canonical" href="http://paper.example/story">', "http://paper.example/amp/story")
    other = made('<link rel="canonical" href="http://other.example/story">', "http://paper.example/amp/story")
    front = made('<link rel="canonical" href="http://paper.example/">', "http://paper.example/amp/story")
    assert [story.url for story in (own, other, front)] == [
        "http://paper.example/story", "http://paper.example/amp/story", "http://paper.example/amp/story",
    ]  # fmt: skip


def test_routes():
    assert after_seed(seed_has_stories_id=True, seed_url_matches_existing_story=False) == "topic_add_story"
    assert after_seed(seed_has_stories_id=False, seed_url_matches_existing_story=True) == "topic_add_story"
    assert after_seed(seed_has_stories_id=False, seed_url_matches_existing_story=False) == "topic_fetch_link"
    assert after_mine(link_matches_existing_story=False, story_in_topic=False) == "topic_fetch_link"
    assert after_mine(link_matches_existing_story=True, story_in_topic=True) is None
    assert after_mine(link_matches_existing_story=True, story_in_topic=False) == "topic_add_story"
    assert after_fetch(content_matches=True) == "topic_add_story"
    assert after_fetch(content_matches=False) is None
    both, facebook = ("facebook_fetch_story_stats", "topic_mine_story"), ("facebook_fetch_story_stats",)
    assert after_add(story_is_relevant=True, iteration=14, max_iterations=15) == both
    assert after_add(story_is_relevant=True, iteration=15, max_iterations=15) == facebook
    assert after_add(story_is_relevant=False, iteration=0, max_iterations=15) == ()


def test_throttle():
    assert wait_for_media(None, 100, 10) == 0
    assert wait_for_media(95, 100, 10) == 5
    assert wait_for_media(80, 100, 10) == 0
