"""`tearsheet erase`: asks before it erases, says what and where, and refuses what it cannot mean."""

from __future__ import annotations

import json
import os
import shutil
import signal

import pytest

from tearsheet.app import erasing
from tests.support.full_folder import SECRET, fill, url_of
from tests.support.leftovers import places_of
from tests.support.tearsheet_command import in_process

SHORT = "https://short.example/secret-slug"


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("filled") / "data"
    fill(folder)
    (folder / "config.toml").write_text('[archive]\nstores = ["copies"]\n[pages]\nactive = true\n')
    return folder


@pytest.fixture
def data(filled, tmp_path):
    shutil.copytree(filled, tmp_path / "data")
    return tmp_path / "data"


def run(data, *words, code=0):
    result = in_process("erase", *words, data=data)
    assert result.exit_code == code, (result.output, result.exception)
    return " ".join(result.output.split())


def test_a_dry_run_says_what_would_be_erased_where_and_changes_nothing(data):
    before = places_of(data, "secretphrase")
    rows = json.loads(in_process("erase", SHORT, "--dry-run", "--json", data=data).stdout)
    counts = {(row["place"], row["what"]): row["count"] for row in rows}
    assert counts["index", "stories"] == counts["archive", "captures"] == counts["page store", "pages"] == 1
    assert counts["queues", "messages"] == 3 and counts["archive stores", "copies to be replaced"] == 1
    assert "1 story would be erased, known by 2 addresses" in run(data, SECRET, "--dry-run")
    assert places_of(data, "secretphrase") == before


def test_it_asks_and_stops_without_a_yes(data):
    said = run(data, SECRET, "--reason", "asked for", code=2)
    assert "not to be brought back" in said and "Erase 1 story" in said
    assert places_of(data, "secretphrase")


def test_an_erased_story_is_gone_and_the_erasure_can_be_shown(data):
    said = run(data, SECRET, "--reason", "asked for", "--yes")
    assert "2 addresses were erased, and stay away" in said
    assert "asked for" in run(data, "--show")
    shown = json.loads(in_process("erase", "--show", SECRET, "--json", data=data).stdout)
    assert [row["reason"] for row in shown] == ["asked for"] and len(shown[0]["sha256"]) == 64
    run(data, "--show", url_of("alpha"), code=5)
    assert json.loads(in_process("count", "secretphrase", "--json", data=data).stdout)[0]["stories"] == 0
    assert in_process("archive", "verify", data=data).exit_code == 0
    assert "nothing is kept of this" in run(data, SECRET, "--reason", "again", "--yes", code=5)


def test_stories_of_a_list_a_query_and_a_source(data, tmp_path):
    (tmp_path / "list.txt").write_text(f"{SECRET}\n\n{url_of('alpha')}\n")
    assert "2 stories would be erased" in run(data, "--list", tmp_path / "list.txt", "--dry-run")
    assert "1 story would be erased" in run(data, "--query", "alphaphrase", "--dry-run")
    assert "3 stories would be erased" in run(data, "--source", "news.example", "--dry-run")
    assert "0 stories would be erased" in run(data, "--query", "nowhere", "--dry-run", code=5)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "say what to erase"),
        ([SECRET], "--reason is missing"),
        (["nonsense", "--reason", "x"], "'nonsense' is not an address"),
        (["--list", "nowhere.txt", "--reason", "x"], "cannot read nowhere.txt"),
        ([SECRET, "--reason", "x" * 501], "at most 500 characters"),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(tmp_path, words, said):
    assert said in run(tmp_path, *words, code=2)


def test_a_copy_that_cannot_be_reached_ends_with_3_and_is_taken_next_time(data, tmp_path):
    (data / "copies").rename(tmp_path / "unplugged")
    assert "--resume" in run(data, SECRET, "--reason", "asked for", "--yes", code=3)
    assert "unfinished" in " ".join(in_process("doctor", data=data).output.split())
    (tmp_path / "unplugged").rename(data / "copies")
    run(data, "--resume")
    assert places_of(data / "copies", "secretphrase")[1:] == []
    run(data, "--resume")


@pytest.mark.parametrize("back", ["before", "after"])
def test_a_store_that_was_forgotten_and_comes_back_brings_no_erased_story_with_it(data, tmp_path, back):
    for path in (data / "archive").rglob("mc-*.warc.gz"):
        path.unlink()
    (data / "copies").rename(tmp_path / "unplugged")
    run(data, SECRET, "--reason", "asked for", "--yes", code=3)
    in_process("archive", "forget", "copies", data=data)
    if back == "after":
        assert "its captures are forgotten" in run(data, "--resume")
    shutil.rmtree(data / "copies", ignore_errors=True)
    (tmp_path / "unplugged").rename(data / "copies")
    if back == "after":
        refused = in_process("archive", "upload", "--now", data=data)
        assert refused.exit_code and "`tearsheet erase --resume`" in " ".join(refused.output.split())
    resumed = run(data, "--resume")
    assert "captures" in resumed and ("taken out of what came back" in resumed) == (back == "after")
    assert in_process("archive", "upload", "--now", data=data).exit_code == 0
    assert in_process("archive", "verify", data=data).exit_code == 0
    kept = [*places_of(data / "copies", "secretphrase"), *places_of(data / "archive", "secretphrase")]
    assert [place for place in kept if "ingest-" not in place] == [], "the document is another story"


def test_an_interrupted_erasure_says_so_and_is_finished_by_the_next(data, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(erasing, "_erase_from_archive", lambda *_: os.kill(os.getpid(), signal.SIGINT))
        said = run(data, SECRET, "--reason", "asked for", "--yes", code=11)
    assert "interrupted: the stories are kept away, but not all is erased; `tearsheet erase --resume` goes on" in said
    assert places_of(data, "secretphrase")
    run(data, "--resume")
    left = places_of(data, "secretphrase")
    assert [place for place in left if "ingest-" not in place] == [], "the document is another story"


def test_nothing_left_to_erase_is_said(tmp_path):
    done = in_process("erase", "--resume", data=tmp_path)
    assert (done.exit_code, done.output) == (0, "There is nothing left to erase.\n")
