"""What only the search servers do: indices behind an alias, points in time, and refusals for want of room."""

from __future__ import annotations

import threading

import pytest

from tearsheet.engines.index.search_server import SearchServerIndex, _make_token, _read_place, open_search_server
from tearsheet.engines.index.search_server_clients import PORTS, SETTING, Patient, Refused
from tearsheet.engines.server import LostConnection, parse_server_url
from tearsheet.errors import ConfigError, EngineError, ItemRefused
from tearsheet.query import QueryError, parse_query
from tests.support.index_stories import START, story
from tests.support.indexes import SERVERS

EVERYTHING = parse_query("*")


@pytest.fixture(params=SERVERS)
def harness(request, tmp_path):
    harness = request.param()
    harness.prepare(tmp_path)
    yield harness
    harness.clean()


@pytest.fixture
def index(harness):
    index = harness.open()
    yield index
    index.close()


def test_the_first_copy_wins_across_indices(index):
    index.add([story("a"), story("b")])
    assert index.writer.roll_over()
    index.add([story("c")])
    assert index.writer.roll_over()
    again = [story("a", story_id="x"), story("c", story_id="y"), story("b"), story("d")]
    assert [(r.status, r.first_story_id) for r in index.add(again)] == [
        ("duplicate", "story-a"), ("duplicate", "story-c"), ("own", "story-b"), ("created", "story-d"),
    ]  # fmt: skip
    index.refresh()
    assert index.count(EVERYTHING) == 4
    assert [one.url[-1] for one in index.get([story(name).id for name in "abcd"]) if one] == list("abcd")
    assert sorted(index.writer.indices()) == [f"{index.alias}-{n:06}" for n in (1, 2, 3)]


def test_an_index_that_is_full_is_followed_by_another(harness):
    index = harness.open("&rollover=3")
    for n in range(10):
        index.add([story(str(n))])
    index.refresh()
    assert index.count(EVERYTHING) == 10
    assert len(index.writer.indices()) == 4
    index.close()


def test_two_writers_and_a_rollover_between_them_make_no_duplicate(harness):
    """Each writer adds the same stories; the index is followed by another all the time."""
    stories = [story(str(n)) for n in range(60)]
    results: dict[str, list[str]] = {"left": [], "right": []}

    def write(name):
        index = harness.open()
        for one in stories:
            (result,) = index.add([story(one.url.rsplit("/", 1)[1], story_id=name)])
            results[name].append(result.status)
        index.close()

    threads = [threading.Thread(target=write, args=(name,)) for name in results]
    index = harness.open()
    for thread in threads:
        thread.start()
    for _ in range(5):
        index.writer.roll_over()
    for thread in threads:
        thread.join()
    index.refresh()
    assert index.count(EVERYTHING) == 60
    assert [sorted(pair) for pair in zip(*results.values(), strict=True)] == [["created", "duplicate"]] * 60
    index.close()


def test_pages_are_turned_in_a_point_in_time(index):
    index.add([story(str(n), indexed_date=START + n) for n in range(10)])
    index.refresh()
    first = index.search(EVERYTHING, limit=3)
    assert _read_place(first.next_token)[1] is None
    second = index.search(EVERYTHING, limit=3, token=first.next_token)
    place, view = _read_place(second.next_token)
    assert view
    # A story that comes in later, and would stand on the next page, is not seen in this view.
    index.add([story("late", indexed_date=START + 3)])
    index.refresh()
    third = index.search(EVERYTHING, limit=3, token=second.next_token)
    assert [one.url.rsplit("/", 1)[1] for one in third.stories] == ["3", "2", "1"]
    # When the view has ended, the place is still good.
    index._client.close_point_in_time(view)
    again = index.search(EVERYTHING, limit=10, token=_make_token([place, view]))
    assert {one.url.rsplit("/", 1)[1] for one in again.stories} >= {"3", "2", "1", "0"}


