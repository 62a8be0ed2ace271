import pytest

from tearsheet.pipeline.parser import Parser
from tearsheet.story import NEED_CANONICAL_URL, HTTPMetadata, RawHTML, Story, encode_story
from tearsheet.work.outcomes import Drop, Quarantine

NOW = 1_700_000_000.123456
SENTENCE = (
    "The council agreed on Tuesday to rebuild the old bridge, which had been closed since the flood of last spring. "
)
PAGE = f"""<html lang="en-GB"><head><title>Council to rebuild bridge | The Daily</title>
<meta property="og:site_name" content="The Daily"><meta property="article:published_time" content="2023-11-02T08:00:00Z">
<link rel="canonical" href="https://www.daily.example/news/2023/council-bridge?utm_source=x"></head>
<body><nav><a href="/">Home</a></nav><h1>Council to rebuild bridge</h1><article><p>{SENTENCE * 2}</p><p>{SENTENCE * 2}</p>
<p>Die Kosten – £2m – trägt die Stadt, said the mayor in a speech to all
members of the council.</p></article></body></html>"""


def parse(html, url="https://www.daily.example/council-bridge", charset=None, story=None):
    story = story or Story(http_metadata=HTTPMetadata(final_url=url, encoding=charset))
    story.raw_html = RawHTML(html=html if html is None or isinstance(html, bytes) else html.encode())
    return Parser(clock=lambda: NOW).process(story)


def reason(html, url="https://www.daily.example/council-bridge"):
    with pytest.raises(Drop) as drop:
        parse(html, url)
    return drop.value.reason


def test_fields():
    story = parse(PAGE)
    found = story.content_metadata
    assert story.raw_html.encoding == "utf-8"
    assert found.url == found.original_url == "https://www.daily.example/council-bridge"
    assert found.normalized_url == "http://daily.example/council-bridge"
    assert found.canonical_domain == "daily.example"
    assert (found.publication_date, found.publication_date_source) == ("2023-11-02", "meta")
    assert (found.language, found.full_language) == ("en", "en-gb")
    assert found.article_title == "Council to rebuild bridge"
    assert found.normalized_article_title == "council to rebuild bridge"
    assert found.text_content is not None
    assert found.text_content.startswith("The council agreed")
    assert "Home" not in found.text_content
    assert found.parsed_date == "2023-11-14T22:13:20.123456"
    assert found.canonical_url == "https://www.daily.example/news/2023/council-bridge?utm_source=x"
    assert found.is_homepage is False
    assert found.is_shortened is False
    assert found.text_confidence is not None
    assert 0 < found.text_confidence <= 1


def test_parsed_date_is_set_once():
    story = parse(PAGE)
    story.content_metadata.parsed_date = "2020-01-01T00:00:00.000000"
    assert parse(PAGE, story=story).content_metadata.parsed_date == "2020-01-01T00:00:00.000000"


def test_the_true_encoding_is_written_back():
    story = parse(PAGE.encode("windows-1252"), charset="iso-8859-1")
    assert story.raw_html.encoding == "cp1252"
    assert "£2m – trägt" in (story.content_metadata.text_content or "")
    assert parse(PAGE, charset="iso-8859-1").raw_html.encoding == "utf-8"


def test_a_date_too_far_ahead_is_no_date():
    ahead = PAGE.replace("2023-11-02T08:00:00Z", "2024-02-14")
    assert parse(ahead.replace("2024-02-14", "2024-02-12")).content_metadata.publication_date == "2024-02-12"
    assert parse(ahead).content_metadata.publication_date is None


def test_a_page_that_only_sends_on_says_so():
    sends = '<html><head><meta http-equiv="refresh" content="0; url=/the-story"></head><body>{}</body></html>'
    with pytest.raises(Drop) as drop:
        parse(sends.format("One moment, please."))
    assert drop.value.reason == "refresh" and "https://www.daily.example/the-story" in drop.value.detail
    assert reason(sends.format("")) == "refresh"
    assert parse(PAGE.replace("<head>", '<head><meta http-equiv="refresh" content="25">')), "it is read all the same"
    assert reason(sends.replace("0;", "300;").format("Words.")) == "too-short"


def test_a_page_that_says_it_is_on_a_site_without_news_is_dropped():
    canonical = PAGE.replace("www.daily.example", "twitter.com")
    assert reason(canonical, NEED_CANONICAL_URL) == "non-news"
    assert reason(PAGE, "https://www.youtube.com/watch?v=abcdefghijk") == "non-news"
    assert parse(canonical).content_metadata.text_content, "a link to another site does not make it that site's page"


def test_blind_fetch_takes_the_canonical_url():
    story = parse(PAGE, NEED_CANONICAL_URL)
    url = "https://www.daily.example/news/2023/council-bridge?utm_source=x"
    assert story.url == story.http_metadata.final_url == story.content_metadata.url == url
    assert story.content_metadata.canonical_domain == "daily.example"


@pytest.mark.parametrize(
    "canonical", ["", "/news/x", "javascript:alert(1)", "http://", "ftp://a.example/b", NEED_CANONICAL_URL]
)
def test_blind_fetch_without_canonical_url(canonical):
    page = PAGE.replace("https://www.daily.example/news/2023/council-bridge?utm_source=x", canonical)
    assert reason(page, NEED_CANONICAL_URL) == "no-canonical-url"


@pytest.mark.parametrize(
    "html", [None, b"", b" \n\0", b"%PDF-1.7 \x00\xff\xfe", b"plain words", b"\x89PNG\r\n\x1a\n" + bytes(range(256))]
)
def test_no_html(html):
    assert reason(html) == "no-html"


@pytest.mark.parametrize(
    "start",
    [
        "<?xml version='1.0'?><rss>",
        "<feed xmlns='x'>",
        "<!-- c --><urlset>",
        "<sitemapindex>",
        "<rdf:RDF>",
        "\ufeff<RSS>",
    ],
)
def test_feeds(start):
    assert reason(start + "<item></item>") == "feed"


def test_too_short_and_no_text():
    assert (
        reason(
            "<html><body><p>" + "Some words of a caption that is no article at all, and no more than this." * 2 + "</p>"
        )
        == "too-short"
    )
    assert reason("<html><body><img src=a></body></html>") == "no-text"


def test_homepages_and_short_slugs():
    assert reason(PAGE, "https://www.daily.example/") == "homepage"
    assert reason(PAGE, "https://www.daily.example/index.html") == "homepage"
    assert parse(PAGE, "https://www.daily.example/short-slug").content_metadata.is_homepage is False


def test_no_url_is_looked_at_by_people():
    with pytest.raises(Quarantine):
        parse(PAGE, None)
    with pytest.raises(Quarantine):
        parse(PAGE, "mailto:a@b.example")


def test_a_page_with_a_few_words_is_too_short_and_not_empty():
    assert reason("<html><body><h1>Paper</h1><p>More soon.</p></body></html>") == "too-short"


def test_half_a_character_in_the_data_of_a_page_does_not_cost_the_story():
    """Sites cut descriptions off in the middle of an emoji."""
    data = r"""<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Bridge \ud83d",
    "description": "Rebuilt \ud83d", "author": {"name": "A. \ude00 Writer"}}</script></head>"""
    story = parse(PAGE.replace("</head>", data))
    assert encode_story(story).meta
    assert story.content_metadata.authors == ["A. \ufffd Writer"]
