"""What is expected here was computed by Media Cloud's own library, version 1.4.1."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.mediacloud_ids import mediacloud_id, mediacloud_url
from tearsheet.urls import url_hash


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.paper.example/2024/story/", "http://paper.example/2024/story/"),
        ("https://www.paper.example/2024/story", "http://paper.example/2024/story"),
        (
            "http://m.paper.example:8080/News/The-Story.HTML?utm_source=x&id=5&a=b#top",
            "http://paper.example/news/the-story.html?a=b&id=5",
        ),
        ("https://news.bbc.co.uk/2/hi/story.stm?ref=rss", "http://bbc.co.uk/2/hi/story.stm"),
        ("https://www2.paper.example/a", "http://paper.example/a"),
        ("https://ms.paper.example/a", "http://paper.example/a"),
        ("https://www.example/a.html", "http://example/a.html"),
        ("https://paper.example", "http://paper.example/"),
        ("https://paper.example?p=5", "http://paper.example/?p=5"),
        ("https://10.0.0.1/news/", "http://10.0.0.1/news/"),
        ("https://münchen.example/caf%c3%a9/größe", "http://xn--mnchen-3ya.example/caf%C3%A9/gr%C3%B6%C3%9Fe"),
        ("https://paper.example/a//b/../c/./d/", "http://paper.example/a/c/d/"),
        ("https://paper.example/a%2Fb/%7Euser/a%20b/a+b", "http://paper.example/a/b/~user/a%20b/a+b"),
        (
            "https://paper.example/s?q=a+b&p=/x&d[]=1&open&_r=3&empty=&nk=abc12",
            "http://paper.example/s?d%5B%5D=1&empty&open&p=%2Fx&q=a+b",
        ),
        (
            "https://www.nytimes.com/2024/01/02/us/story.html?smid=fb&emc=x&page=2",
            "http://nytimes.com/2024/01/02/us/story.html?page=2",
        ),
        ("https://paper.example/s?PHPSESSID=9&sort=asc&sid=4", "http://paper.example/s?phpsessid=9&sort=asc"),
        ("http://http://paper.example/a", "http://paper.example/a"),
        ("http:/paper.example/a b", "http://paper.example/a%20b"),
    ],
)
def test_the_form_is_that_of_media_cloud(url, expected):
    assert mediacloud_url(url) == expected
    assert mediacloud_id(url) == hashlib.sha256(expected.encode()).hexdigest()


def test_the_id_is_that_of_media_cloud():
    assert (
        mediacloud_id("https://www.paper.example/2024/story/")
        == "be1fa90f0ba8b3ddb45f6251c5becf51af7bc41d44a8fc71891915485290c92c"
    )


def test_our_id_joins_what_media_cloud_keeps_apart():
    with_slash, without = "https://paper.example/a-story/", "https://paper.example/a-story"
    assert url_hash(with_slash) == url_hash(without) == mediacloud_id(without) != mediacloud_id(with_slash)


@pytest.mark.parametrize("url", ["", "not an address", "ftp://a.example/b", "https://twitter.com/someone/status/1"])
def test_what_media_cloud_does_not_take_has_no_id(url):
    assert mediacloud_id(url) == ""


@given(st.text(max_size=80))
def test_every_text_is_answered(text):
    assert len(mediacloud_id(f"http://{text}")) in (0, 64)
