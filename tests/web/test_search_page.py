"""The search page counts what a test of each story by itself counts."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from typing import Any

import httpx
import pytest
from lxml import html as lxml_html
from pyarrow import parquet

from tearsheet.index import ORDERS, all_stories
from tearsheet.query import parse_query
from tearsheet.urls import url_hash
from tearsheet.web import asking, search_page
from tearsheet.web.app import create_app
from tearsheet.web.site import Site
from tests.support.patience import PATIENCE
from tests.support.web_seed import open_services
from tests.support.web_server import serve_app

QUERIES = [
    "*",
    "climate",
    'climate AND "sea wall"',
    "Klima* OR climat",
    "港町",
    "title:council NOT language:en",
    "zebra",
]


def matching(truth, query, **filters):
    asked = parse_query(query)
    return [
        story.content_metadata
        for story in truth.stories
        if asked.matches(
            title=story.content_metadata.article_title,
            text=story.content_metadata.text_content,
            url=story.content_metadata.url,
            language=story.content_metadata.language,
            canonical_domain=story.content_metadata.canonical_domain,
            publication_date=story.content_metadata.publication_date,
        )
        and all(getattr(story.content_metadata, name) == value for name, value in filters.items())
    ]


@pytest.mark.parametrize("query", QUERIES)
def test_every_figure_equals_an_independent_count(client, truth, query):
    data = client.get("/search.json", params={"q": query}).json()
    expected = matching(truth, query)
    assert data["count"] == len(expected)
    assert {day["date"]: day["count"] for day in data["attention"] if day["count"]} == Counter(
        content.publication_date for content in expected
    )
    assert dict(map(tuple, data["sources"])) == Counter(content.canonical_domain for content in expected)
    assert dict(map(tuple, data["languages"])) == Counter(content.language for content in expected)


def test_filters_narrow_the_answer(client, truth):
    asked = {"q": "climate", "domain": "morning-gazette.example", "start": "2026-11-01", "end": "2026-11-12"}
    expected = [
        content
        for content in matching(truth, "climate", canonical_domain="morning-gazette.example")
        if "2026-11-01" <= content.publication_date <= "2026-11-12"
    ]
    assert 0 < len(expected) < 9
    assert client.get("/search.json", params=asked).json()["count"] == len(expected)


class CountedCalls:
    """Another object, with a note of each call of it."""

    def __init__(self, real: Any) -> None:
        self.real, self.calls = real, list[str]()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.real, name)

        def call(*args: Any, **named: Any) -> Any:
            self.calls.append(name)
            return found(*args, **named)

        return call if callable(found) else found


@pytest.mark.parametrize(
    ("asked", "calls"), [({"q": "climate"}, 2), ({"q": "*"}, 1), ({"q": "climate", "collection": "English papers"}, 2)]
)
def test_a_page_asks_the_index_twice_at_most_and_looks_a_collection_up_once(seeded, monkeypatch, asked, calls):
    site = Site(seeded[0])
    index, looked_up = CountedCalls(site.services.index), CountedCalls(asking)
    monkeypatch.setattr(site.services, "index", index)
    monkeypatch.setattr(asking, "members_of", looked_up.members_of)
    assert search_page.answer(site, asking.SearchForm(**asked).question()).count > 0
    assert index.calls == ["survey"] * calls
    assert looked_up.calls == ["members_of"] * ("collection" in asked)


def test_a_collection_narrows_the_answer_and_its_shares(client, truth):
    asked = {"q": "climate", "collection": "English papers"}
    papers = ("harbour-herald.example", "morning-gazette.example")
    expected = [content for content in matching(truth, "climate") if content.canonical_domain in papers]
    data = client.get("/search.json", params=asked).json()
    assert data["count"] == len(expected) and dict(map(tuple, data["sources"])).keys() == set(papers)
    assert data["all_stories"] == sum(s.content_metadata.canonical_domain in papers for s in truth.stories)
    assert client.get("/search.json", params=asked | {"collection": "2"}).json()["count"] == len(expected)
    assert client.get("/search.json", params=asked | {"domain": "le-quotidien.example"}).json()["count"] == 0
    assert len(client.get("/search.jsonl", params=asked).text.splitlines()) == len(expected)
    assert client.get("/search.json", params=asked | {"collection": "No such"}).status_code == 404


DATA = ["/search.json", "/search.jsonl", "/search.csv", "/search.parquet", "/api/search/total-count"]


@pytest.mark.parametrize("path", DATA)
def test_a_moment_that_cannot_be_read_is_refused_in_one_sentence(client, path):
    answer = client.get(path, params={"q": "*", "as_of": "garbage"})
    assert answer.status_code == 400
    assert answer.json()["note"] == "as_of: 'garbage' is not a moment; write it as 2026-11-15T08:00:00Z"


@pytest.mark.parametrize(
    ("moment", "share"),
    [("2020-01-01T00:00:00Z", 0), ("2100-01-01", 1), ("0001-01-01", 0), ("9999-12-31T23:59:59.999999", 1)],
)
def test_stories_indexed_after_a_moment_are_left_out_of_every_answer(client, truth, moment, share):
    expected, asked = share * len(truth.stories), {"q": "*", "as_of": moment}
    found = client.get("/search.json", params=asked).json()
    assert (found["count"], found["all_stories"], len(found["hits"])) == (expected, expected, share * search_page.PAGE)
    assert len(client.get("/search.jsonl", params=asked).text.splitlines()) == expected
    total = client.get("/api/search/total-count", params=asked).json()
    assert total == {"count": {"relevant": expected, "total": expected}}


def test_the_page_keeps_its_moment(client):
    tree: Any = lxml_html.fromstring(client.get("/search", params={"q": "*", "as_of": "2100-01-01"}).text)
    links = tree.xpath("//section[h2='Sources']//a/@href | //ul[@class='exports']//a/@href | //a[@rel='next']/@href")
    assert len(links) > len(DATA) and all("as_of=2100-01-01T00%3A00%3A00Z" in link for link in links)
    assert tree.xpath("//form[@class='search']//input[@name='as_of']/@value") == ["2100-01-01"]
    tree = lxml_html.fromstring(client.get("/search", params={"q": "*"}).text)
    assert not tree.xpath("//input[@name='as_of']")


def test_the_page_offers_the_collections_and_keeps_the_chosen_one(client):
    tree: Any = lxml_html.fromstring(client.get("/search", params={"q": "*", "collection": "English papers"}).text)
    assert tree.xpath("//select[@id='collection']/option/text()") == [
        "All sources",
        "All test papers",
        "English papers",
    ]
    assert tree.xpath("//select[@id='collection']/option[@selected]/text()") == ["English papers"]
    assert (
        tree.xpath("string(//p[@class='explained'])") == "All stories, from sources of the collection “English papers”."
    )
    assert all("collection=English+papers" in link for link in tree.xpath("//section[h2='Sources']//a/@href"))


def test_paging_shows_every_story_once(client, truth):
    seen: list[str] = []
    token: str | None = ""
    while token is not None:
        answer = client.get("/search.json", params={"q": "*", "token": token}).json()
        seen += [hit["story"]["id"] for hit in answer["hits"]]
        token = answer["next_token"]
    assert sorted(seen) == sorted(url_hash(story.content_metadata.url) for story in truth.stories)


def test_the_page_explains_marks_and_links(client):
    tree: Any = lxml_html.fromstring(client.get("/search", params={"q": 'climate AND "sea wall"'}).text)
    assert "sea wall" in tree.xpath("string(//p[@class='explained'])")
    assert {"climate", "sea wall"} <= {mark.text for mark in tree.xpath("//mark")}
    following = client.get(tree.xpath("//a[@rel='next']/@href")[0])
    assert following.status_code == 200 and "First page" in following.text


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("climate AND (wall", "never closed"),
        ('"lone', "quote"),
        ("(" * 500, ""),
        ("\x00", ""),
        ("a OR " * 500 + "b", ""),
    ],
)
def test_a_strange_query_gets_an_answer_or_a_clear_error(client, query, words):
    answer = client.get("/search", params={"q": query})
    assert answer.status_code in (200, 400)
    assert words in answer.text


def test_bad_filters_say_what_is_wrong(client):
    assert "2026-11-15" in client.get("/search.json", params={"q": "*", "start": "yesterday"}).json()["note"]
    assert client.get("/search", params={"q": "*", "order": "best"}).status_code == 400


@pytest.mark.parametrize(
    ("asked", "status", "words"),
    [
        ({"start": "yesterday"}, 400, "is not a day"),
        ({"start": "2026-11-02", "end": "2026-11-01"}, 400, "would end (2026-11-01) before it starts (2026-11-02)"),
        ({"as_of": "garbage"}, 400, "is not a moment"),
        ({"collection": "Nope"}, 404, "no collection 'Nope'"),
        ({"token": "?"}, 400, "is not a token"),
    ],
)
def test_what_is_wrong_stands_under_the_box_and_the_question_stays_in_it(client, asked, status, words):
    answer = client.get("/search", params={"q": "sea wall"} | asked)
    tree: Any = lxml_html.fromstring(answer.text)
    assert answer.status_code == status
    assert words in tree.xpath("string(//div[@id='wrong'])")
    assert tree.xpath("//input[@id='q']/@value") == ["sea wall"]


def test_no_match_says_what_was_looked_at_and_what_to_try(client, truth, tmp_path):
    def empty(words: str, **asked: str) -> list[str]:
        tree: Any = lxml_html.fromstring(client.get("/search", params=asked).text)
        assert words in tree.xpath("string(//p[@class='none'])")
        return list(tree.xpath("//p[@class='none']/a/@href"))

    assert empty(f"No story matches, out of {len(truth.stories)}.", q="zebra") == ["/search"]
    assert empty("No story matches", q="zebra", language="en") == ["/search?q=zebra", "/search"]
    assert empty("no story at all", q="climate", end="1999-01-01") == ["/search?q=climate", "/search"]
    with open_services(tmp_path) as services, serve_app(create_app(services)) as address:
        assert "There is no story yet" in httpx.get(address + "/search?q=climate", timeout=PATIENCE).text


def test_exports_have_the_order_that_was_asked_for(client, seeded):
    index = seeded[0].index
    for order in ORDERS:
        lines = client.get(
            "/search.jsonl", params={"q": "climate OR harbour OR plan", "order": order}
        ).text.splitlines()
        expected = all_stories(index, parse_query("climate OR harbour OR plan"), order=order)
        assert [json.loads(line)["url"] for line in lines] == [story.url for story in expected]
        assert len(lines) > 3


@pytest.mark.parametrize(
    "path", ["/search.json", "/search.jsonl", "/search.csv", "/search.parquet", "/api/search/total-count"]
)
def test_what_asks_for_nothing_is_refused_as_on_the_command_line(client, path):
    wrong = client.get(path, params={"q": " "})
    assert wrong.status_code == 400 and "the query is empty; * finds every story" in wrong.json()["note"]
    if not path.startswith("/api/"):
        for name in ("domain", "collection", "language"):
            wrong = client.get(path, params={"q": "*", name: ""})
            assert wrong.status_code == 400 and f"{name}: an empty value" in wrong.json()["note"]


def test_the_form_may_be_left_blank_but_for_the_query(client, truth):
    """A browser sends every field of a form, also those that nobody filled in."""
    blank = {"start": "", "end": "", "domain": "", "collection": "", "language": " ", "order": "newest"}
    assert client.get("/search", params={"q": "*", **blank}).status_code == 200
    asked = client.get("/search", params={"q": "", **blank})
    assert asked.status_code == 400 and "finds every story" in asked.text


def test_exports_hold_every_story_with_its_text(client, truth):
    lines = [json.loads(line) for line in client.get("/search.jsonl", params={"q": "language:de"}).text.splitlines()]
    rows = list(csv.DictReader(io.StringIO(client.get("/search.csv", params={"q": "language:de"}).text, newline="")))
    expected = {content.url: content.text_content for content in matching(truth, "language:de")}
    assert {line["url"]: line["text_content"] for line in lines} == expected
    assert {row["url"]: row["text_content"] for row in rows} == expected
    table = parquet.read_table(io.BytesIO(client.get("/search.parquet", params={"q": "language:de"}).content))
    assert {row["url"]: row["text_content"] for row in table.to_pylist()} == expected
    assert client.get("/search.csv", params={"q": "*", "bom": 1}).content.startswith(b"\xef\xbb\xbfid,")
    assert client.get("/search.csv", params={"q": '"lone'}).status_code == 400


@pytest.mark.parametrize(
    "query", ["!" * 21_000 + "climate", "climate" + " " * 40_000 + "x", "climate OR " * 1_800 + "x"]
)
def test_a_question_too_long_to_be_repeated_in_every_link_is_refused_in_one_line(client, query):
    got = client.get("/search", params={"q": query})
    assert got.status_code == 400 and "his page takes questions of up to 16,000 characters" in got.text
    assert len(got.content) < 200_000
