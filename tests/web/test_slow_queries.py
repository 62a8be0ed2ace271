"""Expensive queries from many visitors: each is stopped and told so, and the other pages go on."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tearsheet.web.app import create_app
from tests.support.index_stories import long_stories, near_phrases
from tests.support.web_seed import open_services
from tests.support.web_server import serve_app

ATTACK = near_phrases(35, 1000)
"""As many such phrases as a query may have."""
ROUTES = [
    "/search",
    "/search.json",
    "/search.jsonl",
    "/search.csv",
    "/search.parquet",
    "/api/search/total-count",
    "/api/search/count-over-time",
    "/api/search/count-by-source-week",
    "/api/search/story-list",
    "/api/search/sample",
    "/api/search/sources",
    "/api/search/languages",
    "/api/search/words",
    "/api/search/download-all-content-csv",
]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with open_services(tmp_path_factory.mktemp("slow"), **{"engines.query_seconds": 0.3}) as services:
        services.index.add(long_stories(40, 20_000))
        services.index.refresh()
        with serve_app(create_app(services)) as address:
            yield address


@pytest.fixture
def client(address):
    with httpx.Client(base_url=address, headers={"accept": "text/html"}, timeout=60) as client:
        yield client


@pytest.mark.parametrize("route", ROUTES)
def test_every_search_is_stopped_and_says_what_was_expensive(client, route):
    answer = client.get(route, params={"q": ATTACK})
    assert answer.status_code == 503
    assert "longer than 0.3 s" in answer.text
    assert "35 phrases with a distance (up to 1,000)" in answer.text


@pytest.mark.parametrize("route", ROUTES)
def test_every_search_refuses_what_is_absurd(client, route):
    answer = client.get(route, params={"q": near_phrases(50, 1000)})
    assert answer.status_code == 400
    assert "50 phrases with a distance (up to 1,000)" in answer.text


def test_the_search_page_keeps_the_query_that_was_stopped(client):
    text = client.get("/search", params={"q": ATTACK}).text
    assert 'role="alert"' in text and "~1000 OR" in text


@pytest.mark.proof
def test_many_at_once_leave_room_for_the_other_pages(client):
    """Forty is how many requests the server works on at once; each attacker asks again as soon as it was told to go."""
    over = threading.Event()

    def attack(_: int) -> list[tuple[int, str]]:
        answers = []
        while not over.is_set():
            answer = client.get("/search.json", params={"q": ATTACK})
            answers.append((answer.status_code, answer.json()["note"]))
        return answers

    with ThreadPoolExecutor(40) as visitors:
        attacks = [visitors.submit(attack, number) for number in range(40)]
        try:
            paths = ("/healthz", "/readyz", "/", "/search?q=the", "/search.json?q=of")
            others = [client.get(path).status_code for path in paths]
        finally:
            over.set()
        told = [answer for one in attacks for answer in one.result()]
    assert others == [200] * len(paths)
    assert {status for status, _ in told} == {503}
    assert {"try again in a few seconds" in note for _, note in told} == {True, False}
