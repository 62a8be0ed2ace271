"""What the spider of a topic fetched, by the command line: archived, searched with its topic only, packed, exported, erased."""

from __future__ import annotations

import csv
import json
import re
import shutil
import zipfile
from collections import Counter
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from tearsheet.demo import Newsroom, serve_in_thread
from tearsheet.urls import url_hash
from tests.support.tearsheet_command import in_process, write_config

QUICK = {"topics.seconds_per_media_fetch": 0.0, "topics.poll_seconds": 0.1, "topics.retry_seconds": 0.1}
WORD = re.compile(r"\b[a-z]{5,}\b")


def ok(*words, data, code=0) -> str:
    done = in_process(*words, data=data)
    assert done.exit_code == code, done.output
    return done.stdout


def found(*words, data) -> dict[str, dict[str, Any]]:
    """The stories that a search finds, by address."""
    lines = ok("search", *words, "--limit", "0", "--jsonl", data=data).splitlines()
    return {story["url"]: story for story in map(json.loads, lines)}


def make_topic(name, *options, data):
    ok("topic", "create", name, "*", "--iterations", "5", *options, data=data)
    ok("topic", "seed", name, "--index", data=data)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Two topics over the same pages, in a data folder that is not to be changed."""
    newsroom, data = Newsroom(seed=3, sites=8, articles=48), tmp_path_factory.mktemp("evidence") / "data"
    with serve_in_thread(newsroom) as server:
        write_config(data, server, newsroom, **QUICK)
        ok("run", *(feed.url for feed in server.feed_urls()), "--once", "--no-web", data=data)
        for name in ("Everything", "Again"):
            make_topic(name, data=data)
            ok("topic", "run", name, data=data)
    return data


@pytest.fixture
def data(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture(scope="module")
def spidered(whole):
    """The stories that only the spider fetched, by address."""
    collected = found("*", data=whole)
    return {
        url: story for url, story in found("*", "--topic", "Everything", data=whole).items() if url not in collected
    }


def words_of(stories) -> Counter[str]:
    return Counter(word for story in stories for word in set(WORD.findall(story["text_content"].lower())))


def test_every_story_that_the_spider_took_has_a_capture_that_others_can_read(whole, spidered):
    assert len(spidered) >= 3
    assert "0 problems" in ok("archive", "verify", data=whole)
    pages: Counter[str] = Counter()
    for path in whole.rglob("topics-*.warc.gz"):
        with path.open("rb") as stream:
            pages.update(
                record.rec_headers.get_header("WARC-Target-URI")
                for record in ArchiveIterator(stream, check_digests="raise")
                if record.rec_type == "response"
            )
    assert {url_hash(url) for url in pages} == {story["id"] for story in spidered.values()}
    assert set(pages.values()) == {1}  # though two topics took them
    for url in spidered:
        assert "<html" in ok("archive", "extract", url, "--html", data=whole)


def test_a_search_finds_what_was_spidered_with_its_topic_only(whole, spidered):
    collected = found("*", data=whole)
    together = found("*", "--topic", "Everything", data=whole)
    assert set(together) - set(collected) == set(spidered)
    assert set(together) & set(collected), "collected stories of the topic are found in it, too"
    only = next(word for word in words_of(spidered.values()) if word not in words_of(collected.values()))
    assert not found(only, data=whole)
    assert set(found(only, "--topic", "Everything", data=whole)) <= set(spidered)
    assert ok("count", only, data=whole) == f"0 of {len(collected)} stories\n"
    [counted] = json.loads(ok("count", only, "--topic", "Again", "--json", data=whole))
    assert (counted["stories"] > 0, counted["of"]) == (True, len(together))
    assert found(only, "--topic", "Everything", "--source", "nowhere.example", data=whole) == {}
    assert in_process("search", only, "--topic", "Nothing", data=whole).exit_code == 5
    assert in_process("search", only, "--topic", "", data=whole).exit_code == 2
    cited = ok("cite", only, "--topic", "Everything", data=whole)
    assert "in the topic “Everything”" in cited and "--topic Everything" in cited


def test_a_topic_is_packed_whole_or_says_what_is_missing(data, spidered, tmp_path):
    stories = found("*", "--topic", "Everything", data=data)
    ok("archive", "wacz", "--topic", "Everything", "-o", tmp_path / "whole.wacz", data=data)
    with zipfile.ZipFile(tmp_path / "whole.wacz") as package:
        pages = [json.loads(line) for line in package.read("pages/pages.jsonl").splitlines()][1:]
    assert {url_hash(page["url"]) for page in pages} == {story["id"] for story in stories.values()}
    for path in data.rglob("topics-*"):
        path.unlink()
    done = in_process("archive", "wacz", "--topic", "Everything", "-o", tmp_path / "part.wacz", data=data)
    assert (done.exit_code, "could not be read" in done.output) == (3, True), done.output


def test_exports_have_the_text_when_asked(whole, tmp_path):
    stories = {story["id"]: story["text_content"] for story in found("*", "--topic", "Everything", data=whole).values()}
    formats = ("--format", "csv", "--format", "jsonl")
    ok("topic", "export", "Everything", tmp_path / "with", "--text", *formats, data=whole)
    ok("topic", "export", "Everything", tmp_path / "without", *formats, data=whole)
    rows = [json.loads(line) for line in (tmp_path / "with/overall/stories.jsonl").read_text("utf-8").splitlines()]
    assert {row["stories_id"]: row["text"] for row in rows} == stories
    with (tmp_path / "with/overall/stories.csv").open(encoding="utf-8", newline="") as lines:
        table = list(csv.DictReader(lines))
    assert {row["stories_id"] for row in table if row["text"]} == set(stories)
    assert "text" not in (tmp_path / "without/overall/stories.csv").read_text("utf-8").splitlines()[0].split(",")


def test_both_indices_are_rebuilt_and_stay_apart(data, spidered):
    before = found("*", data=data), found("*", "--topic", "Everything", data=data)
    shutil.rmtree(data / "index")
    assert "of topics indexed" in ok("index", "rebuild", data=data)
    after = found("*", data=data), found("*", "--topic", "Everything", data=data)
    assert after == before
    assert "pages were fetched by topics only" in ok("index", "rebuild", next(data.glob("archive")), data=data)
    assert found("*", data=data) == before[0]


def test_an_erased_page_is_in_no_scope_and_no_archive(data, spidered):
    gone, kept = list(spidered)[:2]
    ok("erase", gone, "--yes", "--reason", "asked for", data=data)
    assert gone not in found("*", "--topic", "Everything", data=data)
    assert kept in found("*", "--topic", "Everything", data=data)
    assert in_process("archive", "extract", gone, data=data).exit_code == 5
    assert "0 problems" in ok("archive", "verify", data=data)
    text = spidered[gone]["text_content"][:60].encode()
    assert not [path for path in data.rglob("*") if path.is_file() and text in path.read_bytes()]


def test_a_backup_brings_the_scope_back(data, spidered, tmp_path):
    before = found("*", "--topic", "Everything", data=data)
    ok("backup", tmp_path / "backups", "--new", data=data)
    ok("restore", tmp_path / "backups", data=tmp_path / "restored")
    assert found("*", "--topic", "Everything", data=tmp_path / "restored") == before
    assert "0 problems" in ok("archive", "verify", data=tmp_path / "restored")


def test_a_page_that_is_collected_later_is_collected(data, spidered):
    """A spidered page does not stand in the way of the same page from a feed."""
    folder = data / "collected-later"
    folder.mkdir()
    newsroom = Newsroom(seed=3, sites=8, articles=48)
    url = next(iter(spidered))
    (folder / "one.csv").write_text(f"url\n{url}\n", "utf-8")
    with serve_in_thread(newsroom) as server:
        write_config(data, server, newsroom, **QUICK)
        ok("pipeline", "run", "csv", folder / "one.csv", data=data)
    assert url in found("*", data=data)
    assert url in found("*", "--topic", "Everything", data=data)
    reread = ok("pipeline", "run", "archive", next(data.rglob("topics-*.warc.gz")), data=data)
    assert len(spidered) > 1 and set(found("*", data=data)) & set(spidered) == {url}, reread


@pytest.mark.proof
def test_pages_stay_in_the_database_where_they_are_not_to_be_archived(tmp_path):
    newsroom, data = Newsroom(seed=3, sites=8, articles=48), tmp_path / "data"
    with serve_in_thread(newsroom) as server:
        write_config(data, server, newsroom, **QUICK, **{"topics.archive": False})
        ok("run", *(feed.url for feed in server.feed_urls()), "--once", "--no-web", data=data)
        make_topic("Everything", data=data)
        ok("topic", "run", "Everything", data=data)
    assert not list(data.rglob("topics-*"))
    assert len(found("*", "--topic", "Everything", data=data)) > len(found("*", data=data)) - 10
    done = in_process("archive", "wacz", "--topic", "Everything", "-o", tmp_path / "t.wacz", data=data)
    assert (done.exit_code, "could not be packed" in done.output, "such as http" in done.output) == (3, True, True)
