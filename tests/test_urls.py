from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.urls import (
    BadURL,
    _normalize_any,
    canonical_domain,
    is_homepage,
    is_shortened,
    names_site,
    non_news_host,
    normalize_url,
    publisher_of,
    split_http_url,
    surt,
    url_hash,
)

with warnings.catch_warnings():  # its patterns have escapes that Python no longer likes
    warnings.simplefilter("ignore")
    import surt as archive_surt

SAME = [
    ("https://www.Example.com:443/Foo/Bar/?utm_source=x#top", "http://example.com/foo/bar"),
    ("http://m.example.com/a?b=2&a=1", "http://example.com/a?a=1&b=2"),
    ("HTTP://EXAMPLE.COM", "http://example.com/"),
    ("https://www2.example.co.uk//a//b", "http://example.co.uk/a/b"),
    ("https://youtu.be/dQw4w9WgXcQ?t=3", "https://www.youtube.com/watch?v=dQw4w9WgXcQ&feature=share"),
    ("https://example.com/a%20b", "https://example.com/a b"),
    ("http://[2001:db8::1]:80/x", "http://[2001:DB8::1]/x"),
    ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
]
DIFFERENT = [
    ("https://example.com/a?id=1", "https://example.com/a?id=2"),
    ("https://bit.ly/AbC", "https://bit.ly/abc"),
    ("https://news.example.com/1", "https://video.example.com/1"),
    ("https://example.com/a", "https://example.com/b"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_addresses_of_one_page_are_one(one, other):
    assert normalize_url(one.replace(" ", "%20")) == normalize_url(other.replace(" ", "%20"))
    assert url_hash(one.replace(" ", "%20")) == url_hash(other.replace(" ", "%20"))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_addresses_of_two_pages_are_two(one, other):
    assert normalize_url(one) != normalize_url(other)


@pytest.mark.parametrize(
    "url",
    ["", "mailto:a@b.example", "ftp://a.example/", "http://", "http:///path", "http://[::1", "http://a.example:99999/"],
)
def test_what_is_no_web_address_is_refused(url):
    with pytest.raises(BadURL):
        normalize_url(url)


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://www.bbc.co.uk/news", "bbc.co.uk"),
        ("https://name.blogspot.com/2020/", "name.blogspot.com"),
        ("http://127.0.0.1:8000/", "127.0.0.1"),
        ("http://harbour-herald.example/x", "harbour-herald.example"),
        ("https://localhost/x", "localhost"),
    ],
)
def test_the_canonical_domain_is_the_registered_one(url, domain):
    assert canonical_domain(url) == domain


@pytest.mark.parametrize(
    "path", ["", "/", "/index.html", "/en/", "/en-us", "/news/", "/de/politics", "/?utm_source=rss"]
)
def test_front_pages(path):
    assert is_homepage("https://example.com" + path)


@pytest.mark.parametrize("path", ["/short-slug", "/a/b", "/?p=123", "/2024/01/", "/en/short-slug", "/budget"])
def test_a_short_article_slug_is_no_front_page(path):
    assert not is_homepage("https://example.com" + path)


def test_short_links_are_recognised():
    assert is_shortened("https://bit.ly/AbC")
    assert not is_shortened("https://bit.ly/")
    assert not is_shortened("https://example.com/AbC")


@pytest.mark.parametrize(
    "url",
    [
        "https://news.example/%E6%97%A5%20%E8%AA%9E?q=%C3%BC&x=%3Cy%3E",
        "http://www2.a.com:8080/A/?B=c&a",
        "http://a.com?x",
        "http://a.com/x?",
        "http://a.com/%7Efoo/./b/../c/..",
        "http://a.com/../x//y//",
        "http://a.com/x%252fy%zz#f",
        "http://a.com/x?b=1&PHPSESSID=0123456789abcdef0123456789abcdef&c",
        "http://a.com/x?b=1&sid=0123456789abcdef0123456789abcdef",
        "http://a.com/x?cfid=1&cftoken=2",
        "http://a.com/(S(0123456789abcdef01234567))/b.aspx",
        "http://a.com/(0123456789abcdef01234567)/b.aspx?x",
        "http://ü.de/x",
    ],
)
def test_surt_is_that_of_the_internet_archive(url):
    assert surt(url) == archive_surt.surt(url)


@given(st.text(alphabet="aB1%27/.~-_ü&=?;,()<>'+:@!*|", max_size=20))
def test_surt_is_that_of_the_internet_archive_for_any_path(path):
    assert surt("http://www.a.com/" + path) == archive_surt.surt("http://www.a.com/" + path)


def test_surt_turns_the_host_round():
    assert surt("http://www.example.com/a?b") == "com,example)/a?b"
    assert surt("https://sub.example.com:8443/") == "com,example,sub:8443)/"


