"""Words of parts of a topic, compared by command."""

import csv
import io
import json

import pytest
from sqlalchemy import delete
from typer.testing import CliRunner

from tearsheet.app.services import Services
from tearsheet.cli import app
from tearsheet.settings import Settings
from tearsheet.topics import Focus, NewTopic, store, tables
from tearsheet.topics.snapshot import save_snapshot
from tests.support.topic_rows import add_members, web_story


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "data")


@pytest.fixture
def command(settings):
    foci = {"dam": Focus("dam"), "a": Focus(sources=("a.example",))}
    with Services(settings) as services:
        topic = store.create_topic(services.database, NewTopic("T", "flood", foci=foci), 0)
        stories = [
            web_story(1, "Flood", "a.example", "The dam broke, said Ann Smith."),
            web_story(2, "Flood", "b.example", "The dam held, and =rain fell."),
            web_story(3, "Flood", "b.example", "The rain fell and fell on Bob Jones."),
        ]
        add_members(services.database, topic, *stories)
        save_snapshot(services.database, topic)

    def go(*words, code=0):
        done = CliRunner().invoke(app, ["--data", str(settings.data), "topic", "words", *map(str, words)])
        assert done.exit_code == code, done.output
        return done

    return go


def test_a_focus_is_compared_with_the_rest(command):
    done = command("T", "dam", "--json")
    rows = {row["word"]: row for row in json.loads(done.stdout)}
    assert rows["dam"]["more_in"] == "dam" and rows["fell"]["more_in"] == "the rest"
    assert (rows["dam"]["count"], rows["dam"]["other_count"], rows["dam"]["stories"]) == (2, 0, 2)
    assert (rows["fell"]["count"], rows["fell"]["other_count"], rows["fell"]["other_stories"]) == (1, 2, 1)
    assert done.stderr.startswith("dam: 14 words in 2 stories\nthe rest: 9 words in 1 story")


def test_two_parts_share_no_story_and_that_is_said(command):
    done = command("T", "a", "--against", "dam", "--names", code=5)
    assert "'a' has no stories of its own" in done.output
    done = command("T", "dam", "--against", "a", "--csv", "--limit", "1", code=5)
    assert "'a' has no stories of its own" in done.output


def test_names_instead_of_words(command):
    done = command("T", "a", "--names", "--csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["word"], row["more_in"], row["count"]) for row in rows] == [
        ("Ann Smith", "a", "1"), ("Bob Jones", "the rest", "0"),
    ]  # fmt: skip


def test_erased_texts_are_counted(command, settings):
    with Services(settings) as services, services.database.begin() as connection:
        connection.execute(delete(tables.web_stories).where(tables.web_stories.c.stories_id == f"{2:064}"))
    assert "dam: 7 words in 1 story; 1 story has no text any more" in command("T", "dam").stderr


def test_what_is_not_there(command):
    assert "no focus or period 'dm'; did you mean dam" in command("T", "dm", code=5).output
    assert "has no snapshot 9" in command("T", "dam", "--snapshot", "9", code=5).output