@pytest.mark.parametrize("text", ["(a OR " * 28 + "b" + " AND c)" * 28, '"word0 wor*"'])
def test_what_the_server_cannot_answer_is_refused_and_never_narrowed(index, text):
    index.add([story("a", text=" ".join(f"word{n}" for n in range(3000)))])
    index.refresh()
    query = parse_query(text)
    try:
        assert index.count(query) == query.matches(text="word0 word1")
    except QueryError as error:
        assert "cannot answer" in str(error) and "\n" not in str(error)


# ------------------------------------------------------------------------------------------------- without a server


class FakeServer:
    """Answers as told, and notes what it was asked."""

    name = "Fake"
    server = parse_server_url("opensearch://127.0.0.1:9/a", SETTING, PORTS)

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked: list[tuple[str, str]] = []

    def ask(self, method, path, params=None, body=None):
        self.asked.append((method, path))
        if path.startswith("/_alias/"):
            return {"a-000001": {"aliases": {"a": {"is_write_index": True}}}}
        if method == "PUT" or path.endswith(("_mget", "_refresh")):
            return {"docs": []}
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def open_point_in_time(self, index, keep_alive):
        return "view"

    def close_point_in_time(self, identifier):
        pass

    def close(self):
        pass


def items(*statuses):
    return {
        "items": [
            {"create": {"_id": str(n), "status": status, "error": {"type": "t"}}} for n, status in enumerate(statuses)
        ]
    }


def patient(index):
    index._patient._sleep = lambda seconds: None
    return index


def test_stories_for_which_there_was_no_room_are_sent_again():
    server = FakeServer(Refused(429, "rejected", ""), items(201, 429, 201), LostConnection("gone"), items(201))
    index = patient(SearchServerIndex(server, "a"))
    results = index.add([story("0"), story("1"), story("2")])
    assert [result.status for result in results] == ["created"] * 3
    assert [path for _, path in server.asked if path.endswith("_bulk")] == ["/a-000001/_bulk"] * 4


def test_a_server_that_stays_away_is_an_error_in_the_end():
    index = patient(SearchServerIndex(FakeServer(*[LostConnection("refused")] * 50), "a", patience=0.3))
    with pytest.raises(EngineError, match="does not answer"):
        index.add([story("0")])


def test_pauses_grow():
    pauses: list[float] = []
    asker = Patient(FakeServer(*[Refused(429, "", "")] * 5, {"count": 1}), 60, pauses.append)
    assert asker.ask("POST", "/a/_count") == {"count": 1}
    assert len(pauses) == 5
    assert all(
        0.75 * usual <= pause <= 1.25 * usual for pause, usual in zip(pauses, (0.1, 0.2, 0.4, 0.8, 1.6), strict=True)
    )


def test_a_story_that_the_server_cannot_take_is_named():
    index = patient(SearchServerIndex(FakeServer(items(400)), "a"))
    with pytest.raises(ItemRefused, match="story 0 was refused"):
        index.add([story("0")])


def test_large_batches_are_sent_in_parts():
    server = FakeServer(items(201), items(201), items(201))
    index = patient(SearchServerIndex(server, "a"))
    index.add([story(str(n), text="x" * 3_000_000) for n in range(3)])
    assert server.answers == []


@pytest.mark.parametrize("url", ["opensearch://", "opensearch://h/a?shards=x", "opensearch://h/a?size=3"])
def test_a_wrong_address_is_a_wrong_setting(url):
    with pytest.raises(ConfigError, match=r"engines\.index"):
        open_search_server(url)


def test_a_name_that_does_not_resolve_is_told_at_once():
    class Nowhere(FakeServer):
        server = parse_server_url("opensearch://nowhere.invalid/a", SETTING, PORTS)

    asked = Nowhere(*[LostConnection("no such name")] * 2)
    with pytest.raises(EngineError, match="does not resolve"):
        Patient(asked, 60, lambda pause: pytest.fail("waited")).ask("GET", "/")
    assert len(asked.answers) == 1
