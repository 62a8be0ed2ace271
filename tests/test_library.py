"""What `import tearsheet` offers: that it is cheap and changes nothing, and what each name does for a program."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, assert_type

import pytest

import tearsheet
from tearsheet.app.library.collection import Collection, ProvedStory
from tearsheet.app.library.rows import Rows
from tearsheet.app.library.topics import TopicStory
from tearsheet.archive import ArchivedStory
from tearsheet.engines.index import IndexedStory
from tearsheet.errors import ConfigError, ItemRefused, NotFoundError, UsageError
from tearsheet.feeds import FeedError, ParsedFeed
from tearsheet.feeds.catalogue import DiscoveredFeed, PossibleFeed
from tearsheet.index import Attention, Total, WordCount
from tearsheet.ingest import IngestWebResult
from tearsheet.query import Query
from tearsheet.settings import Settings
from tearsheet.story import ContentMetadata
from tearsheet.urls import BadURL
from tests.support.library_folder import FEED, HOME, herald, make_folder
from tests.support.paths import ROOT
from tests.support.patience import PATIENCE

FRONT = ["capture", "discover_feeds", "errors", "extract_article", "open", "parse_feed", "parse_query", "read_archive"]
PAGE = "<title>Zürich gewinnt</title><h1>Zürich gewinnt</h1>" + "<p>Der Rat der Stadt beriet am Dienstag.</p>" * 9
MAX_IMPORT_SECONDS = 0.15

IMPORTING = """
import json, logging, os, signal, sys, threading, time
def state():
    umask = os.umask(0); os.umask(umask)
    handlers = [str(signal.getsignal(one)) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)]
    return [umask, handlers, len(logging.root.handlers), os.listdir("/proc/self/fd"), os.listdir("."), threading.active_count(),
            dict(os.environ), sys.path[:]]
before, known, begun = state(), set(sys.modules), time.process_time()
import tearsheet
dir(tearsheet), tearsheet.__version__
took = time.process_time() - begun
loaded = sorted({name.partition(".")[0] for name in set(sys.modules) - known})
print(json.dumps({"same": state() == before, "took": took, "loaded": loaded,
                  "ours": [name for name in sys.modules if name.startswith("tearsheet.")]}))
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library") / "data"
    make_folder(folder)
    return folder


@pytest.fixture
def collection(data) -> Iterator[Collection]:
    with tearsheet.open(data) as opened:
        yield opened


# ------------------------------------------------------------------------------------------------------------ the front


def test_the_front_is_small_and_no_name_of_it_is_a_package():
    assert dir(tearsheet) == FRONT
    places = {path.parent.name for path in (ROOT / "src" / "tearsheet").glob("*/__init__.py")}
    assert places and not places & set(FRONT)
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        tearsheet.nothing_of_the_kind  # type: ignore[attr-defined]  # noqa: B018


def test_importing_is_cheap_and_changes_nothing(tmp_path):
    runs = []
    for _ in range(2):  # the first may have to compile
        done = subprocess.run(
            [sys.executable, "-P", "-c", IMPORTING], capture_output=True, cwd=tmp_path, check=True, timeout=PATIENCE
        )
        runs.append(json.loads(done.stdout))
    assert all(run["same"] for run in runs)
    assert runs[0]["ours"] == []
    assert set(runs[0]["loaded"]) & {"lxml", "numpy", "msgspec", "sqlalchemy", "asyncio", "typer", "pandas"} == set()
    assert min(run["took"] for run in runs) < MAX_IMPORT_SECONDS


# -------------------------------------------------------------------------------------------------------- documents


