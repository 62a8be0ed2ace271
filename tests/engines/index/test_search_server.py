"""A search server that refuses, is away, or takes a part."""

from __future__ import annotations

import pytest

from tearsheet.engines.index.opensearch import SearchIndex
from tearsheet.engines.index.search_server import Patient, Refused, Unreachable
from tearsheet.errors import EngineError
from tests.support.index_stories import story


class FakeServer:
    """Answers as told, and notes what it was asked."""

    name = "Fake"

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
    server = FakeServer(Refused(429, "rejected", ""), items(201, 429, 201), Unreachable("gone"), items(201))
    index = patient(SearchIndex(server, "a"))
    results = index.add([story("0"), story("1"), story("2")])
    assert [result.status for result in results] == ["created"] * 3
    assert [path for _, path in server.asked if path.endswith("_bulk")] == ["/a-000001/_bulk"] * 4


def test_a_server_that_stays_away_is_an_error_in_the_end():
    index = patient(SearchIndex(FakeServer(*[Unreachable("refused")] * 50), "a", patience=0.3))
    with pytest.raises(EngineError, match="does not answer"):
        index.add([story("0")])


def test_pauses_grow():
    pauses: list[float] = []
    asker = Patient(FakeServer(*[Refused(429, "", "")] * 5, {"count": 1}), 60, pauses.append)
    assert asker.ask("POST", "/a/_count") == {"count": 1}
    assert pauses == [0.1, 0.2, 0.4, 0.8, 1.6]


def test_a_story_that_the_server_cannot_take_is_named():
    index = patient(SearchIndex(FakeServer(items(400)), "a"))
    with pytest.raises(EngineError, match="story 0 was refused"):
        index.add([story("0")])


def test_large_batches_are_sent_in_parts():
    server = FakeServer(items(201), items(201), items(201))
    index = patient(SearchIndex(server, "a"))
    index.add([story(str(n), text="x" * 3_000_000) for n in range(3)])
    assert server.answers == []
