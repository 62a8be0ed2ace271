"""A search server that refuses, is away, or takes a part."""

from __future__ import annotations

import io
import socket

import pytest

from tearsheet.engines.index.search_server import SearchServerIndex
from tearsheet.engines.index.search_server_clients import (
    PORTS,
    SETTING,
    ElasticsearchClient,
    OpenSearchClient,
    OutOfTime,
    Patient,
    Refused,
    SearchClient,
)
from tearsheet.engines.index.search_server_mapping import WORDS_OF
from tearsheet.engines.server import LostConnection, parse_server_url
from tearsheet.errors import EngineError, ItemRefused, TooSlow
from tearsheet.query import parse_query
from tests.support.answering import answering
from tests.support.fault_proxy import Plan, in_front_of
from tests.support.index_stories import story
from tests.support.receiver import receiving


class FakeServer(SearchClient):
    """Answers as told, and notes what it was asked."""

    name = "Fake"

    def __init__(self, *answers, url="opensearch://127.0.0.1:9/a"):
        server = parse_server_url(url, SETTING, PORTS)
        super().__init__(server, io.BytesIO(), timed_out=TimeoutError, lost=(ConnectionError,), refused=KeyError)
        self.answers = list(answers)
        self.asked: list[tuple[str, str]] = []

    def _perform(self, method, path, params, body, seconds):
        self.asked.append((method, path))
        if path.startswith("/_alias/"):
            return {"a-000001": {"aliases": {"a": {"is_write_index": True}}}}
        if path.endswith("/_mapping"):
            return {"a-000001": {"mappings": {"properties": {name: {} for name in WORDS_OF.values()}}}}
        if method == "PUT" or path.endswith(("_mget", "_refresh")):
            return {"docs": []}
        if path.endswith(("_stats/docs,store", "_settings/index.creation_date")):
            return self.tended(path)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def tended(self, path):
        return {"indices": {}} if "_stats" in path else {}

    def open_point_in_time(self, index, keep_alive):
        return "view"

    def close_point_in_time(self, identifier):
        pass

    def _said(self, error):
        return str(error)


def items(*statuses):
    return {
        "items": [
            {"create": {"_id": str(n), "status": status, "error": {"type": "t"}}} for n, status in enumerate(statuses)
        ]
    }


def patient(index):
    index._patient.sleep = lambda seconds: None
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


def test_stories_that_are_in_the_index_are_so_though_it_cannot_be_looked_after():
    class Restricted(FakeServer):
        def tended(self, path):
            raise Refused(403, "security_exception", "no permissions for [indices:monitor/stats]")

    index = patient(SearchServerIndex(Restricted(items(201)), "a"))
    assert [result.status for result in index.add([story("0")])] == ["created"]


def test_no_story_is_added_while_a_part_of_the_older_indices_cannot_be_searched():
    class Two(FakeServer):
        def ask(self, method, path, params=None, body=None, seconds=None):
            if path.startswith("/_alias/"):
                return {f"a-00000{n}": {"aliases": {"a": {"is_write_index": n == 2}}} for n in (1, 2)}
            return super().ask(method, path, params, body, seconds)

    server = Two(answer(failed=1), items(201))
    with pytest.raises(EngineError, match="1 of 3 parts of the index could not be searched"):
        patient(SearchServerIndex(server, "a")).add([story("0")])
    assert not [path for _, path in server.asked if path.endswith("_bulk")], "it might be there already"


@pytest.mark.parametrize("kind", [OpenSearchClient, ElasticsearchClient])
@pytest.mark.parametrize("fault", ["garbage", "truncated", "reset"])
def test_what_is_no_answer_of_the_server_is_a_lost_connection(kind, fault):
    with receiving() as server, in_front_of(f"http://{server.address}/") as proxy:
        proxy.begin(Plan("POST /a/_refresh", 0, fault))
        client = kind(parse_server_url(proxy.url.replace("http:", "opensearch:"), SETTING, PORTS))
        with pytest.raises(LostConnection):
            client.ask("POST", "/a/_refresh")
        client.close()


