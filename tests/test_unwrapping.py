"""What a wrapped address carries."""

from base64 import urlsafe_b64encode
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.lexicon import ARCHIVE_HOSTS, REDIRECTORS
from tearsheet.unwrapping import unwrap
from tests.support.growth import assert_linear

PAGE = "https://paper.example/2024/flood.html?id=7&x=a%20b"
QUOTED = quote(PAGE, safe="")
PLAIN = "http://paper.example/flood"
NUMBER = urlsafe_b64encode(b"\x08\x13\x22\x1a" + PLAIN.encode() + b"\xd2\x01\x00").decode()

WRAPPED = [
    (f"https://web.archive.org/web/20240301120000/{PAGE}", PAGE),
    (f"https://web.archive.org/web/20240301120000id_/{PAGE}", PAGE),
    (f"http://web.archive.org/web/2024/{PAGE}", PAGE),
    (f"https://web.archive.org/web/2024*/{PAGE}", PAGE),
    (f"https://web.archive.org/web/*/{PAGE}", PAGE),
    (f"https://web.archive.org/web/{PAGE}", PAGE),
    (f"https://web.archive.org/save/{PAGE}", PAGE),
    ("https://web.archive.org/web/2024/http:/paper.example/flood", PLAIN),
    ("https://web.archive.org/web/20240301/paper.example/flood", PLAIN),
    ("https://web.archive.org/web/20240301/http%3A%2F%2Fpaper.example%2Fflood", PLAIN),
    (f"https://archive.ph/20240301120000/{PAGE}", PAGE),
    (f"https://archive.is/2024.03.01-120000/{PLAIN}", PLAIN),
    (f"https://archive.today/newest/{PLAIN}", PLAIN),
    (f"https://archive.ph/o/AbC12/{PLAIN}", PLAIN),
    (f"https://arquivo.pt/wayback/20240301120000/{PLAIN}", PLAIN),
    (f"https://wayback.archive-it.org/123/20240301120000/{PLAIN}", PLAIN),
    (f"https://webarchive.nationalarchives.gov.uk/ukgwa/20240301120000/{PLAIN}", PLAIN),
    (f"https://replay.archive.example/coll/20240301120000mp_/{PLAIN}", PLAIN),
    ("https://paper-example.cdn.ampproject.org/c/s/paper.example/flood?x=1", "https://paper.example/flood?x=1"),
    ("https://paper-example.cdn.ampproject.org/v/paper.example/flood", PLAIN),
    ("https://www.google.com/amp/s/amp.paper.example/flood", "https://amp.paper.example/flood"),
    ("https://www.google.co.uk/amp/paper.example/flood", PLAIN),
    ("https://paper-example.bing-amp.com/c/s/paper.example/flood", "https://paper.example/flood"),
    (f"https://www.google.com/url?sa=t&q={QUOTED}&ved=1", PAGE),
    (f"https://www.google.de/url?rct=j&sa=t&url={QUOTED}", PAGE),
    (f"https://news.google.com/news/url?sa=t&url={QUOTED}", PAGE),
    (f"https://translate.google.com/translate?hl=en&sl=de&u={QUOTED}", PAGE),
    (f"https://l.facebook.com/l.php?u={QUOTED}&h=AT0", PAGE),
    (f"https://lm.facebook.com/l.php?u={QUOTED}", PAGE),
    (f"https://l.instagram.com/?u={QUOTED}&e=AT0", PAGE),
    (f"https://t.umblr.com/redirect?z={QUOTED}&t=abc", PAGE),
    (f"https://out.reddit.com/t3_abc?url={QUOTED}&token=x", PAGE),
    (f"https://www.youtube.com/redirect?event=video_description&q={QUOTED}", PAGE),
    (f"https://slack-redir.net/link?url={QUOTED}", PAGE),
    (f"https://eur01.safelinks.protection.outlook.com/?url={QUOTED}&data=05%7C01", PAGE),
    (f"https://vk.com/away.php?to={QUOTED}", PAGE),
    (f"https://m.vk.com/away.php?to={QUOTED}", PAGE),
    (f"https://steamcommunity.com/linkfilter/?url={QUOTED}", PAGE),
    (f"https://duckduckgo.com/l/?uddg={QUOTED}", PAGE),
    (f"https://r.search.yahoo.com/_ylt=A0/RV=2/RE=1/RO=10/RU={QUOTED}/RK=2/RS=x", PAGE),
    (f"https://www.google.com/url?q={quote(QUOTED, safe='')}", PAGE),
    ("https://www.google.com/url?q=//paper.example/flood", PLAIN),
    (f"https://l.facebook.com/l.php?u={quote('https://web.archive.org/web/2024/' + PLAIN, safe='')}", PLAIN),
    (f"https://news.google.com/rss/articles/{NUMBER}?oc=5", PLAIN),
]  # fmt: skip

