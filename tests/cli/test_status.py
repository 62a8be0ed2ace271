"""`tearsheet status` and `tearsheet stats`, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tearsheet.app.queues import with_broker
from tearsheet.cli import app
from tearsheet.engines.broker import Broker, Message, Output
from tearsheet.work import LedgerEntry
from tests.support.web_seed import open_services

LINK, URL = "http://feed.example/r?1", "https://paper.example/a"


@pytest.fixture
def tearsheet(tmp_path: Path):
    with open_services(tmp_path / "data") as services:
        tried = LedgerEntry("1", "fetcher", "retrying", "noconn", "bad certificate", 3, 7, "paper.example", LINK)
        services.ledger.record([tried])
        services.ledger.record(
            [LedgerEntry("1", "fetcher", "recovered", "try 2", "", 3, 7, "paper.example", LINK, tries=2)]
        )
        services.ledger.record(
            [LedgerEntry("1", "parser", "dropped", "too-short", "", 3, 7, "paper.example", URL, LINK)]
        )
        services.ledger.record([LedgerEntry("2", "parser", "dropped", "too-short", domain="other.example")])

    def run(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(app, ["--data", str(tmp_path / "data"), "--quiet", *words])
        assert result.exit_code == code, result.output
        return result.output

    return run


@pytest.mark.parametrize("address", [LINK, URL])
def test_a_story_is_shown_with_every_try_by_its_link_or_address(tearsheet, address):
    rows = json.loads(tearsheet("stats", "--url", address, "--json"))
    assert [(row["stage"], row["status"], row["detail"]) for row in rows] == [
        ("fetcher", "retrying", "bad certificate"),
        ("fetcher", "recovered", ""),
        ("parser", "dropped", ""),
    ]


def test_an_address_that_the_ledger_does_not_know_is_said(tearsheet):
    assert "knows no story with the address http://no.example/" in tearsheet(
        "stats", "--url", "http://no.example/", code=5
    )
    assert "without --days and --by" in tearsheet("stats", "--url", URL, "--days", "3", code=2)


def test_outcomes_are_summed_up_by_what_is_asked(tearsheet):
    def sums(by: str) -> list[tuple[str, int]]:
        rows = json.loads(tearsheet("stats", "--by", by, "--json"))
        return [(row["of"], row["stories"]) for row in rows if row["stage"] == "parser"]

    assert sums("source") == [("", 1), ("3", 1)]
    assert sums("feed") == [("", 1), ("7", 1)]
    assert sums("domain") == [("other.example", 1), ("paper.example", 1)]
    assert [stories for _, stories in sums("day")] == [2]
    assert "too-short" in tearsheet("stats", "--by", "source")
    assert tearsheet("stats", "--csv").splitlines()[0].strip() == "stage,status,reason,stories"


def test_of_the_queues_those_are_shown_in_which_something_waits(tearsheet, tmp_path):
    async def publish(broker: Broker) -> None:
        await broker.publish([Output("fetcher-in", Message(b"1")), Output("parser-in", Message(b"2"))])

    async def empty(broker: Broker) -> None:
        await broker.purge("fetcher-in")

    with open_services(tmp_path / "data") as services:
        with_broker(services, publish)
        with_broker(services, empty)
        shown = tearsheet("status")
        assert "parser-in" in shown and "fetcher-in" not in shown
        assert [row["queue"] for row in json.loads(tearsheet("status", "--json"))["queues"]] == [
            "fetcher-in",
            "parser-in",
        ]
        with_broker(services, lambda broker: broker.purge("parser-in"))
        assert "Nothing waits in the 2 queues" in tearsheet("status")
