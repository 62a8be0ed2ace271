"""The server for agents as a process on stdin and stdout, and by HTTP behind the safeguards of the pages."""

from __future__ import annotations

import stat
from contextlib import contextmanager

import httpx
import pytest

from tearsheet.agents.audit import NAME
from tearsheet.app.token_store import TokenStore
from tearsheet.app.tokens import WRITE
from tearsheet.feeds.catalogue import change_members, find_source
from tests.support.agents import audited, body_of, refusal_of, talk_by_http, talk_to_process
from tests.support.patience import PATIENCE
from tests.support.web_seed import NOW, open_services, seed
from tests.support.web_server import serve_app

OWN = "German papers"
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
PATH = "/mcp"
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    with open_services(tmp_path_factory.mktemp("serving")) as services:
        truth = seed(services)
        change_members(services.database, OWN, [find_source(services.database, "nordkurier-test.example")], NOW)
        store = TokenStore(services.database)
        secrets = {"read": store.create("read"), "write": store.create("write", WRITE)}
        secrets["german"] = store.create("german", collections=[OWN])
        yield services, truth, secrets


@contextmanager
def listening(services, host="127.0.0.1", **more):
    from tearsheet.agents.serving import http_app, web_settings

    services.settings.mcp = type(services.settings.mcp)(host=host)
    with serve_app(http_app(services, **more), web_settings(services)) as address:
        yield address + PATH


@pytest.fixture(scope="module")
def public(filled):
    with listening(filled[0], "0.0.0.0", allow_writes=True) as address:
        yield address


@pytest.fixture(scope="module")
def private(filled):
    with listening(filled[0]) as address:
        yield address


async def first_story(client):
    """What an agent does first: look at the tools, search, read, verify."""
    names = [tool.name for tool in (await client.list_tools()).tools]
    found = body_of(await client.call_tool("search_stories", {"query": "climate", "limit": 1}))
    story = found["stories"][0]["id"]
    read = body_of(await client.call_tool("read_story", {"story": story}))
    return names, story, read, body_of(await client.call_tool("verify_story", {"story": story}))


def test_a_process_serves_the_real_client_until_its_budget_is_spent(tmp_path):
    with open_services(tmp_path) as services:
        seed(services)
    (tmp_path / "config.toml").write_text("[mcp]\ncalls = 4\n")

    async def talk(client):
        names, story, read, verified = await first_story(client)
        last = body_of(await client.call_tool("count_stories", {"query": "*"}))
        return names, story, read, verified, last, await client.call_tool("count_stories", {"query": "*"})

    names, story, read, verified, last, refused = talk_to_process(tmp_path, talk)
    assert "search_stories" in names and "capture_page" not in names
    assert read["id"] == story and read["untrusted"]["text"] and verified["verified"] is True
    assert last["budget"].startswith("0 of 4 calls, ")
    assert "the budget of this session is spent" in refusal_of(refused)
    seen = audited(tmp_path)
    assert [line["tool"] for line in seen] == [
        "search_stories", "read_story", "verify_story", "count_stories", "count_stories",
    ]  # fmt: skip
    assert [line["stories"] for line in seen] == [[story], [story], [story], [], []]
    assert seen[-1]["outcome"] == refusal_of(refused) and seen[0]["program"] == "test agent"
    assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_clients_of_today_and_of_yesterday_are_served_by_http(private, filled, mode):
    _, story, read, verified = talk_by_http(private, first_story, mode=mode)
    assert read["id"] == story and verified["verified"] is True
    assert audited(filled[0].data)[-1]["client"] == "local"


def test_elsewhere_every_request_needs_a_token(public, filled):
    for secret in ("", "tear_wrong"):
        headers = HEADERS | ({"authorization": f"Token {secret}"} if secret else {})
        answer = httpx.post(public, json=CALL, headers=headers, timeout=PATIENCE)
        assert answer.status_code == 401 and "token" in answer.json()["note"]
        with pytest.raises(BaseException, match=r"401|Unauthorized|unhandled"):
            talk_by_http(public, first_story, token=secret)
    names, story, *_ = talk_by_http(public, first_story, token=filled[2]["read"])
    assert story and "capture_page" in names
    assert audited(filled[0].data)[-1]["client"] == "read"


def test_a_token_for_a_collection_is_shown_no_word_of_others(public, filled):
    async def talk(client):
        asked = [
            ("search_stories", {"query": "*", "limit": 50}),
            ("count_stories", {"query": "*", "by": "source"}),
            ("list_sources", {}),
            ("list_collections", {}),
        ]
        shown = [body_of(await client.call_tool(name, arguments)) for name, arguments in asked]
        others = [
            ("read_story", {"story": filled[1].id_of(0)}),
            ("verify_story", {"story": filled[1].id_of(0)}),
            ("search_stories", {"query": "*", "collections": ["English papers"]}),
            ("list_sources", {"collection": "English papers"}),
            ("list_topics", {}),
            ("topic_top", {"topic": "<Floods>"}),
            ("list_gaps", {}),
            ("why_absent", {"address": "https://harbour-herald.example/gone/http-404/1"}),
        ]
        return shown, [refusal_of(await client.call_tool(name, arguments)) for name, arguments in others]

    shown, refused = talk_by_http(public, talk, token=filled[2]["german"])
    text = str(shown)
    assert shown[0]["matching"] == 6 and "nordkurier" in text and len(refused) == 8
    hidden = ("harbour-herald", "morning-gazette", "le-quotidien", "minato-shimbun", "al-marsa", "English papers")
    assert not [word for word in hidden if word in text]


def test_the_right_to_write_is_asked_for(public, filled):
    async def talk(client):
        return await client.call_tool("capture_page", {"address": "http://127.0.0.1:1/"})

    assert "may only read" in refusal_of(talk_by_http(public, talk, token=filled[2]["read"]))
    found = body_of(talk_by_http(public, talk, token=filled[2]["write"]))
    assert found["captured"] is False and found["outcome"] and found["proof"]["state"].startswith("none")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}, 403),
        ({"x-forwarded-for": "203.0.113.9"}, 401),
    ],
)
def test_no_other_site_reaches_it_through_a_browser(private, headers, status):
    assert httpx.post(private, json=CALL, headers=HEADERS | headers, timeout=PATIENCE).status_code == status


def test_only_what_the_protocol_needs_is_answered(private):
    base = private.removesuffix(PATH)
    led = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert httpx.get(f"{base}/", headers=led, timeout=PATIENCE).status_code == 403
    assert httpx.get(f"{base}/search", timeout=PATIENCE).status_code == 404
    for method in ("GET", "DELETE"):
        assert httpx.request(method, private, headers=HEADERS, timeout=PATIENCE).status_code in (403, 405)
    assert httpx.post(private, content=b'{"a": NaN}', headers=HEADERS, timeout=PATIENCE).status_code == 400
    large = httpx.post(private, content=b" " * 1_000_001, headers=HEADERS, timeout=PATIENCE)
    assert large.status_code == 413 and "1,000,000 bytes" in large.json()["note"]