NOT_WRAPPED = [
    PAGE,
    "https://www.google.com/search?q=http://paper.example/flood",
    "https://www.google.com/url?q=flood",
    "https://www.google.com/url?q=javascript:alert(1)",
    "https://www.google.com/url?q=file:///etc/passwd",
    "https://www.google.com/url?q=data:text/html,x",
    "https://www.google.com/url?q=https://",
    "https://www.google.com/url?q=%",
    "https://www.google.com/url?q=%FF%FE",
    "https://www.google.com/url?q=http%3A%2F%2F%5B%3A%3A1",
    "https://www.google.com/url",
    "https://notgoogle.com/url?q=http://paper.example/",
    "https://google.evil.example/url?q=http://paper.example/",
    "https://l.facebook.com.evil.example/l.php?u=http://paper.example/",
    "https://www.facebook.com/sharer/sharer.php?u=http://paper.example/",
    "https://archive.ph/AbC12",
    "https://web.archive.org/web/20240301120000/",
    "https://web.archive.org/details/flood",
    "https://paper.example/2024/http://other.example/",
    "https://vk.com/away.php?to=",
    "https://news.google.com/rss/articles/CBMiabcdefghijklmnopqrstuvwxyz",
    "mailto:a@b.example",
    "",
]


@pytest.mark.parametrize(("url", "page"), WRAPPED)
def test_what_is_wrapped_is_found(url, page):
    assert unwrap(url) == page


@pytest.mark.parametrize("url", NOT_WRAPPED)
def test_any_other_address_stays_as_it_is(url):
    assert unwrap(url) == url


def test_layers_are_taken_off_up_to_a_bound():
    url = PLAIN
    for _ in range(5):
        url = f"https://web.archive.org/web/2024/{url}"
    assert unwrap(url) == PLAIN
    for _ in range(100):
        url = f"https://web.archive.org/web/2024/{url}"
    left = unwrap(url)
    assert left.startswith("https://web.archive.org/web/2024/https://web.archive.org/")
    assert len(left) < len(url)


def test_what_carries_itself_ends():
    itself = "https://www.google.com/url?q=https://www.google.com/url"
    assert unwrap(itself) == "https://www.google.com/url"
    for parameter in ("q", "url"):
        url = f"https://www.google.com/url?{parameter}=" + quote("https://www.google.com/url?q=", safe="") * 50
        assert len(unwrap(url)) <= len(url)


HOSTS = st.sampled_from(
    sorted({*ARCHIVE_HOSTS, *(host for host, _, _ in REDIRECTORS), "www.google.com", "a.cdn.ampproject.org"})
)
PARTS = st.lists(
    st.sampled_from(
        "/ web 2024 20240301120000 http: https: %3a %25 % // ? & q= u= url= to= a.example amp s/ c/ javascript: file: [::1 ü @ #"
        .split()
    ),
    max_size=30,
)  # fmt: skip


@given(HOSTS, PARTS)
def test_whatever_is_carried_is_a_web_address_and_no_longer_than_what_carried_it(host, parts):
    url = f"https://{host}/{''.join(parts)}"
    page = unwrap(url)
    assert page == url or page.startswith(("http://", "https://"))
    assert len(page) <= len(url) + len("http://")
    assert "javascript:" not in page[:11]


@pytest.mark.parametrize(
    ("before", "part"),
    [
        ("https://web.archive.org/web/2024/", "http:/"),
        ("https://web.archive.org/", "a/"),
        ("https://web.archive.org/web/2024/", "a."),
        ("https://paper.example/", "20240301120000/"),
        ("https://paper.example/", "2"),
        ("https://www.google.com/url?q=", "%25"),
        ("https://www.google.com/url?", "q=&"),
        ("https://a.cdn.ampproject.org/c/", "a."),
        ("https://news.google.com/articles/", "aHR0cDovL"),
        ("https://r.search.yahoo.com/", "/RU=http:"),
    ],
)
def test_time_grows_with_the_address(monkeypatch, before, part):
    monkeypatch.setattr("tearsheet.unwrapping._LONGEST", 10**9)  # the bound that keeps such addresses away
    assert_linear(unwrap, lambda count: before + part * count, 2_000)


def test_an_endless_address_is_not_even_read(monkeypatch):
    url = "https://www.google.com/url?q=" + "http://a.example/" * 10_000
    monkeypatch.setattr("tearsheet.unwrapping.split_http_url", lambda url: pytest.fail("read"))
    assert unwrap(url) == url
