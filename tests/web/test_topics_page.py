"""Topics on the web pages."""

from __future__ import annotations

import httpx
import pytest

from tearsheet.topics import snapshot
from tearsheet.web.app import create_app
from tearsheet.web.topics_page import SNAPSHOT_POLICY
from tests.support.index_stories import story
from tests.support.patience import PATIENCE
from tests.support.web_seed import open_services, seed_topic
from tests.support.web_server import serve_app


@pytest.fixture
def services(tmp_path):
    with open_services(tmp_path) as services:
        services.database.migrate()
        yield services


@pytest.fixture
def client(services):
    with (
        serve_app(create_app(services)) as address,
        httpx.Client(base_url=address, headers={"accept": "text/html"}, timeout=PATIENCE) as client,
    ):
        yield client


@pytest.fixture
def topic(services):
    return seed_topic(services)


def test_without_a_topic_the_page_says_what_to_do(client):
    assert "tearsheet topic create" in client.get("/topics").text
    assert client.get("/topics.json").json() == []


def test_topics_and_their_snapshots(client, topic):
    listed = client.get("/topics")
    assert listed.status_code == 200
    assert "&lt;Floods&gt;" in listed.text
    assert f'href="/topics/{topic.id}/snapshots/1"' in listed.text
    [data] = client.get("/topics.json").json()
    assert (data["name"], data["stories"], data["snapshots"][0]["note"]) == ("<Floods>", 3, "first")
    shown = client.get(f"/topics/{topic.id}/snapshots/1")
    assert shown.headers["content-security-policy"] == SNAPSHOT_POLICY
    assert "<svg" in shown.text
    assert "A &lt;b&gt;flood&lt;/b&gt; at river" in shown.text
    assert client.get(f"/topics/{topic.id}/snapshots/1").text == shown.text


def test_snapshots_that_are_not_there_or_too_large(client, topic, monkeypatch):
    assert client.get(f"/topics/{topic.id}/snapshots/7").status_code == 404
    assert client.get("/topics/77/snapshots/1").status_code == 404
    assert client.get(f"/topics/{10**30}/snapshots/1").status_code == 400
    monkeypatch.setattr(snapshot, "LARGE", 1)
    answer = client.get(f"/topics/{topic.id}/snapshots/1")
    assert answer.status_code == 400
    assert "too large" in answer.text


def test_titles_lead_to_our_own_page_of_a_story_that_we_have(services, client, topic):
    services.index.add([story("harbour", "A flood at harbour", id=f"{0:064}")])
    services.index.refresh()
    shown = client.get(f"/topics/{topic.id}/snapshots/1").text
    assert f'href="/stories/{0:064}"' in shown
    assert 'href="http://river.example/1"' in shown
    assert 'href="http://harbour.example/1"' not in shown
