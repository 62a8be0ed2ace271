"""Topics on the web pages."""

from __future__ import annotations

from datetime import date

import httpx
import pytest

from tearsheet.topics import parallel, spider_store, store
from tearsheet.topics.generate import WebStory
from tearsheet.topics.model import NewTopic
from tearsheet.topics.snapshot_store import save_snapshot
from tearsheet.web.app import create_app
from tearsheet.web.topics_page import SNAPSHOT_POLICY
from tests.integration.web.running import running
from tests.integration.web.seed import open_services


@pytest.fixture
def services(tmp_path):
    with open_services(tmp_path) as services:
        services.database.migrate()
        yield services


@pytest.fixture
def client(services):
    with (
        running(create_app(services)) as address,
        httpx.Client(base_url=address, headers={"accept": "text/html"}) as client,
    ):
        yield client


@pytest.fixture
def topic(services):
    made = store.create_topic(services.database, NewTopic("<Floods>", "flood", date(2024, 1, 1)), 1.0)
    story = WebStory(
        "0" * 64, "http://a.example/1", "a.example", "A <b>flood</b>", "page", date(2024, 1, 2), "meta", text="x"
    )
    spider_store.save_story(services.database, story, None, None, [])
    spider_store.route_seeds(services.database, made.id, [(story.id, False)], [], [])
    spider_store.decide(services.database, made.id, story.id, relevant=True, why="matched in title", mined=True)
    save_snapshot(services.database, made, note="first")
    return made


def test_without_a_topic_the_page_says_what_to_do(client):
    assert "tearsheet topic create" in client.get("/topics").text
    assert client.get("/topics.json").json() == []


def test_topics_and_their_snapshots(client, topic):
    listed = client.get("/topics")
    assert listed.status_code == 200
    assert "&lt;Floods&gt;" in listed.text
    assert f'href="/topics/{topic.id}/snapshots/1"' in listed.text
    [data] = client.get("/topics.json").json()
    assert (data["name"], data["stories"], data["snapshots"][0]["note"]) == ("<Floods>", 1, "first")
    shown = client.get(f"/topics/{topic.id}/snapshots/1")
    assert shown.headers["content-security-policy"] == SNAPSHOT_POLICY
    assert "<svg" in shown.text
    assert "A &lt;b&gt;flood&lt;/b&gt;" in shown.text
    assert client.get(f"/topics/{topic.id}/snapshots/1").text == shown.text


def test_snapshots_that_are_not_there_or_too_large(client, topic, monkeypatch):
    assert client.get(f"/topics/{topic.id}/snapshots/7").status_code == 404
    assert client.get("/topics/77/snapshots/1").status_code == 404
    monkeypatch.setattr(parallel, "LARGE", 1)
    answer = client.get(f"/topics/{topic.id}/snapshots/1")
    assert answer.status_code == 400
    assert "too large" in answer.text
