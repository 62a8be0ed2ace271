"""`topic describe`: the paragraph on methods, of a snapshot or of a topic without one."""

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

    go("topic", "create", "Rivers", "flood AND river", "--from", "2026-06-01")
    return go


def test_a_topic_without_a_snapshot_is_described_as_it_is(command):
    command("topic", "seed", "Rivers", "--index")
    text = command("topic", "describe", "Rivers")
    assert text.count("\n") == 1
    assert "asks for stories with “flood” and with “river” and published from 2026-06-01 on." in text
    assert "It started from 3 seeds: 3 stories of the collection that match. It has not been run yet." in text
    assert "no snapshot was taken yet" in text


def test_the_description_of_a_snapshot_stays_while_the_topic_changes(command):
    command("topic", "snapshot", "Rivers")
    first = command("topic", "describe", "Rivers", "--snapshot", 1)
    command("topic", "seed", "Rivers", "--index")
    command("topic", "snapshot", "Rivers")
    assert command("topic", "describe", "Rivers", "--snapshot", 1) == first
    newest = command("topic", "describe", "Rivers")
    assert "It has no seeds yet." in first and "It started from 3 seeds" in newest
    assert "Snapshot 1 of" in first and "Snapshot 2 of" in newest
    [row] = json.loads(command("topic", "describe", "Rivers", "--json"))
    assert row["paragraph"] == newest.rstrip("\n")
    assert (row["number"], row["stories"], row["record"]["seeds"]) == (2, 0, {"index": 3})
    assert (row["precision"]["share"], row["frozen"]) == (None, True)
    command("topic", "describe", "Rivers", "--snapshot", 9, code=5)
