from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.extract import Document
from tearsheet.extract.dates import parse_date, plausible, url_date
from tests.unit.extract.pages import article_page

TODAY = date(2024, 6, 1)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-05-17T23:59:59-04:00", date(2024, 5, 17)),
        ("20240517", date(2024, 5, 17)),
        ("2024/5/7", date(2024, 5, 7)),
        ("2024年5月7日", date(2024, 5, 7)),
        ("17.05.2024, 10:15 Uhr", date(2024, 5, 17)),
        ("7. März 2024", date(2024, 3, 7)),
        ("May 17th, 2024", date(2024, 5, 17)),
        ("Fri, 17 May 2024 10:00:00 GMT", date(2024, 5, 17)),
        ("17 de mayo de 2024", date(2024, 5, 17)),
        ("05/17/2024", date(2024, 5, 17)),
        ("07/05/2024", date(2024, 5, 7)),
        ("1715904000", date(2024, 5, 17)),
        ("1715904000000", date(2024, 5, 17)),
        ("17 мая 2024", date(2024, 5, 17)),
        ("2024-13-45", None),
        ("31.02.2024", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_ways_of_writing(text, day):
    assert parse_date(text) == day


@pytest.mark.parametrize(
    ("url", "day"),
    [
        ("https://a.example/2024/05/17/slug", date(2024, 5, 17)),
        ("https://a.example/news/2024-5-7-slug", date(2024, 5, 7)),
        ("https://a.example/20240517/slug", date(2024, 5, 17)),
        ("https://a.example/meldungen/29-10-2021", date(2021, 10, 29)),
        ("https://a.example/2024/05/slug", None),
        ("https://a.example/article-20249999", None),
        ("https://a.example/id/120240517123", None),
    ],
)
def test_days_in_addresses(url, day):
    assert url_date(url) == day


def test_never_more_than_90_days_ahead():
    assert plausible(date(2024, 8, 30), TODAY)
    assert not plausible(date(2024, 8, 31), TODAY)
    assert not plausible(date(1990, 1, 1), TODAY)


def found(head="", extra="", url="https://a.example/x"):
    return Document(article_page(head=head, extra=extra), url, today=TODAY).publication_date


def test_where_it_came_from():
    meta = '<meta property="article:published_time" content="2024-05-02">'
    assert found(url="https://a.example/2024/05/01/x", head=meta) == (date(2024, 5, 1), "url")
    assert found(head=meta) == (date(2024, 5, 2), "meta")
    assert found(extra='<time itemprop="datePublished" datetime="2024-05-03">x</time>') == (date(2024, 5, 3), "time")
    assert found(extra='<p class="date">Published 4 May 2024</p>') == (date(2024, 5, 4), "text")
    assert found() is None


def test_a_date_too_far_ahead_gives_way_to_the_next():
    head = '<meta property="article:published_time" content="2025-05-02"><meta name="date" content="2024-05-03">'
    assert found(head=head) == (date(2024, 5, 3), "meta")


@given(st.text(max_size=120))
def test_never_raises(text):
    parse_date(text)
    url_date(text)


@pytest.mark.parametrize("text", ["1" * 100_000, "1." * 50_000, "12 a " * 20_000, "2024-" * 20_000, "May " * 30_000])
def test_linear_time(text):
    parse_date(text)
    url_date("https://a.example/" + text)
