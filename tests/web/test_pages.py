"""The pages show what was put in, escaped, with the headers that keep a captured page harmless."""

from __future__ import annotations

import hashlib
import re
import sys
from collections import Counter
from typing import Any

import pytest
from lxml import html as lxml_html

from tearsheet.archive.replay import CAPTURE_POLICY
from tearsheet.web.security import PAGE_POLICY
from tests.support.web_seed import HOSTILE_TITLE


def tree_of(answer):
    assert answer.status_code == 200, answer.text
    return lxml_html.fromstring(answer.text)


def texts(tree, path):
    return [" ".join(node.text_content().split()) for node in tree.xpath(path)]


def test_the_front_page_counts_what_was_put_in(client, truth):
    tree = tree_of(client.get("/"))
    figures = dict(
        zip(texts(tree, "//dl[@class='figures']//dt"), texts(tree, "//dl[@class='figures']//dd[1]"), strict=True)
    )
    assert figures == {
        "Stories collected": str(len(truth.stories)),
        "Captures archived": str(len(truth.stories)),
        "Left out": str(truth.dropped),
        "In quarantine": str(truth.quarantined),
        "Waiting": "3",
    }
    rows = tree.xpath("//section[@aria-labelledby='sources']//tbody/tr")
    shown = {row.xpath("string(th)"): int(row.xpath("string(td[2])")) for row in rows}
    assert shown == Counter(story.content_metadata.canonical_domain for story in truth.stories)


def test_the_front_page_says_what_was_left_out_and_why(client):
    tree = tree_of(client.get("/"))
    link = tree.xpath("//section[@aria-labelledby='left-out']//a[contains(., '404')]")[0]
    listed = tree_of(client.get(link.get("href")))
    assert len(listed.xpath("//ol[@class='outcomes']/li")) == 7
    assert set(texts(listed, "//ol[@class='outcomes']/li/p[@class='why']/code")) == {"http-404"}


def test_the_data_of_the_front_page_is_the_same(client, truth):
    data = client.get("/overview.json").json()
    assert data["stories"] == len(truth.stories)
    assert sum(count for _, count in data["days"]) == len(truth.stories)
    assert {queue["name"]: queue["ready"] for queue in data["queues"]} == {"fetcher-in": 3}


def test_a_story_page_has_the_text_the_evidence_and_the_record(client, truth, seeded):
    story = truth.stories[20]
    tree = tree_of(client.get(f"/stories/{truth.id_of(20)}"))
    assert texts(tree, "//h1") == [story.content_metadata.article_title]
    assert "".join(texts(tree, "//div[@class='text']")).replace(" ", "") == re.sub(
        r"\s", "", story.content_metadata.text_content
    )
    record = dict(zip(texts(tree, "//dt"), texts(tree, "//dd"), strict=True))
    assert "the page's address" in record["Published"]
    assert record["Source"] == "Morning Gazette"
    assert record["SHA-256 of the page"] == hashlib.sha256(story.raw_html.html).hexdigest()
    capture = seeded[0].archive.capture_of_story(story.id)
    assert record["WARC file"] == capture.file.name
    assert record["Offset"] == f"{capture.offset:,}"


def test_what_the_web_wrote_is_escaped(client, truth):
    for path in (f"/stories/{truth.id_of(0)}", f"/stories/{truth.id_of(0)}/replay"):
        answer = client.get(path)
        assert "<script>alert" not in answer.text
        assert HOSTILE_TITLE in texts(lxml_html.fromstring(answer.text), "//h1")


def test_an_address_that_is_a_script_is_no_link(client):
    answer = client.get("/outcomes", params={"reason": "too-short"})
    assert "javascript:alert(1)" in answer.text
    assert not lxml_html.fromstring(answer.text).xpath("//a[starts-with(@href, 'javascript')]")


@pytest.mark.parametrize("path", ["/", "/outcomes", "/nowhere", "/healthz", "/static/style.css"])
def test_every_answer_has_the_strict_policy(client, path):
    headers = client.get(path).headers
    assert headers["content-security-policy"] == PAGE_POLICY
    assert headers["x-content-type-options"] == "nosniff"


