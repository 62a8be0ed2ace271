"""The command group, as a user calls it."""

import json
import zipfile

import pytest
from sqlalchemy import insert
from typer.testing import CliRunner

from tearsheet.app.services import Services
from tearsheet.archive.store import ArchiveStore
from tearsheet.cli import app
from tearsheet.engines.database import open_database
from tearsheet.pipeline.archiver import Archiver
from tearsheet.settings import Settings
from tearsheet.topics.model import NewTopic
from tearsheet.topics.store import create_topic
from tearsheet.topics.tables import topic_stories
from tearsheet.urls import url_hash
from tests.support.archive_stories import PAGE, archive_all, plain_story
from tests.support.index_stories import story
from tests.support.moved_archive import MOVING, collect, move_away
from tests.support.web_seed import open_services


@pytest.fixture
def run(tmp_path):
    database = open_database("tearsheet.db", tmp_path)
    database.migrate()
    store = ArchiveStore(database)
    archive_all(Archiver(store, tmp_path / "archive"), [plain_story(n, PAGE + b"%d" % n) for n in range(3)])
    database.close()

    def call(*words: str, code: int = 0, **variables: str):
        result = CliRunner().invoke(app, ["--data", str(tmp_path), "--quiet", "archive", *words], env=variables)
        assert result.exit_code == code, (result.output, result.exception)
        return result

    return call


def test_list(run):
    (file,) = json.loads(run("list", "--json").stdout)
    assert file["stories"] == 3
    assert "1 file, 3 stories" in run("list").stdout


def test_verify_ends_with_3_when_something_does_not_hold(run, tmp_path):
    assert "1 file, 3 stories, 7 records read, 0 problems" in run("verify").stdout
    (path,) = tmp_path.rglob("*.warc.gz")
    path.write_bytes(path.read_bytes()[:-40])
    assert "cut off" in run("verify", code=3).stdout
    assert run("verify", str(path), "--json", code=3).stdout.startswith("[")
    path.unlink()
    assert "missing" in run("verify", code=3).stdout


def test_extract_by_id_and_by_address(run, tmp_path):
    story = plain_story(1)
    found = json.loads(run("extract", story.id).stdout)
    assert found["tearsheet"]["id"] == story.id
    run("extract", "https://news.example/1", "--html", "-o", str(tmp_path / "page.html"))
    assert (tmp_path / "page.html").read_bytes() == PAGE + b"1"
    run("extract", "https://nowhere.example/", code=5)
    assert "cannot write" in run("extract", story.id, "-o", str(tmp_path / "no" / "x"), code=16).stderr


def test_extract_by_place_and_by_time(run, tmp_path):
    (file,) = json.loads(run("list", "--json").stdout)
    later = plain_story(7)
    later.content_metadata.url = later.http_metadata.final_url = "https://news.example/1"
    later.http_metadata.fetch_timestamp = 1_700_000_000.0 + 86_400
    database = open_database("tearsheet.db", tmp_path)
    store = ArchiveStore(database)
    archive_all(Archiver(store, tmp_path / "archive"), [later])
    place = store.captures_of_stories([plain_story(2).id])[plain_story(2).id].offset
    database.close()

    def extracted(*words: str) -> str:
        return str(json.loads(run("extract", *words).stdout)["tearsheet"]["id"])

    assert extracted(f"{file['name']}:{place}") == plain_story(2).id
    assert extracted("https://news.example/1") == plain_story(1).id
    assert extracted("https://news.example/1", "--at", "2023-11-14") == plain_story(1).id
    assert extracted("https://news.example/1", "--at", "2023-11-15 20:00:00") == later.id
    assert "--at: 'soon' is not a time" in run("extract", "https://news.example/1", "--at", "soon", code=2).stderr


def test_wacz_of_a_list(run, tmp_path):
    (tmp_path / "ids").write_text(f"{plain_story(1).id}\nhttps://news.example/2\nunknown\n")
    done = run("wacz", "--stories", str(tmp_path / "ids"), "-o", str(tmp_path / "x.wacz"))
    assert "not in the archive, and left out: 1 of 3 stories of the list" in done.stderr
    with zipfile.ZipFile(tmp_path / "x.wacz") as archive:
        assert len(archive.read("pages/pages.jsonl").splitlines()) == 3
    run("wacz", code=2)
    assert "cannot read" in run("wacz", "--stories", str(tmp_path / "none"), code=2).stderr


