from datetime import date

import pytest

from tearsheet.extract import Document
from tearsheet.topics.spider.web_story import generate_story


def made(head: str, url: str):
    return generate_story(
        Document(f"<html><head>{head}</head><body><p>Text</p></body></html>", url, today=date(2024, 6, 1))
    )


def test_each_guess_has_its_method():
    story = made('<meta property="og:title" content="The Title">', "http://www.paper.co.uk/2024/05/17/the-story.html")
    assert (story.media, story.title, story.title_method) == ("paper.co.uk", "The Title", "og:title")
    assert (story.day, story.date_method) == (date(2024, 5, 17), "url")


def test_a_page_that_says_nothing():
    story = made("", "http://paper.example/the-long_story.html")
    assert (story.title, story.title_method) == ("the long story", "url")
    assert (story.day, story.date_method) == (None, "undateable")


@pytest.mark.parametrize(
    "url", ["http://paper.example/", "http://paper.example/tag/2024/05/17/x", "https://en.wikipedia.org/wiki/X"]
)
def test_undateable_addresses(url):
    assert made('<meta property="article:published_time" content="2024-05-17">', url).date_method == "undateable"


def test_the_canonical_address_counts_within_the_source_only():
    own = made('<link rel="canonical" href="http://paper.example/story">', "http://paper.example/amp/story")
    other = made('<link rel="canonical" href="http://other.example/story">', "http://paper.example/amp/story")
    front = made('<link rel="canonical" href="http://paper.example/">', "http://paper.example/amp/story")
    assert [story.url for story in (own, other, front)] == [
        "http://paper.example/story", "http://paper.example/amp/story", "http://paper.example/amp/story",
    ]  # fmt: skip
