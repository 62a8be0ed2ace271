"""The real `mediacloud` client, pointed at this server: every method, each answer counted by other means."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path

import pytest
from mediacloud.api import DirectoryApi, SearchApi
from mediacloud.error import APIResponseError

from tearsheet.query import parse_query
from tearsheet.query.words import cut
from tearsheet.urls import url_hash
from tests.support.web_seed import NOW

START, END = dt.date(2026, 10, 1), dt.date(2026, 11, 15)
ENGLISH = {"harbour-herald.example", "morning-gazette.example"}
QUERY = 'climate AND ("sea wall" OR Klimaplan)'


def api(kind, address):
    made = kind("any word will do on loopback")
    made.BASE_API_URL = f"{address}/api/"
    made.RATE_LIMIT_PER_MINUTE = 100_000
    return made


@pytest.fixture(scope="module")
def search(address):
    return api(SearchApi, address)


@pytest.fixture(scope="module")
def directory(address):
    return api(DirectoryApi, address)


@pytest.fixture(scope="module")
def all_papers(directory):
    return {row["name"]: row["id"] for row in directory.collection_list()["results"]}["All test papers"]


@pytest.fixture(scope="module")
def english_papers(directory):
    return {row["name"]: row["id"] for row in directory.collection_list()["results"]}["English papers"]


@pytest.fixture(scope="module")
def asked(english_papers):
    return {"query": QUERY, "start_date": START, "end_date": END, "collection_ids": [english_papers]}


@pytest.fixture(scope="module")
def expected(truth):
    """The stories that QUERY asks for among the English papers, found by testing each one by itself."""
    return [content for content in within(truth) if matches(QUERY, content)]


def within(truth, domains=ENGLISH, start=START, end=END):
    contents = [story.content_metadata for story in truth.stories]
    return [
        content
        for content in contents
        if content.canonical_domain in domains and start.isoformat() <= content.publication_date <= end.isoformat()
    ]


def matches(query, content):
    return parse_query(query).matches(
        title=content.article_title, text=content.text_content, url=content.url, language=content.language
    )


def monday(day: str) -> str:
    when = dt.date.fromisoformat(day)
    return (when - dt.timedelta(days=when.weekday())).isoformat()


def ids(contents) -> list[str]:
    return sorted(url_hash(content.url) for content in contents)


def test_story_count(search, asked, expected, truth):
    assert 0 < len(expected) < len(truth.stories)
    assert search.story_count(**asked) == {"relevant": len(expected), "total": len(within(truth))}


def test_story_count_over_time(search, asked, expected, truth):
    points = search.story_count_over_time(**asked)
    assert [point["date"] for point in points] == [START + dt.timedelta(days=n) for n in range((END - START).days + 1)]
    found, every = (Counter(content.publication_date for content in some) for some in (expected, within(truth)))
    for point in points:
        day = point["date"].isoformat()
        assert (point["count"], point["total_count"]) == (found[day], every[day])
        assert point["ratio"] == (found[day] / every[day] if every[day] else 0)


def by_source(contents, bucket):
    return Counter((content.canonical_domain, bucket(content.publication_date)) for content in contents)


def test_stories_by_source_week(search, asked, expected, truth):
    rows = search.stories_by_source_week(**asked)
    assert {(row["media_name"], row["week"]): row["matching_stories"] for row in rows} == by_source(expected, monday)
    every = by_source(within(truth), monday)
    for row in rows:
        assert row["total_stories"] == every[row["media_name"], row["week"]]
        assert row["ratio"] == row["matching_stories"] / row["total_stories"]


@pytest.mark.parametrize(
    ("interval", "bucket"), [(None, monday), ("day", str), ("week", monday), ("month", lambda day: f"{day[:7]}-01")]
)
def test_stories_by_source_over_interval(search, asked, expected, interval, bucket):
    rows = search.stories_by_source_over_interval(**asked, interval=interval)
    assert {(row["media_name"], row["bucket"]): row["matching_stories"] for row in rows} == by_source(expected, bucket)
    assert {row["interval"] for row in rows} == {interval or "week"}


@pytest.mark.parametrize("order", ["desc", "asc"])
def test_story_list_pages(search, asked, expected, order):
    seen, token = [], None
    while True:
        stories, token = search.story_list(**asked, page_size=7, pagination_token=token, sort_order=order)
        assert len(stories) <= 7
        seen += stories
        if token is None:
            break
    assert sorted(story["id"] for story in seen) == ids(expected)
    moments = [story["indexed_date"] for story in seen]
    assert moments == sorted(moments, reverse=order == "desc")
    assert all(isinstance(story["publish_date"], dt.date) and "text" not in story for story in seen)
    assert {story["media_name"] for story in seen} == ENGLISH == {story["media_url"] for story in seen}


def test_story_list_expanded_and_randomized(search, asked, expected):
    stories, _ = search.story_list(**asked, expanded=True, randomized=True)
    assert sorted(story["id"] for story in stories) == ids(expected)
    texts = {url_hash(content.url): content.text_content for content in expected}
    assert {story["id"]: story["text"] for story in stories} == texts


def test_story_sample(search, asked, expected):
    stories = search.story_sample(**asked, limit=5)
    assert len({story["id"] for story in stories}) == 5
    assert {story["id"] for story in stories} <= set(ids(expected))
    assert sorted(story["id"] for story in search.story_sample(**asked, limit=1000)) == ids(expected)


def test_story(search, expected):
    content = expected[0]
    story = search.story(url_hash(content.url))
    assert (story["title"], story["url"], story["language"], story["publish_date"], story["text"]) == (
        content.article_title,
        content.url,
        content.language,
        content.publication_date,
        content.text_content,
    )
    with pytest.raises(APIResponseError, match="404"):
        search.story("0" * 64)


def test_words(search, asked, expected):
    texts = [f"{content.article_title} {content.text_content}" for content in expected]
    counts = Counter(word for text in texts for word in cut(text))
    rows = search.words(**asked, limit=30)
    assert len(rows) == 30
    assert {row["term"]: row["count"] for row in rows} == {row["term"]: counts[row["term"]] for row in rows}
    assert [row["count"] for row in rows] == sorted((row["count"] for row in rows), reverse=True)
    assert not {"the", "of", "and"} & {row["term"] for row in rows}
    assert all(row["ratio"] == row["count"] / len(expected) for row in rows)
    assert all(row["doc_count"] == sum(row["term"] in cut(text) for text in texts) for row in rows)


def test_sources(search, asked, expected):
    rows = search.sources(**asked, limit=10)
    assert {row["source"]: row["count"] for row in rows} == Counter(content.canonical_domain for content in expected)


def test_languages(search, truth, all_papers):
    rows = search.languages("*", START, END, collection_ids=[all_papers])
    domains = {story.content_metadata.canonical_domain for story in truth.stories}
    expected = within(truth, domains)
    assert {row["language"]: row["value"] for row in rows} == Counter(content.language for content in expected)
    assert all(row["ratio"] == row["value"] / len(expected) for row in rows)


def test_sources_are_filtered_by_id(search, directory, truth):
    wanted = directory.source_list(name="morning")["results"][0]
    count = search.story_count("*", START, END, source_ids=[wanted["id"]])
    assert count["relevant"] == len(within(truth, {"morning-gazette.example"}))
    assert search.story_count("*", START, END, source_ids=[999_999]) == {"relevant": 0, "total": 0}


def test_collections(directory, all_papers, english_papers):
    page = directory.collection_list(platform=DirectoryApi.PLATFORM_ONLINE_NEWS)
    assert (page["count"], page["next"], page["previous"]) == (2, None, None)
    assert directory.collection_list(name="ENGLISH")["results"] == [directory.collection(english_papers)]
    assert directory.collection(all_papers)["name"] == "All test papers"
    assert directory.collection(all_papers)["source_count"] == 6
    assert directory.collection_list(platform=DirectoryApi.PLATFORM_REDDIT)["count"] == 0
    german = directory.source_list(name="nordkurier")["results"][0]["id"]
    assert [row["id"] for row in directory.collection_list(source_id=german)["results"]] == [all_papers]
    with pytest.raises(APIResponseError, match="no collection 77"):
        directory.collection(77)


def test_sources_of_the_directory(directory, english_papers):
    seen, offset = [], 0
    while True:
        page = directory.source_list(limit=4, offset=offset)
        assert page["count"] == 6
        seen += page["results"]
        if page["next"] is None:
            break
        offset += 4
    assert len({row["id"] for row in seen}) == 6
    assert {row["name"] for row in directory.source_list(collection_id=english_papers)["results"]} == ENGLISH
    first = directory.source(seen[0]["id"])
    assert first == seen[0]
    assert (first["name"], first["label"]) == ("harbour-herald.example", "Harbour Herald")


def test_feeds(directory):
    everything = directory.feed_list()
    assert everything["count"] == len(everything["results"]) == 6
    source = everything["results"][2]["source_id"]
    assert [row["source_id"] for row in directory.feed_list(source_id=source)["results"]] == [source]
    assert directory.feed_list(modified_since=NOW)["count"] == 6
    assert directory.feed_list(modified_since=NOW + dt.timedelta(seconds=1))["count"] == 0
    assert directory.feed_list(modified_before=NOW.timestamp())["count"] == 0
    details = directory.feed_list(source_id=source, return_details=True)["results"]
    assert [(row["sources_id"], row["active"]) for row in details] == [(source, True)]


@pytest.mark.parametrize("kind", [SearchApi, DirectoryApi])
def test_what_both_apis_share(kind, address):
    client = api(kind, address)
    assert client.user_profile()["username"] == "local"
    assert client.version()["now"] == NOW.timestamp()
    assert client.api_params()["params"]["query-rate"] == "600/m"


def test_every_method_of_the_client_is_called_here():
    own = {
        name for kind in (SearchApi, DirectoryApi) for name in dir(kind) if not name.startswith("_") and name.islower()
    }
    text = Path(__file__).read_text()
    assert {name for name in own if f".{name}(" not in text} == set()


@pytest.mark.parametrize(
    ("method", "arguments"),
    [("story_count", {"query": "climate AND ("}), ("story_list", {"query": "*", "sort_order": "up"}),
     ("stories_by_source_over_interval", {"query": "*", "interval": "year"}),
     ("story_list", {"query": "*", "pagination_token": "nonsense"}), ("story_list", {"query": "*", "page_size": 5000})],
)  # fmt: skip
def test_what_cannot_be_answered_says_why(search, all_papers, method, arguments):
    with pytest.raises(APIResponseError, match="400"):
        getattr(search, method)(start_date=START, end_date=END, collection_ids=[all_papers], **arguments)


def test_all_content_can_be_downloaded(client, truth):
    answer = client.get("/api/search/download-all-content-csv", params={"q": "language:fr"})
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.text.count("le-quotidien.example/") == 4
