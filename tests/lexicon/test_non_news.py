"""Sites that publish no news."""

import pytest

from tearsheet.lexicon import is_non_news


@pytest.mark.parametrize(
    "host", ["youtube.com", "www.youtube.com", "en.m.wikipedia.org", "x.com", "archive.ph", "youtu.be"]
)
def test_non_news(host):
    assert is_non_news(host)


@pytest.mark.parametrize("host", ["netflix.com", "notyoutube.com", "youtube.com.example", "bbc.co.uk", "fox.com", ""])
def test_news(host):
    assert not is_non_news(host)
