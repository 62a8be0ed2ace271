"""`topic rehearse`: matches are judged at a terminal or on a sheet, and what was judged is kept and told."""

import csv
import json
from typing import Any

import pytest
from typer.testing import CliRunner

from tearsheet.cli import app
from tearsheet.urls import url_hash
from tests.support.topic_index import STORIES, fill_index

RIGHT = {url_hash(url) for url, (_, text) in STORIES.items() if "river" in text}


@pytest.fixture
def command(tmp_path):
    fill_index(tmp_path / "data")

    def go(*words, code=0, typed=None):
        done = CliRunner().invoke(app, ["--data", str(tmp_path / "data"), *map(str, words)], input=typed)
        assert done.exit_code == code, done.output
        return done

    go("topic", "create", "Rivers", "flood*")
    return go


def result(command) -> dict[str, Any]:
    rows: list[dict[str, Any]] = json.loads(command("topic", "rehearse", "Rivers", "--number", 0, "--json").stdout)
    return rows[0]


def test_answers_are_kept_as_they_are_given(command):
    asked = command("topic", "rehearse", "Rivers", typed="y\nwhat?\nN\ns\nq\n")
    assert "1 of 6" in asked.stderr and "4 of 6" in asked.stderr and "5 of 6" not in asked.stderr
    assert asked.stderr.count("Does it belong to the topic?") == 5
    assert "2 of 6 matches of the index (the topic has no stories yet) judged: 1 belongs, 1 does not" in asked.stdout
    assert "1 other was looked at, and nobody could tell" in asked.stdout
    assert "precision 50%, and with 95 % confidence between 9% and 91%" in asked.stdout
    command("topic", "rehearse", "Rivers", "--number", 2, typed="y\n")  # the input ends: what was said is kept
    assert [result(command)[name] for name in ("judged", "belong", "do_not", "undecided")] == [3, 2, 1, 1]
    again = command("topic", "rehearse", "Rivers", typed="y\ny\n")
    assert "2 of 2" in again.stderr
    assert result(command)["judged"] == 5
    assert "of 1" not in command("topic", "rehearse", "Rivers", typed="y\n").stderr


def test_each_match_is_shown_with_the_sentence_that_matched(command):
    shown = command("topic", "rehearse", "Rivers", typed="q\n").stderr.splitlines()
    story = next(url for url in STORIES if url in shown)
    day, text = STORIES[story]
    assert shown[1] == "1 of 6" and shown[2].startswith("Story ")
    assert shown[3] == f"{story[7:16]} · {day}"
    assert shown[4] == text.splitlines()[0]


def test_without_anybody_to_answer_it_says_what_else_there_is(command):
    assert "--judgements FILE.csv" in command("topic", "rehearse", "Rivers", typed="", code=2).stderr


def test_a_sheet_is_written_and_read_back(command, tmp_path):
    sheet = tmp_path / "sheet.csv"
    assert "6 matches are in" in command("topic", "rehearse", "Rivers", "--judgements", sheet).stdout
    with sheet.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert {row["stories_id"] for row in rows} == {url_hash(url) for url in STORIES if "flood" in STORIES[url][1]}
    assert all("flood" in row["sentence"] and not row["judgement"] for row in rows)
    assert "no row has a judgement yet" in command("topic", "rehearse", "Rivers", "--judgements", sheet, code=2).stderr
    with sheet.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]))
        writer.writeheader()
        writer.writerows(row | {"judgement": "y" if row["stories_id"] in RIGHT else "n"} for row in rows)
    told = command("topic", "rehearse", "Rivers", "--judgements", sheet)
    assert "6 matches were read" in told.stderr
    assert "6 of 6 matches of the index (the topic has no stories yet) judged: 4 belong, 2 do not" in told.stdout
    assert result(command)["precision"] == pytest.approx(4 / 6)
    done = command("topic", "rehearse", "Rivers", "--judgements", tmp_path / "other.csv", code=5)
    assert "no match that was not judged" in done.stderr


def test_a_topic_without_matches_says_why(command):
    command("topic", "create", "Nothing", "unheard")
    command("topic", "rehearse", "Nothing", "--number", 0, code=5)