def test_a_captured_page_is_only_shown_where_it_can_do_nothing(client, truth):
    story = truth.stories[0]
    tree = tree_of(client.get(f"/stories/{truth.id_of(0)}/replay"))
    frame = tree.xpath("//iframe")[0]
    assert frame.get("sandbox") == ""
    answer = client.get(frame.get("src"), headers={"sec-fetch-dest": "iframe"})
    assert answer.content == story.raw_html.html
    assert answer.headers["content-security-policy"] == CAPTURE_POLICY
    assert CAPTURE_POLICY.startswith("sandbox; default-src 'none'") and "allow" not in CAPTURE_POLICY
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "The bytes in the archive are those that were recorded" in tree.text_content()
    alone = client.get(frame.get("src"), headers={"sec-fetch-dest": "document"})
    assert alone.status_code == 303 and alone.headers["location"].endswith("/replay")


def test_outcomes_are_filtered_and_paged(client, truth):
    everything = client.get("/outcomes.json", params={"status": ""}).json()
    seen, token = list(everything["outcomes"]), everything["next_token"]
    while token:
        answer = client.get("/outcomes.json", params={"status": "", "token": token}).json()
        seen += answer["outcomes"]
        token = answer["next_token"]
    keys = [(row["story_id"], row["stage"]) for row in seen]
    assert len(keys) == len(set(keys)) == 4 * len(truth.stories) + truth.dropped + truth.quarantined
    only = client.get("/outcomes.json", params={"status": "quarantined"}).json()["outcomes"]
    assert [row["words"] for row in only] == ["the page took too long"]
    assert client.get("/outcomes.json", params={"token": "nonsense"}).status_code == 400


@pytest.mark.parametrize(
    "path", ["/stories/abc", "/stories/" + "0" * 64, "/stories/" + "0" * 64 + "/replay", "/nowhere"]
)
def test_what_is_not_there_is_a_page_that_says_so(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert texts(lxml_html.fromstring(answer.text), "//h1") == ["Not found"]
    assert client.get(path, headers={"accept": "application/json"}).json()["status"] == "error"


def test_every_link_within_the_site_leads_somewhere(client, truth):
    seen: set[str] = set()
    todo = [f"/stories/{truth.id_of(1)}", "/search", "/search?q=climate", "/api", "/outcomes", "/topics", "/"]
    while todo:
        path = todo.pop()
        if path in seen or len(seen) > 80:
            continue
        seen.add(path)
        answer = client.get(path)
        assert answer.status_code == 200, path
        if answer.headers["content-type"].startswith("text/html"):
            tree: Any = lxml_html.fromstring(answer.text)
            links = tree.xpath("//a/@href | //link/@href | //script/@src | //iframe/@src")
            todo = [link for link in links if link.startswith("/")] + todo


def test_the_api_is_described(client):
    description = client.get("/openapi.json").json()
    assert description["openapi"].startswith("3.1")
    for path, methods in description["paths"].items():
        for operation in methods.values():
            assert operation.get("description") and operation.get("tags"), path
            unexplained = [one["name"] for one in operation.get("parameters", []) if not one.get("schema")]
            assert not unexplained, path
            assert "422" not in operation["responses"], path


def test_what_goes_wrong_is_answered_as_described(client):
    description = client.get("/openapi.json").json()
    problem = description["components"]["schemas"]["Problem"]
    answers = description["paths"]["/api/search/story-list"]["get"]["responses"]
    assert answers["400"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Problem"}
    for asked in ({"page_size": "many"}, {"start": "yesterday"}, {"q": "(open"}, {"sort_order": "up"}):
        answer = client.get("/api/search/story-list", params=asked)
        assert (answer.status_code, list(answer.json())) == (400, problem["required"]), asked


def test_parquet_is_offered_where_it_can_be_written(client, monkeypatch):
    offered = "All stories as Parquet"
    assert offered in client.get("/search?q=climate").text
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert offered not in client.get("/search?q=climate").text
    answer = client.get("/search.parquet?q=climate")
    assert answer.status_code == 501 and "tearsheet[parquet]" in answer.json()["note"]
