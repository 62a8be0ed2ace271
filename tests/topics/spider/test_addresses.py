"""Addresses that a topic follows, and those that it leaves alone."""

from tearsheet.topics.spider.addresses import clean_url, is_ignored


def test_ignored_links():
    for url in (
        "https://www.facebook.com/sharer/sharer.php?u=x",
        "http://paper.example/share?u=http://paper.example/a",
        "http://www.iconosquare.com/x",
        "https://accounts.google.com/ServiceLogin",
        "http://a.example/picture.JPG",
        "https://sco.lt/abc",
    ):
        assert is_ignored(url), url
    for url in ("https://disco.lt/abc", "http://a.example/2024/jpg-files.html", "http://paper.example/share/story"):
        assert not is_ignored(url), url


def test_an_address_that_is_none():
    assert clean_url("mailto:a@b.example") is None
    assert clean_url("http://") is None
    assert clean_url("HTTP://A.example?x=1&utm_source=2") == "http://A.example/?x=1"
