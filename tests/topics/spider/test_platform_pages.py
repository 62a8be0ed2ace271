"""What a topic makes of pages on platforms."""

import pytest

from tearsheet.extract import Document
from tearsheet.topics.spider.platform_pages import is_post, says_nothing, source_of, text_of, why_left_out
from tearsheet.topics.spider.web_story import generate_story

VIDEO = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"
VIDEO_PAGE = """<html><head><title>The flood - YouTube</title><meta property="og:title" content="The flood">
<meta property="og:description" content="How the dam broke …">
<script type="application/ld+json">{"@type":"VideoObject","name":"The flood","uploadDate":"2024-03-02",
"description":"How the dam broke &amp; who knew of it. More at https://paper.example/flood"}</script></head><body>
<span itemprop="author"><link itemprop="url" href="http://www.youtube.com/@River"></span>
<p>Other videos: a very long list of things that have nothing to do with this one, and that no author of it chose.</p>
</body></html>"""


def test_a_topic_says_why_it_does_not_follow_a_platform():
    assert why_left_out(VIDEO, platforms=True) is None
    assert why_left_out("https://paper.example/flood", platforms=False) is None
    for host in ("www.youtube.com", "en.wikipedia.org", "x.com", "twitter.com"):
        reason = why_left_out(f"https://{host}/flood", platforms=False)
        assert reason
        assert reason.startswith(f"{host} is a platform or a site without news")


def test_a_video_is_its_channels_and_says_what_its_head_says():
    story = generate_story(Document(VIDEO_PAGE, VIDEO))
    assert story.media == "youtube.com/@river"
    assert story.title == "The flood"
    assert story.text == "How the dam broke & who knew of it. More at https://paper.example/flood"
    assert str(story.day) == "2024-03-02"


@pytest.mark.parametrize(
    ("author", "source"),
    [
        ('{"url": "https://www.youtube.com/channel/UCabc"}', "youtube.com/channel/ucabc"),
        ('[{"name": "x"}, {"url": "https://www.youtube.com/@river"}]', "youtube.com/@river"),
        ('{"url": "https://paper.example/@river"}', "youtube.com"),
        ('{"url": "https://www.youtube.com/"}', "youtube.com"),
        ('{"url": "http://[::1"}', "youtube.com"),
        ('"River"', "youtube.com"),
    ],
)
def test_only_an_account_of_the_same_platform_is_an_author(author, source):
    page = f'<script type="application/ld+json">{{"@type":"VideoObject","author":{author}}}</script>'
    assert source_of(Document(page, VIDEO)) == source


def test_who_is_named_by_the_address_is_not_asked_for():
    page = '<span itemprop="author"><link itemprop="url" href="https://x.com/other"></span>'
    assert source_of(Document(page, "https://x.com/alice/status/1")) == "x.com/alice"
    assert source_of(Document(page, "https://paper.example/flood")) == "paper.example"


def test_which_pages_are_posts():
    for url in (
        VIDEO,
        "https://x.com/alice/status/1",
        "https://t.me/alice/7",
        "https://social.example/@bob/112233445566778899",
    ):
        assert is_post(url), url
    for url in (
        "https://en.wikipedia.org/wiki/Flood",
        "https://alice.substack.com/p/x",
        "https://paper.example/@editor",
        "mailto:x",
    ):
        assert not is_post(url), url


def test_of_other_pages_the_article_is_the_text():
    words = "The committee met on Tuesday and heard three hours of testimony about the dams and the levees. " * 5
    page = f'<meta property="og:description" content="{words * 3}"><article><p>{words}</p></article>'
    assert text_of(Document(page, "https://paper.example/flood")) == words.strip()
    assert text_of(Document(f"<article><p>{words}</p></article>", "https://x.com/alice/status/1")) == words.strip()


def test_a_page_for_members_says_nothing():
    url = "https://x.com/alice/status/1"
    assert says_nothing(url, "page", "", "")
    assert says_nothing("https://www.linkedin.com/posts/1", "url", "", "")
    assert not says_nothing(url, "og:title", "", "")
    assert not says_nothing(url, "page", "a post", "")
    assert not says_nothing("https://paper.example/flood", "url", "", "")
