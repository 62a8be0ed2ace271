"""Errors reach a server that speaks Sentry's protocol, without secrets, pages and people."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tearsheet.app.error_reports import ErrorReports, event_of
from tearsheet.errors import ConfigError, EngineError, ItemRefused
from tearsheet.masking import keep_secret
from tests.support.receiver import receiving
from tests.support.redirector import redirector


@pytest.fixture(autouse=True)
def secret() -> Iterator[None]:
    keep_secret(["hunter2hunter2"])
    yield
    keep_secret([])


def events(bodies: list[bytes]) -> list[dict[str, Any]]:
    """The events of envelopes: after its first line, an envelope has pairs of a header and a payload."""
    found = []
    for body in bodies:
        lines = body.splitlines()
        for header, payload in zip(lines[1::2], lines[2::2], strict=True):
            if json.loads(header)["type"] == "event":
                found.append(json.loads(payload))
    return found


def fail() -> None:
    page = "<p>Ann of Springfield</p>"
    try:
        int(page)
    except ValueError as error:
        raise EngineError("the database at me:hunter2hunter2@db.example does not answer") from error


def test_an_error_arrives_with_its_kinds_and_places_and_nothing_else():
    now = [0.0]
    with receiving() as server:
        reports = ErrorReports(f"http://key@{server.address}/7", clock=lambda: now[0])
        for _ in range(3):
            try:
                fail()
            except EngineError as error:
                extra = {"stage": "parser", "url": "http://paper.example/ann"}
                logging.getLogger("tearsheet.work").error("stage failed", exc_info=error, extra=extra)
                reports.report(error)
            now[0] += 50
        reports.close()
        reports.close()
        [first, crash, again, crash_again] = events(server.bodies("/api/7/envelope/"))
    assert first["message"] == again["message"] == "stage failed", "the second within a minute is not sent"
    assert "message" not in crash and "message" not in crash_again
    cause, raised = first["exception"]["values"]
    assert (cause["type"], cause["value"]) == ("ValueError", ""), "it quotes the page"
    assert (raised["type"], raised["value"]) == ("EngineError", "the database at me:***@db.example does not answer")
    assert [frame["function"] for frame in raised["stacktrace"]["frames"]][-1] == "fail"
    assert first["tags"] == {"stage": "parser"}
    assert not {"request", "user", "modules", "breadcrumbs"} & first.keys()
    assert not first.get("extra") and not first.get("server_name")
    told = json.dumps([first, crash, again])
    for hidden in ("hunter2hunter2", "Springfield", "paper.example", "vars", "/tests/", sys.argv[0]):
        assert hidden not in told
    assert logging.getLogger("tearsheet").handlers.count(reports) == 0


def test_what_is_said_about_one_story_is_not_told():
    refused = ItemRefused("http://paper.example/ann: the server answers 403")
    [told] = event_of("tearsheet", "", refused, None)["exception"]["values"]
    assert (told["type"], told["value"]) == ("ItemRefused", "")


def test_an_endless_chain_of_causes_ends():
    first, second = ValueError(), ValueError()
    first.__cause__, second.__cause__ = second, first
    assert len(event_of("tearsheet", "", first, None)["exception"]["values"]) == 2


def test_a_wrong_address_and_a_missing_client_are_one_line(monkeypatch):
    with pytest.raises(ConfigError, match="this is no DSN such as https://KEY@HOST/NUMBER"):
        ErrorReports("hunter2hunter2")
    monkeypatch.setitem(sys.modules, "sentry_sdk", None)
    with pytest.raises(ConfigError, match=r"log.sentry_dsn: .*pip install 'tearsheet\[sentry\]'"):
        ErrorReports("http://key@127.0.0.1:9/7")


def test_a_redirect_takes_our_key_nowhere():
    with redirector() as (elsewhere, seen_elsewhere), redirector(f"http://127.0.0.1:{elsewhere}") as (port, seen):
        reports = ErrorReports(f"http://key@127.0.0.1:{port}/1")
        reports.report(ValueError("x"))
        reports.close()
    assert [path for path, _ in seen] == ["/api/1/envelope/"]
    assert seen_elsewhere == []
