"""A story can be seen for as long as any copy of its WARC file is left."""

from __future__ import annotations

import json
import logging
from typing import Any

import httpx
import pytest
from lxml import html as lxml_html

from tearsheet.archive.replay import CAPTURE_POLICY
from tearsheet.engines.blobs.folder import FolderBlobs
from tearsheet.errors import EngineError
from tearsheet.feeds.tables import stories
from tearsheet.story import Story
from tearsheet.urls import normalize_url, url_hash
from tearsheet.web.app import create_app
from tests.support.feed_fakes import NOW
from tests.support.moved_archive import collect, copy_of, move_away, open_moving
from tests.support.web_server import serve_app


@pytest.fixture
def services(tmp_path):
    with open_moving(tmp_path) as services:
        yield services


@pytest.fixture
def client(services):
    with serve_app(create_app(services)) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


def path_of(story: Story) -> str:
    return f"/stories/{url_hash(str(story.content_metadata.url))}"


def only(answer: httpx.Response, path: str) -> str:
    tree: Any = lxml_html.fromstring(answer.text)
    (found,) = tree.xpath(path)
    return str(found)


def test_a_story_whose_file_was_moved_to_a_store_is_seen_and_replayed(services, client):
    story = collect(services)[1]
    move_away(services)
    path = path_of(story)
    record = client.get(f"{path}.json").json()["capture"]
    assert (record["local"], record["in_store"]) == (False, True)
    shown = client.get(only(client.get(path), "//section[@class='proof']//a/@href"))
    assert shown.status_code == 200, shown.text
    assert "The bytes in the archive are those that were recorded" in shown.text
    page = client.get(only(shown, "//iframe/@src"), headers={"sec-fetch-dest": "iframe"})
    assert page.content == story.raw_html.html
    assert page.headers["content-security-policy"] == CAPTURE_POLICY
    assert page.headers["content-type"] == "text/html; charset=utf-8"


def test_a_story_whose_file_is_here_needs_no_store(services, client):
    story = collect(services)[0]
    path = path_of(story)
    record = client.get(f"{path}.json").json()["capture"]
    assert (record["local"], record["in_store"]) == (True, False)
    assert client.get(f"{path}/capture").content == story.raw_html.html


def test_a_page_that_cannot_be_read_names_no_store_to_visitors(services, client, caplog):
    story = collect(services)[0]
    move_away(services)
    copy_of(services).unlink()
    with caplog.at_level(logging.WARNING, "tearsheet.web.stories"):
        answer = client.get(f"{path_of(story)}/capture")
    assert answer.status_code == 404
    assert "cannot be read;" in answer.text and "copies" not in answer.text
    assert "copies" in caplog.records[-1].error


def test_a_page_in_a_store_that_is_away_can_be_asked_for_again(services, client, monkeypatch):
    story = collect(services)[0]
    move_away(services)

    def away(*_: object) -> None:
        raise EngineError("the store is away")

    for method in ("head", "read"):  # it is away, or goes away
        with monkeypatch.context() as patched:
            patched.setattr(FolderBlobs, method, away)
            for path in ("capture", "replay"):
                answer = client.get(f"{path_of(story)}/{path}")
                assert (answer.status_code, "cannot be read now" in answer.text) == (503, True)
    assert client.get(f"{path_of(story)}/capture").status_code == 200


def test_bytes_that_are_not_those_that_were_recorded_are_said_to_be_others(services, client, tmp_path):
    story, other = collect(services)[:2]
    with services.database.begin() as connection:
        connection.exec_driver_sql("UPDATE captures SET sha256 = 'another' WHERE story_id = ?", (story.id,))
    for one, said in ((story, "are not those"), (other, "are those")):
        shown = client.get(f"{path_of(one)}/replay")
        assert f"The bytes in the archive {said} that were recorded" in shown.text


def test_what_the_feed_says_of_a_story_is_shown_without_its_markup(services, client):
    story = collect(services)[0]
    url, files = str(story.content_metadata.url), ("https://a.example/talk.mp3", "javascript:alert(1)")
    details = {
        "summary": "<p>In short &amp; <script>alert(1)</script>in <b>bold</b></p>",
        "authors": ["Ann <Lee>"],
        "categories": ["Politics"],
        "enclosures": [{"url": file, "type": "audio/mpeg", "length": 1234} for file in files],
    }
    assert client.get(f"{path_of(story)}.json").json()["entry"] is None
    row = {
        "url": url,
        "normalized_url": normalize_url(url),
        "fetched_at": NOW,
        "seen_at": NOW,
        "details": json.dumps(details),
    }
    with services.database.begin() as connection:
        connection.execute(stories.insert().values(row))
    page: Any = lxml_html.fromstring(client.get(path_of(story)).text)
    (section,) = page.xpath("//section[@aria-labelledby='entry']")
    assert [part.text_content() for part in section.xpath(".//dd")][:3] == [
        "Ann <Lee>",
        "Politics",
        "In short & in bold",
    ]
    assert section.xpath(".//a/@href") == ["https://a.example/talk.mp3"]
    assert "1,234 bytes" in section.text_content() and not section.xpath(".//script")
    assert client.get(f"{path_of(story)}.json").json()["entry"]["summary"] == "In short & in bold"
