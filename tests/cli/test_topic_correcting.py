"""Topics corrected by command: what is said of it, and what the lists show."""

import csv
import io
import json
from datetime import date

import pytest
from typer.testing import CliRunner

from tearsheet.app.services import Services
from tearsheet.cli import app
from tearsheet.engines.index.opener import open_index
from tearsheet.engines.index.port import IndexedStory
from tearsheet.settings import Settings
from tearsheet.topics import model
from tearsheet.topics.snapshot import save_snapshot
from tearsheet.topics.spider.stores import fetches, links, seeds, web_stories
from tearsheet.topics.store import find_topic, set_state
from tearsheet.urls import url_hash
from tests.support.topic_rows import add_members, web_story

FAILED = "http://down.example/1"


@pytest.fixture
def command(tmp_path):
    (tmp_path / "data").mkdir()

    def go(*words, code=0):
        done = CliRunner().invoke(app, ["--data", str(tmp_path / "data"), *map(str, words)])
        assert done.exit_code == code, done.output
        return " ".join(done.output.split())

    return go


@pytest.fixture
def flood(command, tmp_path):
    """A topic with two stories and a page that could not be had."""
    command("topic", "create", "Flood", "flood", "--from", "2024-01-01")
    command("topic", "seed", "Flood", FAILED)
    with Services(Settings(tmp_path / "data")) as services:
        database, topic = services.database, find_topic(services.database, "Flood")
        [seed] = seeds.unprocessed_seeds(database, topic.id, 10)
        seeds.route_seeds(database, topic.id, [], [(seed.url_key, seed.url, False)], [seed.url_key])
        fetches.finish_fetch(database, topic.id, seed.url_key, model.REQUEST_FAILED, message="HTTP 503")
        for number in (1, 2):
            story = web_story(number, f"=Flood {number}", media=f"{'ab'[number - 1]}.example")
            address = [(url_hash(story.url), story.url)]
            web_stories.save_story(database, story, None, None, address)
            add_members(database, topic, story)
            links.save_links(database, topic.id, story.id, 0, ())
    return "Flood"


def rows(told: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(told)))


def test_what_became_of_each_page_is_listed_and_filtered(command, flood):
    listed = json.loads(command("topic", "stories", flood, "--json"))
    assert [(one["status"], one["url"], one["why"]) for one in listed] == [
        ("in", "http://a.example/1", "matched in title"),
        ("in", "http://b.example/2", "matched in title"),
        ("undecided", FAILED, "HTTP 503"),
    ]
    assert "1 shown, of 2 in, 0 out, 1 undecided" in command("topic", "stories", flood, "--why", "503")
    assert [
        one["url"] for one in json.loads(command("topic", "stories", flood, "--source", "b.example", "--json"))
    ] == ["http://b.example/2"]
    assert "no such page, of 2 in, 0 out, 1 undecided" in command("topic", "stories", flood, "--status", "out")
    assert "none of in, out, undecided" in command("topic", "stories", flood, "--status", "maybe", code=2)
    assert "'=Flood 1" in command("topic", "stories", flood, "--csv"), "no cell is a formula"


def test_decisions_are_made_listed_undone_and_kept(command, flood):
    page = "http://a.example/1"
    assert "--reason: say why" in command("topic", "exclude", flood, page, code=2)
    told = command("topic", "exclude", flood, page, "http://new.example/1", "--reason", "an advertisement")
    assert "2 pages will be left out" in told
    assert "not come across yet, and left out if it is: http://new.example/1" in told
    assert "`tearsheet topic run Flood` works out the result" in told
    assert "corrections wait for the next run" in command("topic", "stories", flood)
    assert "corrections of 'Flood' wait for its next run" in command("topic", "snapshot", flood, code=2)
    told = command("topic", "include", flood, page, "mailto:x", "--reason", "it is not", code=3)
    assert "1 page will be taken in" in told
    assert "refused, as it is not an address: mailto:x" in told
    command("topic", "merge", flood, "www.b.example", "https://a.example/", "--reason", "one paper")
    assert "circle: a.example → b.example → a.example" in command(
        "topic", "merge", flood, "a.example", "b.example", "--reason", "no", code=2
    )
    same = ("topic", "merge", flood, "m.b.example", "www.b.example", "--reason", "no")
    assert "b.example is one source already" in command(*same, code=2)
    held = json.loads(command("topic", "decisions", flood, "--json"))
    assert [(one["kind"], one["subject"], one["target"], one["reason"]) for one in held] == [
        ("exclude", "http://new.example/1", "", "an advertisement"),
        ("include", page, "", "it is not"),
        ("merge", "b.example", "a.example", "one paper"),
    ]
    command("topic", "include", flood, page, "--undo")
    command("topic", "include", flood, page, "--undo", code=5)
    command("topic", "split", flood, "b.example")
    command("topic", "split", flood, "b.example", code=5)
    command("topic", "exclude", flood, "http://new.example/1", "--undo")
    assert "nobody has decided anything about 'Flood'" in command("topic", "decisions", flood)
    assert len(json.loads(command("topic", "decisions", flood, "--all", "--json"))) == 4


