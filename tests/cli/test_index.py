"""`tearsheet index rebuild`: every archived story comes back, and what cannot is said with an exit code."""

from __future__ import annotations

import json
import shutil

import pytest

from tearsheet.app.pipelines import archiver
from tests.support.archive_stories import archive_all, plain_story
from tests.support.ingested_page import ingest_page
from tests.support.moved_archive import MOVING, collect, copy_of, move_away, open_moving
from tests.support.tearsheet_command import as_toml, in_process
from tests.support.web_seed import open_services


@pytest.fixture
def data(tmp_path):
    """Three stories in a store, two here; then the index is lost."""
    names = ((name.partition(".")[2], value) for name, value in MOVING.items())
    (tmp_path / "config.toml").write_text(
        "[archive]\n" + "".join(f"{name} = {as_toml(value)}\n" for name, value in names)
    )
    with open_moving(tmp_path) as services:
        collect(services, range(3))
        move_away(services)
        collect(services, range(3, 5))
    shutil.rmtree(tmp_path / "index")
    return tmp_path


def run(data, *words, code=0):
    result = in_process("index", "rebuild", *words, data=data)
    assert result.exit_code == code, (result.output, result.exception)
    return result


def indexed(data):
    return json.loads(in_process("count", "*", "--json", data=data).stdout)[0]["stories"]


def test_stories_that_only_a_store_has_come_back(data):
    first = run(data)
    assert "5 stories indexed, 0 were there, 0 duplicates, 0 could not be indexed" in first.stdout
    assert "1 file read here, 1 from stores" in first.stdout
    assert indexed(data) == 5
    assert "0 stories indexed, 5 were there" in run(data).stdout


def test_ingested_documents_are_counted_apart_from_what_cannot_be_indexed(tmp_path):
    ingest_page(tmp_path)
    result = run(tmp_path)
    assert "0 could not be indexed" in result.stdout
    assert "captures are of ingested documents" in result.stdout


def test_a_story_that_cannot_be_indexed_is_an_error(tmp_path):
    with open_services(tmp_path) as services:
        archive_all(archiver(services, "mc"), [plain_story(1)])
    result = run(tmp_path, code=3)
    assert "1 could not be indexed" in result.stdout
    assert "1 story without an address or a text" in result.stderr


def test_a_copy_that_is_gone_is_an_error_and_the_rest_is_indexed(data):
    with open_moving(data) as services:
        copy_of(services).unlink()
    result = run(data, code=3)
    assert "2 stories indexed" in result.stdout
    assert "is not on this machine; copies" in result.stderr
    assert "1 file could not be read completely" in result.stderr
    assert indexed(data) == 2


def test_a_damaged_file_is_an_error_and_its_other_stories_are_indexed(data):
    with open_moving(data) as services:
        copy = copy_of(services)
    copy.write_bytes(copy.read_bytes()[:-40])
    assert "4 stories indexed" in run(data, code=3).stdout
    assert indexed(data) == 4


def test_files_that_the_database_does_not_know_are_read_and_mentioned(data):
    for file in data.glob("tearsheet.db*"):
        file.unlink()
    result = run(data)
    assert "2 stories indexed" in result.stdout
    assert "1 of them are not registered; `tearsheet archive index` does that" in result.stderr


def test_named_files_are_indexed_alone(data):
    (path,) = (data / "archive").rglob("*.warc.gz")
    assert "2 stories indexed" in run(data, path).stdout
    assert indexed(data) == 2
    empty = data / "empty"
    empty.mkdir()
    assert f"there are no stories in {empty}" in run(data, empty, code=5).stderr
    assert "there is no file or folder" in run(data, data / "none", code=2).stderr


def test_an_archive_without_stories_is_said_to_be_empty(tmp_path):
    assert "there are no archived stories to index" in run(tmp_path, code=5).stderr
