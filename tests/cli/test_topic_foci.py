"""Foci by command: defined after the run, sized at once, and said where something has no effect."""

import json

import pytest
from typer.testing import CliRunner

from tearsheet.app.services import Services
from tearsheet.cli import app
from tearsheet.settings import Settings
from tearsheet.topics import NewTopic, store
from tests.support.topic_rows import add_members, web_story


@pytest.fixture
def command(tmp_path):
    with Services(Settings(tmp_path / "data")) as services:
        topic = store.create_topic(services.database, NewTopic("T", "flood"), 0)
        stories = [web_story(1, "Flood", "a.fr", "The dam."), web_story(2, "Flood", "b.example", "Rain.")]
        add_members(services.database, topic, *stories)

    def go(*words, code=0):
        done = CliRunner().invoke(app, ["--data", str(tmp_path / "data"), "topic", *map(str, words)])
        assert done.exit_code == code, done.output
        return done.output

    return go


def test_a_focus_is_defined_sized_listed_and_removed(command):
    assert "wet\n" in command("focus", "add", "T", "wet", "--query", "rain")
    command("snapshot", "T")
    assert "far: 1 of 2 stories" in command("focus", "add", "T", "far", "--country", "FR", "--source", "www.a.fr")
    output = command("focus", "add", "T", "odd", "--source", "nobody.example", "--language", "de")
    assert "odd: 0 of 2 stories" in output and "nobody.example has no story in the topic" in output
    rows = json.loads(command("focus", "list", "T", "--json"))
    assert [(row["name"], row["stories"], row["of"]) for row in rows] == [("far", 1, 2), ("odd", 0, 2), ("wet", 1, 2)]
    assert rows[0]["definition"] == "from a.fr, from the country fr"
    assert command("focus", "list", "T", "--csv").startswith("name,stories,of,definition")
    assert "removed: odd" in command("focus", "remove", "T", "odd")
    assert "no focus 'odd'" in command("focus", "remove", "T", "odd", code=5)
    assert "snapshot 2" in command("snapshot", "T", "--stories-of", "1")
    command("snapshot", "T", "--stories-of", "9", code=5)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "say what belongs to the focus"),
        (["--query", " "], "say what belongs to the focus"),
        (["--query", "rain", "--labels", "labels.csv"], "say what belongs to the focus"),
        (["--labels", "labels.csv"], "cannot read labels.csv"),
        (["--country", "france"], "no source is known to be of 'france'"),
        (["--country", "tv"], "no source is known to be of 'tv'"),
        (["--language", "german"], "--language: write it as `de`"),
        (["--source", "http://["], "--source: 'http://[' is not a source"),
    ],
)
def test_what_says_nothing_is_refused(command, options, said):
    assert said in " ".join(command("focus", "add", "T", "new", *options, code=2).split())


def test_labels_are_a_set_of_foci_and_every_line_without_effect_is_said(command, tmp_path):
    command("snapshot", "T")
    file = tmp_path / "labels.csv"
    file.write_bytes(b"\xef\xbb\xbfdomain;label\nb.example;left\nwww.a.fr;right\nc.example;left\nd.example;\n")
    output = command("focus", "add", "T", "party", "--labels", file, code=3)
    for said in (
        "party/left: 1 of 2 stories", "party/right: 1 of 2 stories", "line 4: c.example has no story", "line 5: d.example",
        "1 line was refused",
    ):  # fmt: skip
        assert said in output
    assert "removed: party/left, party/right" in command("focus", "remove", "T", "party")
    file.write_bytes(b"domain,label\nM\xfcnchen.example,left\n")
    assert "line 2: not in UTF-8" in " ".join(command("focus", "add", "T", "party", "--labels", file, code=2).split())