def test_wacz_of_a_query_counts_what_is_not_archived(run, tmp_path):
    with Services(Settings(tmp_path)) as services:
        archived = [story(str(number), story_id=plain_story(number).id) for number in range(3)]
        services.index.add([*archived, story("77"), story("78")])
    done = run("wacz", "*", "-o", str(tmp_path / "x.wacz"))
    assert "not in the archive, and left out: 2 of 5 stories of the query" in done.stderr
    with zipfile.ZipFile(tmp_path / "x.wacz") as archive:
        assert len(archive.read("pages/pages.jsonl").splitlines()) == 4


def test_a_store_that_is_away_ends_every_command_with_the_same_code(tmp_path):
    disk, data = tmp_path / "disk", tmp_path / "data"
    disk.mkdir()
    moving = MOVING | {"archive.stores": [f"file://{disk}/copies"]}
    with open_services(data, **moving) as services:
        collected = collect(services)[0]
        move_away(services)
    disk.rename(tmp_path / "unplugged")
    packed = ("wacz", "*", "-o", str(tmp_path / "x.wacz"))
    for words in (("extract", collected.id), ("replay", collected.id), packed):
        done = CliRunner().invoke(app, ["--data", str(data), "--quiet", "archive", *words])
        assert (done.exit_code, "is not on this machine" in done.stderr) == (7, True), (words, done.output)


@pytest.mark.parametrize("query", ["(", '"lone', ""])
def test_wacz_refuses_a_query_as_search_does(run, tmp_path, query):
    refused = CliRunner().invoke(app, ["--data", str(tmp_path), "--quiet", "search", query])
    assert refused.exit_code == 2
    assert run("wacz", query, code=2).stderr == refused.stderr


def test_wacz_of_a_topic(run, tmp_path):
    database = open_database("tearsheet.db", tmp_path)
    topic = create_topic(database, NewTopic("floods", "title:title"), 1.0)
    create_topic(database, NewTopic("none", "title:title"), 1.0)
    rows = [(1, "in"), (2, "in"), (0, "out"), (77, "in")]  # the last was spidered, and is not in the archive
    with database.begin() as connection:
        for number, state in rows:
            key = url_hash(f"https://news.example/{number}")
            row = {"topics_id": topic.id, "stories_id": key, "iteration": 0, "state": state, "spidered": True}
            connection.execute(insert(topic_stories).values(**row, why="", assume_match=False))
    database.close()
    result = run("wacz", "--topic", "floods", "-o", str(tmp_path / "x.wacz"), code=3)
    assert "not in the archive, and left out: 1 of 3 stories of the topic" in result.stderr
    assert "1 story of the topic could not be packed" in result.stderr
    with zipfile.ZipFile(tmp_path / "x.wacz") as archive:
        pages = [json.loads(line) for line in archive.read("pages/pages.jsonl").splitlines()]
        package = json.loads(archive.read("datapackage.json"))
    assert {page["url"] for page in pages[1:]} == {"https://news.example/1", "https://news.example/2"}
    assert (package["title"], package["description"]) == ("floods", "title:title")
    run("wacz", "--topic", "none", "-o", str(tmp_path / "y.wacz"), code=5)
    run("wacz", "--topic", "unknown", code=5)
    run("wacz", "a query", "--topic", "floods", code=2)


def test_upload(run, tmp_path):
    run("upload", code=2)
    run("upload", TEARSHEET_ARCHIVE_STORES="copies")
    (copy,) = (tmp_path / "copies").rglob("*.warc.gz")
    (path,) = (tmp_path / "archive").rglob("*.warc.gz")
    assert copy.read_bytes() == path.read_bytes()
    assert copy.relative_to(tmp_path / "copies") == path.relative_to(tmp_path / "archive")


def test_index_registers_what_lies_there_and_what_is_named(run, tmp_path):
    (path,) = tmp_path.rglob("*.warc.gz")
    other = tmp_path / "other.warc.gz"
    other.write_bytes(path.read_bytes())
    assert json.loads(run("index", str(other), "--json").stdout)[0]["captures"] == 3
    (tmp_path / "tearsheet.db").unlink()
    for leftover in tmp_path.glob("tearsheet.db-*"):
        leftover.unlink()
    assert "1 file registered" in run("index").stdout
    assert "0 problems" in run("verify").stdout