@pytest.mark.parametrize("confined", [False, True])
def test_a_page_may_be_bytes_or_text_and_needs_no_address(confined):
    for page in (PAGE, PAGE.encode(), PAGE.encode("latin-1")):
        article = tearsheet.extract_article(page, confined=confined)
        assert_type(article, ContentMetadata)
        assert (article.article_title, article.language, article.url) == ("Zürich gewinnt", "de", None)
    with_address = tearsheet.extract_article(PAGE, "https://a.example/2024/03/05/x", confined=confined)
    assert (with_address.publication_date, with_address.canonical_domain) == ("2024-03-05", "a.example")
    with pytest.raises(BadURL):
        tearsheet.extract_article(PAGE, "ftp://a.example/", confined=confined)


@pytest.mark.parametrize("confined", [False, True])
def test_a_feed_may_be_bytes_or_text_and_needs_no_address(confined):
    declared = '<?xml version="1.0" encoding="iso-8859-1"?>' + FEED.replace("Herald", "Zürich")
    for body in (declared, declared.encode("latin-1")):
        feed = tearsheet.parse_feed(body, confined=confined)
        assert_type(feed, ParsedFeed)
        assert (feed.title, feed.entries[0].link) == ("Zürich", "/ferry")
    assert (
        tearsheet.parse_feed(FEED, "http://a.example/x/f", confined=confined).entries[0].link
        == "http://a.example/ferry"
    )
    with pytest.raises(FeedError, match="web page and no feed") as caught:
        tearsheet.parse_feed("<html>", confined=confined)
    assert caught.value.reason == "html?"


CONFINED = """
import pathlib, tearsheet
tearsheet.extract_article("<title>a</title><p>b", confined=True)
print(*(path.read_text() for path in pathlib.Path("/proc/self/task").glob("*/children")))
"""


def test_no_process_stays_behind_when_the_program_ends():
    done = subprocess.run([sys.executable, "-P", "-c", CONFINED], capture_output=True, check=True, timeout=PATIENCE)
    assert len(done.stdout.split()) == 1 and done.stderr == b""
    assert not Path("/proc", done.stdout.decode().strip()).exists()


def test_a_document_that_exceeds_a_limit_is_refused(monkeypatch):
    from tearsheet.app.library import documents
    from tearsheet.work import WaitingReader

    reader = WaitingReader(1, 0.0)
    monkeypatch.setattr(documents, "_processes", lambda pid: reader)
    try:
        with pytest.raises(ItemRefused, match="took longer"):
            tearsheet.extract_article(PAGE, confined=True)
    finally:
        reader.close()


if TYPE_CHECKING:  # asking the web is an example of the reference, which is run
    assert_type(tearsheet.discover_feeds("https://a.example/"), list[DiscoveredFeed])


def test_the_feeds_that_a_page_names():
    found = tearsheet.discover_feeds("https://a.example/", HOME)
    assert_type(found, list[PossibleFeed])
    assert [feed.url for feed in found] == ["https://a.example/news.xml"]
    assert tearsheet.discover_feeds("https://a.example/", b"<p>none") == []
    [itself] = tearsheet.discover_feeds("https://a.example/f", FEED)
    assert (itself.url, itself.title) == ("https://a.example/f", "Herald")


def test_a_query():
    query = tearsheet.parse_query("climate AND law*")
    assert_type(query, Query)
    assert query.matches(title="Climate laws")
    with pytest.raises(UsageError):
        tearsheet.parse_query("(climate")


# --------------------------------------------------------------------------------------------------------- the web


