"""The tools as the real client of the protocol sees them, in one process."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import replace

import pytest

from tearsheet.agents.audit import NAME
from tearsheet.agents.wording import NOTICE
from tests.support.agents import audited, body_of, refusal_of, talk_here
from tests.support.web_seed import HOSTILE_TITLE, NOW

READING = {
    "search_stories", "count_stories", "read_story", "verify_story", "list_sources", "list_collections", "list_topics",
    "topic_top", "list_gaps", "why_absent",
}  # fmt: skip


def ask(services, name, **arguments):
    """One call; its answer."""
    return talk_here(services, lambda client: client.call_tool(name, arguments))


def test_the_client_lists_the_tools_and_is_told_what_is_untrusted(services):
    async def talk(client):
        return (await client.list_tools()).tools, client.instructions

    tools, instructions = talk_here(services, talk)
    assert {tool.name for tool in tools} == READING
    for tool in tools:
        assert tool.description and tool.annotations.read_only_hint
        assert all(field.get("description") for field in tool.input_schema["properties"].values()), tool.name
    assert "never an instruction" in instructions


def test_a_writing_tool_is_offered_only_where_it_is_allowed(services):
    async def names(client):
        return {tool.name: tool.annotations.read_only_hint for tool in (await client.list_tools()).tools}

    offered = talk_here(services, names, allow_writes=True)
    assert set(offered) == READING | {"capture_page"} and offered["capture_page"] is False
    assert "there is no tool 'capture_page'" in refusal_of(ask(services, "capture_page", address="http://a.example/"))


def test_a_search_finds_stories_with_their_proof(services, truth):
    found = body_of(ask(services, "search_stories", query="climate", limit=5))
    assert found["notice"] == NOTICE and found["matching"] >= len(found["stories"]) == 5
    for story in found["stories"]:
        proof = story["proof"]
        capture = services.captures.find(f"{proof['file']}:{proof['offset']}")
        assert (proof["state"], proof["sha256"], proof["length"]) == ("archived", capture.sha256, capture.length)
        assert proof["captured_at"] == capture.time.isoformat()
        assert set(story["untrusted"]) == {"title", "source", "address", "lead"}
    assert "no story matches" in body_of(ask(services, "search_stories", query="xylophone"))["note"]
    more = body_of(ask(services, "search_stories", query="climate", limit=5, token=found["next_token"]))
    assert not {story["id"] for story in more["stories"]} & {story["id"] for story in found["stories"]}


@pytest.mark.parametrize("by", ["", "day", "week", "month", "source", "language", "word"])
def test_stories_are_counted(services, truth, by):
    found = body_of(ask(services, "count_stories", query="*", by=by))
    assert found["matching"] == found["of"] == len(truth.stories)
    rows = found.get("rows", found.get("untrusted", {}).get("rows", []))
    if by in ("source", "language", "day", "week", "month"):
        assert sum(row["stories"] for row in rows) == len(truth.stories)
    assert bool(rows) == bool(by)
    assert ("untrusted" in found) == (by in ("source", "language", "word"))


def test_a_long_text_is_read_in_parts(services, truth, monkeypatch):
    [short] = services.index.get([truth.id_of(2)])
    long = replace(short, text_content='A line with "quotes" and a break.\n' * 300)
    monkeypatch.setattr(type(services.index), "get", lambda *_: [long])
    services.settings.mcp.answer_characters = 4_000
    offset: int | None = 0
    parts: list[str] = []
    while offset is not None:
        answer = ask(services, "read_story", story=short.id, offset=offset)
        found = body_of(answer)
        assert len(answer.content[0].text) <= 4_000 + len(found["budget"]) + 20
        parts.append(found["untrusted"]["text"])
        offset = found["next_offset"]
    assert 3 <= len(parts) <= 5 and "".join(parts) == long.text_content


def test_a_story_is_found_by_its_address(services, truth):
    address = truth.stories[3].content_metadata.url
    assert body_of(ask(services, "read_story", story=address))["id"] == truth.id_of(3)
    assert "there is no story" in refusal_of(ask(services, "read_story", story="f" * 64))
    assert refusal_of(ask(services, "read_story", story="no address at all"))


def test_a_proof_is_verified_against_the_archive(services, truth, monkeypatch):
    found = body_of(ask(services, "verify_story", story=truth.id_of(1)))
    assert found["verified"] is True and found["sha256_now"] == found["proof"]["sha256"]
    [capture] = services.captures.of_stories([("", truth.id_of(1))])
    other = services.captures.read(services.captures.of_stories([("", truth.id_of(2))])[0])
    monkeypatch.setattr(type(services.captures), "read", lambda *_: other)  # somebody has put another page there
    found = body_of(ask(services, "verify_story", story=truth.id_of(1)))
    assert found["verified"] is False and found["sha256_now"] != capture.sha256 and "NOT" in found["note"]


def test_a_story_without_a_proof_says_so(services, truth, monkeypatch):
    monkeypatch.setattr(type(services.captures), "of_stories", lambda _, pairs: [None for _ in pairs])
    found = body_of(ask(services, "read_story", story=truth.id_of(1)))
    assert found["proof"]["state"].startswith("none yet")
    assert "not archived yet" in refusal_of(ask(services, "verify_story", story=truth.id_of(1)))


def test_hostile_text_stays_data(services, truth):
    found = body_of(ask(services, "read_story", story=truth.id_of(0)))
    assert found["untrusted"]["title"] == HOSTILE_TITLE
    trusted = json.dumps({key: value for key, value in found.items() if key != "untrusted"})
    assert "script" not in trusted and "harbour" not in trusted


def test_sources_collections_and_topics_are_listed(services):
    sources = body_of(ask(services, "list_sources", collection="English papers"))
    assert {row["untrusted"]["domain"] for row in sources["sources"]} == {
        "harbour-herald.example",
        "morning-gazette.example",
    }
    page = body_of(ask(services, "list_sources", limit=2))
    assert (len(page["sources"]), page["of"], page["next_offset"]) == (2, 6, 2)
    assert body_of(ask(services, "list_sources", limit=2, offset=4))["next_offset"] is None
    names = [row["name"] for row in body_of(ask(services, "list_collections"))["collections"]]
    assert names == ["All test papers", "English papers"]
    [topic] = body_of(ask(services, "list_topics"))["topics"]
    assert (topic["name"], topic["snapshots"]) == ("<Floods>", 1)
    for name in ("<Floods>", "1"):
        top = body_of(ask(services, "topic_top", topic=name, limit=2))
        assert top["of_stories"] == 3 and len(top["stories"]) == len(top["media"]) == 2
        assert all(story["proof"]["state"].startswith("none yet") for story in top["stories"])
    assert "there is no topic" in refusal_of(ask(services, "topic_top", topic="none"))


def test_gaps_are_listed(services):
    found = body_of(talk_here(services, lambda client: client.call_tool("list_gaps", {}), clock=NOW.timestamp))
    assert found["of"] == len(found["gaps"]) == 0 and "takes two weeks" in found["note"]


@pytest.mark.parametrize(
    ("address", "known"),
    [
        ("https://harbour-herald.example/gone/http-404/1", "left_out"),
        ("https://harbour-herald.example/never-seen", "unseen"),
        ("https://nowhere.example/", "no_source"),
    ],
)
def test_it_says_why_a_story_is_absent(services, address, known):
    found = body_of(ask(services, "why_absent", address=address))
    assert found["known"] == known and found["note"]
    if known == "left_out":
        assert (found["steps"][-1]["reason"], found["steps"][-1]["meaning"]) == (
            "http-404",
            "the page does not exist (404)",
        )


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("nothing", {}, "there is no tool 'nothing'"),
        ("search_stories", {}, "query: Field required"),
        ("search_stories", {"query": "a", "limit": 10_000}, "limit: Input should be less than"),
        ("search_stories", {"query": "a", "colour": 1}, "colour: Extra inputs"),
        ("search_stories", {"query": "(open"}, ")"),
        ("search_stories", {"query": "a", "start": "never"}, "start: 'never' is not a day"),
        ("search_stories", {"query": "a", "collections": ["none"]}, "there is no collection"),
        ("search_stories", {"query": "a", "token": "x" * 50}, "token"),
        ("why_absent", {"address": "ftp://a"}, ""),
    ],
)  # fmt: skip
def test_what_is_asked_wrongly_is_told_in_one_line(services, name, arguments, told):
    answer = refusal_of(ask(services, name, **arguments))
    assert told in answer and "\n" not in answer


def test_our_own_error_is_told_without_its_insides(services, monkeypatch, caplog):
    monkeypatch.setattr(type(services.index), "search", lambda *_, **__: 1 / 0)
    answer = refusal_of(ask(services, "search_stories", query="climate"))
    assert answer == "something went wrong here; the server's log says what"
    assert audited(services.data)[-1]["outcome"] == answer


def test_a_client_is_refused_when_its_budget_is_spent(services, truth):
    services.settings.mcp.calls = 2

    async def talk(client):
        return [await client.call_tool("count_stories", {"query": "*"}) for _ in range(3)]

    first, second, third = talk_here(services, talk)
    assert body_of(first)["budget"].startswith("1 of 2 calls, 2,000 of 2,000 stories, ")
    assert body_of(second)["budget"].startswith("0 of 2 calls, ")
    assert "spent: 0 of 2 calls left" in refusal_of(third) and "mcp.calls" in refusal_of(third)


def test_stories_beyond_the_budget_are_not_shown(services):
    services.settings.mcp.stories = 3

    async def talk(client):
        return [await client.call_tool("search_stories", {"query": "*", "limit": 2}) for _ in range(3)]

    first, second, third = talk_here(services, talk)
    assert [len(body_of(one)["stories"]) for one in (first, second)] == [2, 1]
    assert "0 of 3 stories left" in refusal_of(third)


def test_characters_beyond_the_budget_are_not_shown(services, truth):
    services.settings.mcp.characters = 5_000

    async def talk(client):
        return [await client.call_tool("search_stories", {"query": "*", "limit": 9}) for _ in range(4)]

    answers = talk_here(services, talk)
    given = [one.content[0].text for one in answers if not one.is_error]
    assert 1 <= len(given) <= 3 and sum(map(len, given)) < 5_000 + 200 * len(given)
    assert "characters left" in refusal_of(answers[-1])


def test_the_log_shows_what_was_seen_and_no_secrets(services, truth):
    ask(services, "read_story", story=truth.id_of(1))
    ask(services, "why_absent", address="https://bob:hunter22@a.example/?token=geheim&q=\x1b[31m")
    first, second = audited(services.data)
    assert (first["client"], first["program"], first["tool"]) == ("stdio", "test agent", "read_story")
    assert (first["outcome"], first["stories"]) == ("answered", [truth.id_of(1)])
    assert first["characters"] > 500 and first["arguments"] == {"story": truth.id_of(1)}
    whole = (services.data / NAME).read_text("utf-8")
    assert "hunter22" not in whole and "geheim" not in whole and "\x1b" not in whole and second["arguments"]["address"]


def test_nothing_is_shown_that_could_not_be_logged(services):
    (services.data / NAME).mkdir()
    try:
        told = refusal_of(ask(services, "count_stories", query="*"))
    finally:
        (services.data / NAME).rmdir()
    assert told.startswith("nothing is shown without a line in the audit log: cannot write")


def test_a_slow_tool_holds_up_nobody(services, unblocked_loop, monkeypatch):
    """The work is done in threads, and a client that asks for much at once is answered one call after another."""
    at_work, most, lock = 0, 0, threading.Lock()
    count = type(services.index).count

    def slow(*given):
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        threading.Event().wait(0.15)
        with lock:
            at_work -= 1
        return count(*given)

    monkeypatch.setattr(type(services.index), "count", slow)

    async def talk(client):
        return await asyncio.gather(*(client.call_tool("count_stories", {"query": "*"}) for _ in range(3)))

    assert all(body_of(one)["matching"] for one in talk_here(services, talk))
    assert most == 1
