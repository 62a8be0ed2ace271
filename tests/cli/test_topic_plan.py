"""`topic plan`: the clauses of a query, and an estimate that asks nothing of the web when it is not to."""

import json

import pytest
from typer.testing import CliRunner

from tearsheet.cli import app
from tests.support.topic_index import fill_index


@pytest.fixture
def command(tmp_path):
    fill_index(tmp_path / "data")

    def go(*words, code=0):
        done = CliRunner().invoke(app, ["--data", str(tmp_path / "data"), *map(str, words)])
        assert done.exit_code == code, done.output
        return done.stdout

    return go


def test_each_clause_is_counted(command):
    command("topic", "create", "Rivers", "flood AND (river OR dam) NOT insurance", "--from", "2026-06-01")
    [plan] = json.loads(command("topic", "plan", "Rivers", "--sample", 0, "--json"))
    assert (plan["matching"], plan["stored"], plan["sample"], plan["estimate"]) == (3, False, None, None)
    rows = {row["clause"]: (row["kind"], row["alone"], row["within"], row["change"]) for row in plan["clauses"]}
    assert rows == {
        "with “flood”": ("and", 5, 3, 1),
        "with “river” or “dam”": ("and", 5, 3, 1),
        "with “insurance”": ("not", 1, 0, 1),
        "with “river”": ("or", 3, 2, -1),
        "with “dam”": ("or", 3, 2, -1),
    }
    assert plan["sources"] == [["a.example", 2], ["b.example", 1]]
    assert plan["months"] == [["2026-06", 2], ["2026-07", 1]]
    told = command("topic", "plan", "Rivers", "--sample", 0)
    assert "3 stories of the index match the query" in told
    assert [line.split() for line in told.splitlines() if "“insurance”" in line] == [
        ["with", "“insurance”", "excluded", "1", "0", "+1"]
    ]


def test_a_topic_without_anything_to_start_from_says_why(command):
    command("topic", "create", "Nothing", "unheard")
    command("topic", "plan", "Nothing", code=5)
    assert "near" not in command("topic", "list")
    command("topic", "plan", "None", code=5)


def test_a_plan_leaves_the_topic_as_it_was(command):
    command("topic", "create", "Rivers", "flood")
    before = command("topic", "status", "Rivers", "--json")
    command("topic", "plan", "Rivers", "--sample", 0)
    assert command("topic", "status", "Rivers", "--json") == before