@pytest.mark.proof
def test_a_document_is_captured_inside_and_outside_a_loop_and_from_threads(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    async def in_a_notebook() -> IngestWebResult:
        return tearsheet.capture("http://herald.example/ferry", tmp_path / "kept")

    with herald(monkeypatch):
        result = asyncio.run(in_a_notebook())
        assert_type(result, IngestWebResult)
        assert (result.status, result.hit) == ("success", True) and result.cdx and result.cdx.warc_path
        assert (tmp_path / "kept").stat().st_mode & 0o077 == 0
        [archived] = tearsheet.read_archive(tmp_path / "kept" / "archive")
        assert archived.uri == "http://herald.example/ferry"
        kept: list[IngestWebResult] = []
        thread = threading.Thread(target=lambda: kept.append(tearsheet.capture("http://herald.example/ferry")))
        thread.start()
        thread.join(PATIENCE)
        assert [one.hit for one in kept] == [True]
        assert tearsheet.capture("http://herald.example/ferry").unchanged  # remembered in this process, though not kept


# ------------------------------------------------------------------------------------------------------- a data folder


def test_opening_makes_nothing(tmp_path):
    for folder in (tmp_path / "none", tmp_path):
        with pytest.raises(NotFoundError, match="data folder"):
            tearsheet.open(folder)
        with pytest.raises(NotFoundError, match="data folder"):
            tearsheet.open(Settings(folder))
    (tmp_path / "index").mkdir()
    with tearsheet.open(str(tmp_path)) as opened:
        with pytest.raises(NotFoundError, match="no database"):
            opened.topics  # noqa: B018
        with pytest.raises(NotFoundError, match="no database"):
            opened.search("*", collections="papers")
    (tmp_path / "index").rmdir()
    assert list(tmp_path.iterdir()) == []


def test_search_and_count(collection: Collection):
    stories = list(collection.search("climate", sources="harbour-herald.example", order="oldest"))
    assert_type(stories, list[IndexedStory])
    total = collection.count("climate", sources=["harbour-herald.example"])
    assert_type(total, Total)
    assert len(stories) == total.count > 5 and all("climate" in story.text_content for story in stories)
    assert [story.text_content for story in collection.search("climate", text=False, limit=2)] == ["", ""]
    assert collection.count(start=date(2026, 11, 15), end="2026-11-15").count == 1
    assert collection.count(as_of=datetime(2026, 1, 1, tzinfo=UTC)).count == 0
    assert collection.count(collections="English papers").count == 23 == collection.count(languages="en").count
    weeks = collection.count("climate", by="week")
    assert_type(weeks, list[Attention])
    assert sum(week.count for week in weeks) == collection.count("climate").count
    languages, words = collection.count(by="language"), collection.count("climate", by="word", limit=3)
    assert_type(languages, list[tuple[str, int]])
    assert_type(words, list[WordCount])
    assert languages[0] == ("en", 23) and len(words) == 3
    assert dict(collection.count(by="source"))["al-marsa.example"] == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"query": "(climate"}, {"query": ""}, {"start": "soon"}, {"start": "2026", "end": "2025"}, {"sources": ""},
        {"by": "year"}, {"collections": "none such"},
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_said_in_one_line(collection: Collection, wrong):
    with pytest.raises((UsageError, NotFoundError)) as caught:
        collection.count(**wrong)
    assert "\n" not in str(caught.value)


def test_a_story_with_its_proof_and_its_capture(collection: Collection):
    [found] = collection.search("*", limit=1)
    for key in (found, found.id, found.url):
        story = collection.story(key)
        assert_type(story, ProvedStory)
        assert story.text_content == found.text_content and story.proof is not None
        archived = collection.capture(key)
        assert_type(archived, ArchivedStory)
        assert archived.sha256 == story.proof.sha256 and archived.uri == found.url
    assert collection.capture(found, at=datetime(2030, 1, 1, tzinfo=UTC)).uri == found.url
    for ask in (collection.story, collection.capture):
        with pytest.raises(NotFoundError):
            ask("https://nobody.example/")


def test_a_capture_whose_bytes_have_changed_is_refused(collection: Collection, monkeypatch):
    monkeypatch.setattr(ArchivedStory, "sha256", property(lambda self: "0" * 64))
    [found] = collection.search("*", limit=1)
    with pytest.raises(NotFoundError, match="not the one that was recorded"):
        collection.capture(found)