def test_what_failed_is_tried_again(command, flood):
    assert "1 address will be tried again" in command("topic", "retry", flood)
    assert "no link of it failed" in command("topic", "retry", flood, code=5)
    assert "none of these addresses failed" in command("topic", "retry", flood, "http://a.example/1", code=5)
    assert "not an address" in command("topic", "retry", flood, "x", code=2)


def test_an_edit_says_what_is_done_again(command, flood, tmp_path):
    index = open_index("index", tmp_path / "data")
    urls = [f"http://{name}.example/x" for name in "abc"]
    index.add(
        [
            IndexedStory(url_hash(url), str(i), url, url[7:16], i, title, f"A {title}.", source_id=None,
                         publication_date=date(2024, 5, 1).isoformat())
            for i, (url, title) in enumerate(zip(urls, ("flood", "flood", "storm"), strict=True))
        ]
    )  # fmt: skip
    index.close()
    assert "2 seeds added" in command("topic", "seed", flood, "--index")
    told = command("topic", "edit", flood, "--query", "storm", "--iterations", "3", "--reason", "the storm came first")
    assert "changed: query, iterations" in told
    assert "1 seed from the index instead of 2" in told
    assert "2 known pages will be judged again, none of them is fetched for that" in told
    held = json.loads(command("topic", "decisions", flood, "--json"))
    assert [(one["subject"], one["target"]) for one in held] == [
        ("query", "flood → storm"),
        ("max_iterations", "15 → 3"),
    ]
    assert {one["reason"] for one in held} == {"the storm came first"}
    told = command("topic", "edit", flood, "--seconds", "2")
    assert "changed: pace" in told and "judged" not in told
    assert "changed: first day" in command("topic", "edit", flood, "--from", "")
    with Services(Settings(tmp_path / "data")) as services:
        topic = find_topic(services.database, flood)
    assert (topic.query, topic.start, topic.max_iterations, topic.seconds_per_media_fetch) == ("storm", None, 3, 2.0)
    assert topic.corrected
    assert "defined so already" in command("topic", "edit", flood, "--iterations", "3", code=2)
    assert "nothing to change" in command("topic", "edit", flood, code=2)
    assert "--iterations" in command("topic", "edit", flood, "--iterations", "-1", code=2)
    command("topic", "edit", flood, "--query", "(", code=2)
    command("topic", "edit", flood, "--source", "b.example")
    command("topic", "edit", flood, "--any-source", "--source", "b.example", code=2)
    assert "changed: sources" in command("topic", "edit", flood, "--any-source")


def test_a_topic_at_work_is_stopped_before_it_is_corrected(command, flood, tmp_path):
    with Services(Settings(tmp_path / "data")) as services:
        set_state(services.database, find_topic(services.database, flood).id, model.RUNNING)
    for words in (
        ("edit", flood, "--iterations", "3"),
        ("retry", flood),
        ("include", flood, FAILED, "--reason", "x"),
        ("exclude", flood, FAILED, "--reason", "x"),
        ("merge", flood, "a.example", "b.example", "--reason", "x"),
        ("split", flood, "a.example"),
    ):
        assert "is at work: `tearsheet topic stop Flood` stops it" in command("topic", *words, code=2)
    assert json.loads(command("topic", "decisions", flood, "--json")) == []
    command("topic", "stop", flood)
    command("topic", "exclude", flood, FAILED, "--reason", "x")
    command("topic", "delete", flood, "--yes")
    command("topic", "decisions", flood, code=5)


def test_two_snapshots_are_compared(command, flood, tmp_path):
    with Services(Settings(tmp_path / "data")) as services:
        topic = find_topic(services.database, flood)
        first = save_snapshot(services.database, topic)
        add_members(services.database, topic, web_story(3, "Flood 3"))
        second = save_snapshot(services.database, topic)
    told = json.loads(command("topic", "compare", flood, first, second, "--json"))
    assert [(one["change"], one["subject"]) for one in told] == [("entered", "http://a.example/3")]
    assert "1 left" in command("topic", "compare", flood, second, first)
    assert "nothing changed" in command("topic", "compare", flood, first, first)
    command("topic", "compare", flood, first, 99, code=5)