def test_a_host_of_dots_is_refused_whatever_script_they_are_in():
    for host in (".", "․", "․․"):
        with pytest.raises(BadURL):
            normalize_url(f"http://{host}/")


@given(st.text(), st.text())
def test_any_text_is_an_address_or_is_refused_and_normal_forms_are_stable(host, rest):
    url = f"http://{host}/{rest}"
    try:
        normal = normalize_url(url)
    except BadURL:
        return
    assert normalize_url(normal) == normal
    canonical_domain(url), is_homepage(url), surt(url), is_shortened(url), split_http_url(url)


HOSTS = st.sampled_from(
    [
        "example.com",
        "www.example.com",
        "m.example.co.uk",
        "www2.a.example",
        "bit.ly",
        "www.youtube.com",
        "youtu.be",
        "10.0.0.1",
    ]
) | st.from_regex(r"[a-z0-9.-]{0,12}[a-z0-9]", fullmatch=True)
PATHS = st.from_regex(r"/[A-Za-z0-9/_.~,;:@!$&'()*+=-]{0,30}", fullmatch=True) | st.sampled_from(
    ["/", "//", "/News/", "/en/index.html", "/embed/dQw4w9WgXcQ"]
)


@given(HOSTS, PATHS)
def test_plain_addresses_take_a_short_road_to_the_same_place(host: str, path: str) -> None:
    url = f"https://{host}{path}"
    other = f"https://{host}:443{path}?#top"  # says the same, but is not plain

    def read(function, address):
        try:
            return function(address)
        except BadURL:
            return "bad"

    assert read(normalize_url, url) == read(normalize_url, other)
    assert read(is_homepage, url) == read(is_homepage, other)


@given(st.text("abwm.1-", max_size=12), st.text("aB/.;=-_~", max_size=20), st.sampled_from(["http", "https"]))
def test_the_short_way_of_normalising_gives_what_the_long_one_gives(host, path, scheme):
    url = f"{scheme}://{host}/{path}"
    assert outcome(normalize_url, url) == outcome(_normalize_any, url)


def outcome(function, url):
    try:
        return function(url)
    except BadURL:
        return "bad"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://Twitter.com/a", "twitter.com"),
        ("http://www.youtube.com:80/watch?v=1", "www.youtube.com"),
        ("https://nottwitter.com/a", None),
        ("http://twitter.com.example/a", None),
        ("123456", None),
        (None, None),
    ],
)
def test_sites_without_news(url, host):
    assert non_news_host(url) == host


@pytest.mark.parametrize(
    ("url", "publisher"),
    [
        ("https://www.herald.co.uk/feed", "herald.co.uk"),
        ("https://feeds.feedburner.com/Herald/news?format=xml", "feeds.feedburner.com/herald"),
        ("http://feeds.feedburner.com/~r/Herald", "feeds.feedburner.com/herald"),
        ("https://herald.substack.com/feed", "herald.substack.com"),
        ("https://www.herald.substack.com/feed", "herald.substack.com"),
        ("https://substack.com/feed", "substack.com"),
        ("https://medium.com/feed/@herald", "medium.com/@herald"),
        ("https://herald.medium.com/feed", "herald.medium.com"),
        ("https://herald.github.io/atom.xml", "herald.github.io"),
        ("https://www.reddit.com/r/News/.rss", "reddit.com/news"),
        ("https://rsshub.app/?id=7", "rsshub.app/id=7"),
        ("https://feeds.feedburner.com/", "feeds.feedburner.com"),
        ("http://127.0.0.1/feed", "127.0.0.1"),
        ("https://www.youtube.com/feeds/videos.xml?channel_id=UC1", "youtube.com/channel/uc1"),
        ("https://github.com/Herald/map/releases.atom", "github.com/herald"),
        ("https://bsky.app/profile/herald.example/rss", "bsky.app/herald.example"),
        ("https://odysee.com/$/rss/@herald", "odysee.com/@herald"),
        ("https://herald.hashnode.dev/rss.xml", "herald.hashnode.dev"),
    ],
)
def test_a_place_on_a_service_is_a_publisher_of_its_own(url, publisher):
    assert publisher_of(url) == publisher


@pytest.mark.parametrize("text", ["example.org", "www.bbc.co.uk", "bbc.com/news", "bücher.de", "paper.co.uk:8080/feed"])
def test_a_site_is_named_without_its_scheme(text):
    assert names_site(text)


@pytest.mark.parametrize(
    "text",
    ["", "feeds.opml", "feeds.csv", "a.txt", "localhost:80", "co.uk", "a b.com", "../x.org", "-x.org", "1.2.3.4"],
)
def test_what_names_no_site(text):
    assert not names_site(text)