def test_topics(collection: Collection):
    assert list(collection.topics) == ["<Floods>", "floods"] and len(collection.topics) == 2
    assert "floods" in collection.topics and "droughts" not in collection.topics
    topic = collection.topics["floods"]
    stories = topic.stories()
    assert_type(stories, Rows[TopicStory])
    assert {story.media for story in stories} == {row.media for row in topic.media()}
    assert [(row.source_media, row.ref_media) for row in topic.media_links()] == [
        ("harbour.example", "coast.example"), ("harbour.example", "river.example"),
    ]  # fmt: skip
    assert len(topic.links()) == 2 and topic.snapshots()[0].note == "first"
    assert len(topic.stories(topic.timespans()[1], snapshot=topic.snapshots()[0].id)) == 3
    for wrong in ("1999", "weekly"):
        with pytest.raises(NotFoundError, match="timespan"):
            topic.media(wrong)
    with pytest.raises(NotFoundError, match="droughts"):
        collection.topics["droughts"]
    with pytest.raises(NotFoundError, match="snapshot"):
        topic.stories(snapshot=99)


def test_tables_have_types_also_without_rows(collection: Collection, monkeypatch):
    table = collection.topics["floods"].stories().to_arrow()
    assert Rows(TopicStory).to_arrow().schema == table.schema
    assert str(table.schema.field("facebook_share_count").type) == "int64"
    frame = collection.topics["floods"].stories().to_pandas()
    assert str(frame.publish_date.dtype).startswith("datetime64") and len(frame) == 3
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ConfigError, match=r"pip install 'tearsheet\[pandas\]'"):
        Rows(TopicStory).to_pandas()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigError, match=r"pip install 'tearsheet\[parquet\]'"):
        Rows(TopicStory).to_arrow()


def test_a_collection_is_used_by_threads_and_in_a_loop_and_is_closed(data):
    async def in_a_notebook(opened: Collection) -> int:
        return opened.count("climate").count

    opened = tearsheet.open(data)
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(opened.count("climate").count)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert counts == [asyncio.run(in_a_notebook(opened))] * 4
    opened.close()
    opened.close()
    assert "closed" in repr(opened)
    for use in (lambda: opened.search("*"), lambda: opened.topics):
        with pytest.raises(UsageError, match="closed"):
            use()


def test_a_collection_that_nobody_closes_closes_itself(data):
    opened = tearsheet.open(data)
    services = opened._services
    closed: list[bool] = []
    opened.count()
    services._closers.callback(closed.append, True)
    del opened
    gc.collect()
    assert closed == [True]


# --------------------------------------------------------------------------------------------------------- archives


def test_an_archive_is_read_again_and_again_and_says_what_it_could_not_read(data, tmp_path, caplog):
    archive = tearsheet.read_archive(data / "archive")
    assert len(list(archive)) == len(list(archive)) == 38 and archive.problems == []
    [file] = (data / "archive").rglob("*.warc.gz")
    damaged = bytearray(file.read_bytes())
    damaged[len(damaged) // 2 : len(damaged) // 2 + 200] = bytes(200)
    (tmp_path / "damaged.warc.gz").write_bytes(damaged)
    partly = tearsheet.read_archive(str(tmp_path / "damaged.warc.gz"))
    assert 0 < len(list(partly)) < 38 and partly.problems and "could not be read" in caplog.text
    (tmp_path / "other.warc").write_bytes(b"nothing of the kind")
    with pytest.raises(UsageError, match="no story of"):
        list(tearsheet.read_archive(tmp_path / "other.warc"))
    with pytest.raises(NotFoundError):
        tearsheet.read_archive(tmp_path / "none.warc")


def test_the_folder_above_the_demo_names_the_demo(tmp_path):
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "config.toml").write_text("[fetch]\nconnect_to = {}\n")
    with pytest.raises(NotFoundError, match=r"holds nothing but the demo: open .*demo$"):
        tearsheet.open(tmp_path)
    (tmp_path / "other.txt").write_text("mine")
    with pytest.raises(NotFoundError, match="is no data folder"):
        tearsheet.open(tmp_path)