def test_large_batches_are_sent_in_parts():
    server = FakeServer(items(201), items(201), items(201))
    index = patient(SearchServerIndex(server, "a"))
    index.add([story(str(n), text="x" * 3_000_000) for n in range(3)])
    assert server.answers == []


def test_a_name_that_does_not_resolve_is_told_at_once():
    asked = FakeServer(*[LostConnection("no such name")] * 2, url="opensearch://nowhere.invalid/a")
    with pytest.raises(EngineError, match="does not resolve"):
        Patient(asked, 60, lambda pause: pytest.fail("waited")).ask("GET", "/")
    assert len(asked.answers) == 1


# ------------------------------------------------------------------------------------------------------- whole answers


def answer(*, timed_out=False, failed=0):
    return {
        "timed_out": timed_out,
        "_shards": {"total": 3, "failed": failed},
        "hits": {"total": {"value": 7}, "hits": []},
        "aggregations": {"answer": {"buckets": []}},
    }


ASKED = parse_query("the AND law")
QUESTIONS = {
    "count": lambda index: index.count(ASKED),
    "search": lambda index: index.search(ASKED),
    "page of best": lambda index: index.search(ASKED, order="relevance"),
    "survey": lambda index: index.survey(ASKED),
    "sample": lambda index: index.sample(ASKED, 5),
    "over time": lambda index: index.over_time(ASKED),
    "top": lambda index: index.top(ASKED, "language"),
    "top over time": lambda index: index.top_over_time(ASKED, "language"),
}


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
@pytest.mark.parametrize("ending", [answer(timed_out=True), OutOfTime("no answer")], ids=["in part", "not at all"])
def test_a_question_that_is_not_answered_in_time_is_not_answered_in_part(ask, ending):
    index = SearchServerIndex(FakeServer(ending), "a", query_seconds=3)
    with pytest.raises(TooSlow, match=r"longer than 3 s \(engines.query_seconds\).* it has 2 words"):
        ask(index)


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_an_answer_about_a_part_of_the_index_is_none(ask):
    with pytest.raises(EngineError, match="1 of 3 parts of the index could not be searched"):
        ask(SearchServerIndex(FakeServer(answer(failed=1)), "a"))


def test_a_whole_answer_is_taken():
    assert SearchServerIndex(FakeServer(answer()), "a").count(ASKED) == 7


@pytest.mark.parametrize("ending", [answer(failed=1), Refused(500, "search_phase_execution_exception", "all failed")])
def test_what_fails_after_the_deadline_fails_for_want_of_time(ending):
    with pytest.raises(TooSlow, match="it has 2 words"):
        SearchServerIndex(FakeServer(ending), "a", query_seconds=1e-9).count(ASKED)


@pytest.mark.parametrize("kind", [OpenSearchClient, ElasticsearchClient])
def test_each_client_gives_up_a_server_that_does_not_answer_in_time(kind):
    """The connection is accepted by the system, and nobody ever answers."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"opensearch://127.0.0.1:{silent.getsockname()[1]}/a"
        client = kind(parse_server_url(url, SETTING, PORTS))
        with pytest.raises(OutOfTime):
            client.ask("POST", "/a/_search", None, {"size": 0}, seconds=0.2)
        client.close()


@pytest.mark.parametrize("kind", [OpenSearchClient, ElasticsearchClient])
@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b'{"a":' * 100_000, b"[1]", b'"a"', b"<html>", b"\xff", b'{"a":' + b"9" * 9_000 + b"}"]
)
def test_an_answer_that_is_none_counts_as_lost(kind, body):
    """Something on the way may give it, or something else listen there."""
    with answering(body) as port:
        client = kind(parse_server_url(f"opensearch://127.0.0.1:{port}/a", SETTING, PORTS))
        with pytest.raises(LostConnection):
            client.ask("POST", "/a/_search", None, {"size": 0})
        client.close()
