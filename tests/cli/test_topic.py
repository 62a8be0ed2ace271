"""Topics by command: where seeds come from, and sources that are one."""

import json
from datetime import date

import pytest
import typer
from typer.testing import CliRunner

from tearsheet.app.services import Services
from tearsheet.cli import app
from tearsheet.engines.index.opener import open_index
from tearsheet.engines.index.port import IndexedStory
from tearsheet.settings import Settings
from tearsheet.topics import Focus
from tearsheet.topics.store import find_topic
from tearsheet.urls import url_hash


@pytest.fixture
def command(tmp_path):
    (tmp_path / "data").mkdir()

    def go(*words, code=0):
        done = CliRunner().invoke(app, ["--data", str(tmp_path / "data"), *map(str, words)])
        assert done.exit_code == code, done.output
        return done.output

    return go


def test_collections_give_the_sources_of_seeds(command, tmp_path):
    for domain in ("a.example", "b.example", "c.example"):
        command("sources", "add", f"http://{domain}/")
    command("collections", "add", "Locals", "a.example", "b.example")
    command("topic", "create", "Flood", "flood", "--collection", "Nobody", code=5)
    assert "empty value" in command("topic", "create", "Flood", "flood", "--source", " ", code=2)
    command("topic", "create", "Flood", "flood", "--collection", "Locals")
    command(
        "topic", "create", "One", "flood", "--collection", "Locals", "--source", "A.example", "--source", "d.example"
    )
    index = open_index("index", tmp_path / "data")
    urls = [f"http://{name}.example/1" for name in "abcd"] + ["http://e.example/1"]
    index.add(
        [
            IndexedStory(url_hash(url), str(i), url, url[7:16], i, "Flood", "A flood.", source_id=None)
            for i, url in enumerate(urls)
        ]
    )
    index.close()
    assert "2 seeds added" in command("topic", "seed", "Flood", "--index")
    command("collections", "add", "Locals", "c.example")
    assert "1 seed added, 2 were known" in command("topic", "seed", "Flood", "--index")
    asked = ("flood", "--collection", "Locals", "--source", "a.example", "--source", "d.example")
    assert "1 of " in command("count", *asked)
    assert "1 seed added" in command("topic", "seed", "One", "--index")  # the same question means the same stories


def test_posts_are_seeds_by_the_command(command, tmp_path):
    command("topic", "create", "Flood", "flood", "--from", "2024-05-01")
    posts = tmp_path / "posts.csv"
    posts.write_text(
        "content,author,publish_date\n"
        "a flood http://a.example/1 and http://a.example/2,ann,2024-05-31\n"
        "a flood http://a.example/1,bob,2024-04-30\n"
        "no water http://a.example/3,bob,2024-05-31\n",
        "utf-8",
    )
    said = command("topic", "seed", "Flood", "--posts", posts)
    assert "1 of 3 posts are about the topic, 1 of them new; 2 seeds added from them" in " ".join(said.split())
    again = command("topic", "seed", "Flood", "--posts", posts)
    assert "0 of them new; 0 seeds added" in " ".join(again.split())


def test_a_topic_with_nothing_to_write_leaves_no_folder(command, tmp_path):
    command("topic", "create", "Empty", "flood")
    assert "snapshot" in command("topic", "export", "Empty", tmp_path / "out", code=5)
    command("topic", "export", "Empty", tmp_path / "out", "--format", "odt", code=2)
    assert "--least-shared" in command("topic", "export", "Empty", tmp_path / "out", "--least-shared", "0", code=2)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("words", ["topic map Empty {}", "feeds export {}", "search * --parquet {}"])
def test_a_file_in_a_folder_that_is_not_there_is_refused_in_one_line(words, command, tmp_path):
    command("topic", "create", "Empty", "flood")
    file = tmp_path / "missing" / "deeper" / "file.html"
    told = " ".join(command(*words.format(file).split(), code=16).split())
    assert f"cannot write {file}: there is no folder {file.parent}; make it first" in told
    assert not (tmp_path / "missing").exists()


def test_a_question_is_answered_by_a_person_or_by_yes(command, tmp_path, monkeypatch):
    command("topic", "create", "Flood", "flood")

    def delete(answer: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["--data", str(tmp_path / "data"), "topic", "delete", "Flood"], input=answer)
        return done.exit_code, done.stderr.strip()

    assert delete("n\n") == (1, "tearsheet: nothing was done: the answer was no")
    assert delete("") == (2, "tearsheet: there is nobody to answer: give --yes to go on without being asked")

    def interrupted(*_: object, **__: object) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise typer.Abort from None  # as typer does

    with monkeypatch.context() as patch:
        patch.setattr("typer.confirm", interrupted)
        assert delete("") == (11, "tearsheet: interrupted")
    assert "Flood" in command("topic", "list")
    command("topic", "delete", "Flood", "--yes")


def test_two_timespans_may_begin_on_one_day_and_no_focus_is_lost(command, tmp_path):
    spans = ("--timespan", "2024-05-01=2024-05-07", "--timespan", "2024-05-01=2024-05-31")
    command("topic", "create", "Flood", "flood", *spans, "--focus", "dam=dam OR weir", "--focus", "river=x=y")
    with Services(Settings(tmp_path / "data")) as services:
        topic = find_topic(services.database, "Flood")
    assert topic.timespans == (
        (date(2024, 5, 1), date(2024, 5, 7)),
        (date(2024, 5, 1), date(2024, 5, 31)),
    )
    assert topic.foci == {"dam": Focus("dam OR weir"), "river": Focus("x=y")}
    assert "same name" in command("topic", "create", "Two", "flood", "--focus", "a=x", "--focus", "a=y", code=2)
    assert "FIRST=LAST" in command("topic", "create", "Two", "flood", "--timespan", "2024-05-01", code=2)
    assert "FIRST=LAST" in command("topic", "create", "Two", "flood", "--timespan", "=2024-05-01", code=2)
    backwards = command("topic", "create", "Two", "flood", "--timespan", "2024-05-02=2024-05-01", code=2)
    assert "before it starts" in " ".join(backwards.split())


def test_what_a_topic_leaves_out_is_listed_with_the_reason(command, tmp_path):
    command("topic", "create", "Flood", "flood", "--no-platforms")
    video = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"
    wrapped = "https://web.archive.org/web/2024/https://en.wikipedia.org/wiki/Flood"
    command("topic", "seed", "Flood", video, wrapped)
    assert "2 were not followed (`topic stories` says why)" in command("topic", "run", "Flood")
    found = json.loads(command("topic", "stories", "Flood", "--json"))
    assert {row["url"]: row["why"].partition(" is ")[0] for row in found} == {
        video: "www.youtube.com", "https://en.wikipedia.org/wiki/Flood": "en.wikipedia.org",
    }  # fmt: skip
    assert {(row["state"], row["links"]) for row in found} == {("ignored", 0)}
    status = json.loads(command("topic", "status", "Flood", "--json"))[0]
    assert (status["left_out"], status["failed_requests"], status["platforms"]) == (2, 0, False)
    assert "2 addresses on platforms and the like will be looked at again" in command(
        "topic", "edit", "Flood", "--platforms"
    )
    assert json.loads(command("topic", "decisions", "Flood", "--json"))[0]["subject"] == "platforms"
