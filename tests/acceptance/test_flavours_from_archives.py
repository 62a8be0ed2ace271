"""The flavours that read archives, and what becomes of inputs that are broken, repeated, sampled or killed in the middle."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import signal
import subprocess
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tearsheet.app.pipelines import QUEUER, Collector
from tearsheet.app.sources import FileSource
from tearsheet.archive import StoryArchiveWriter
from tearsheet.engines.broker.port import Settlement
from tearsheet.engines.broker.sqlite import SqliteBroker
from tearsheet.pipeline.parser import Parser
from tearsheet.pipeline.queuers import Choice
from tearsheet.story import (
    HTTPMetadata,
    RawHTML,
    RSSEntry,
    Story,
    WireStory,
    decode_story,
    make_story_id,
)
from tests.support.flavour_runs import archived, configure, dropped, indexed, looking_at, page, run_flavour
from tests.support.tearsheet_command import command, environment, in_process


def fetched(number: int) -> Story:
    """A story as the fetcher leaves it."""
    url = f"http://paper{number % 5}.example/story/number-{number}-of-many"
    return Story(
        make_story_id("test", number),
        RSSEntry(
            link=url, title=f"T{number}", domain=f"paper{number % 5}.example", via="1@test", source_feed_id=number + 1
        ),
        RawHTML(page(f"subject {number}")),
        HTTPMetadata(200, 1_700_000_000.5 + number, url, "utf-8"),
    )


def parsed(number: int) -> Story:
    """A story as it was archived in November 2023."""
    return Parser(lambda: 1_700_000_100.25 + number).process(fetched(number))


def write_archive(folder: Path, numbers: range) -> Path:
    with StoryArchiveWriter(folder) as writer:
        for number in numbers:
            writer.write(parsed(number))
        return writer.close().path


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("old") / "archive"
    write_archive(folder, range(12))
    return folder


def test_archive(tmp_path, archive):
    configure(tmp_path, "")
    summary = run_flavour(tmp_path, "archive", archive)
    assert (summary["stories"], summary["problems"], summary["failed"]) == (12, {}, 0)
    assert (summary["indexed"], summary["archived"], summary["dropped"], summary["waiting"]) == (12, 0, {}, 0)
    assert archived(tmp_path) == [], "no new archives are written"
    with looking_at(tmp_path) as services:
        found = indexed(services)
        assert len(found) == 12
        for number in range(12):
            known = parsed(number)
            story = found[known.content_metadata.url or ""]
            assert story.story_id == known.id
            assert story.indexed_date == (1_700_000_100 + number) * 10**9 + 250_000_000, "the first parsed date is kept"
            assert story.text_content == known.content_metadata.text_content
            assert (story.article_title, story.feed_id) == (known.content_metadata.article_title, number + 1)
        assert set(asyncio.run(_queues(tmp_path))) == {"archive.importer-in"}


async def _queues(data: Path) -> list[str]:
    broker = SqliteBroker(data / "queues.db")
    try:
        return list(await broker.depths())
    finally:
        await broker.close()


def foreign_warc(path: Path, url: str, body: bytes, status: str = "200 OK") -> Path:
    """A WARC file as another program writes it."""
    http = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n".encode() + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{uuid.uuid4()}>\r\nWARC-Target-URI: {url}\r\n"
        "WARC-Date: 2019-02-03T04:05:06Z\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    )
    path.write_bytes(gzip.compress(head.encode() + http + b"\r\n\r\n"))
    return path


def test_reparse(tmp_path, archive):
    configure(tmp_path / "data", "")
    foreign = foreign_warc(tmp_path / "foreign.warc.gz", "http://other.example/a/long-address", page("something else"))
    summary = run_flavour(tmp_path / "data", "reparse", archive, foreign)
    assert (summary["indexed"], summary["archived"], summary["quarantined"]) == (13, 13, {})
    stories = {story.rss_entry.link: (prefix, story) for prefix, story in archived(tmp_path / "data")}
    assert len(stories) == 13
    for number in range(12):
        known = parsed(number)
        prefix, story = stories[known.rss_entry.link]
        assert prefix == "mc"
        assert (story.id, story.rss_entry, story.http_metadata) == (known.id, known.rss_entry, known.http_metadata)
        assert story.raw_html.html == known.raw_html.html
        assert story.content_metadata.parsed_date == known.content_metadata.parsed_date
        assert story.content_metadata.text_content == known.content_metadata.text_content
    prefix, other = stories["http://other.example/a/long-address"]
    assert other.rss_entry == RSSEntry(link="http://other.example/a/long-address", via=str(foreign))
    assert other.http_metadata == HTTPMetadata(200, 1549166706.0, "http://other.example/a/long-address", "utf-8")
    assert "something else" in (other.content_metadata.text_content or "")
    with looking_at(tmp_path / "data") as services:
        assert len(indexed(services)) == 13


def test_an_improved_parser_is_run_over_the_archive_of_the_same_data_folder(tmp_path):
    configure(tmp_path, "")
    with StoryArchiveWriter(tmp_path / "archive") as writer:
        for number in range(5):
            story = parsed(number)
            story.content_metadata.text_content = "what a poor parser made of it"
            writer.write(story)
    run_flavour(tmp_path, "archive", tmp_path / "archive")
    assert in_process("archive", "index", data=tmp_path).exit_code == 0  # as the archiver does
    before = sorted((tmp_path / "archive").rglob("*.warc.gz"))
    warned = in_process("--quiet", "pipeline", "run", "reparse", tmp_path / "archive", data=tmp_path)
    assert warned.exit_code == 0 and "--index index-2" in warned.stderr
    run_flavour(tmp_path, "reparse", tmp_path / "archive", "--force", "--index", "index-2")
    with looking_at(tmp_path) as services:
        old = indexed(services)
    assert {story.text_content for story in old.values()} == {"what a poor parser made of it"}, "searched meanwhile"
    configure(tmp_path, '[engines]\nindex = "index-2"\n')
    with looking_at(tmp_path) as services:
        new = indexed(services)
        assert dropped(services) == {}
    assert {url: (story.id, story.story_id, story.indexed_date) for url, story in new.items()} == {
        url: (story.id, story.story_id, story.indexed_date) for url, story in old.items()
    }
    for number in range(5):
        known = parsed(number).content_metadata
        assert new[known.url or ""].text_content == known.text_content
    assert sorted((tmp_path / "archive").rglob("*.warc.gz")) == before, "what is archived is not archived again"
    found = in_process("search", "subject", "--jsonl", data=tmp_path)
    assert len(found.stdout.splitlines()) == 5, found.stderr


def test_a_page_of_a_foreign_file_is_no_archived_story(tmp_path):
    configure(tmp_path / "data", "")
    foreign = foreign_warc(tmp_path / "foreign.warc.gz", "http://other.example/a/long-address", page("x"))
    gone = foreign_warc(tmp_path / "gone.warc.gz", "http://other.example/gone", page("x"), "404 Not Found")
    summary = run_flavour(tmp_path / "data", "archive", foreign, gone)
    assert (summary["stories"], summary["problems"]) == (0, {"no-metadata": 1, "http-404": 1})
    with looking_at(tmp_path / "data") as services:
        assert dropped(services) == {"queuer/no-metadata": 1, "queuer/http-404": 1}


def queued(data: Path, queue: str) -> Counter[str]:
    """How often each story is in a queue."""

    async def look() -> Counter[str]:
        broker = SqliteBroker(data / "queues.db")
        try:
            leases = await broker.lease(queue, 100_000)
            return Counter(decode_story(WireStory(lease.message.body)).rss_entry.link or "" for lease in leases)
        finally:
            await broker.close()

    return asyncio.run(look())


def lists(folder: Path, files: int, rows: int) -> set[str]:
    """CSV files, and all addresses that stand in them."""
    folder.mkdir()
    for number in range(files):
        urls = [f"http://h{row % 9}.example/{number}/{row}" for row in range(rows)]
        (folder / f"list-{number}.csv.gz").write_bytes(gzip.compress("\n".join(urls).encode()))
    return {f"http://h{row % 9}.example/{number}/{row}" for number in range(files) for row in range(rows)}


def test_broken_inputs_are_counted_with_their_lines_and_the_rest_goes_on(tmp_path):
    data, folder = tmp_path / "data", tmp_path / "in"
    configure(data, "")
    everything = lists(folder, 3, 50)
    whole = (folder / "list-1.csv.gz").read_bytes()
    (folder / "list-1.csv.gz").write_bytes(whole[:-60])
    (folder / "list-2.csv.gz").write_bytes(gzip.compress(b'x,url\n1,"http://a.example/1\n2,http://a.example/2\n3\n'))
    (folder / "ids.csv").write_text("stories_id\n7\n")
    (tmp_path / "inputs.txt").write_text(f"# what is to be done\n{folder}\n\n{tmp_path}/not-there.csv\n")
    summary = run_flavour(data, "csv", "--queue-only", f"@{tmp_path / 'inputs.txt'}", code=3)
    problems = Counter((Path(e["file"]).name, e["line"], e["reason"]) for e in summary["examples"])
    last = problems.pop(next(key for key in problems if key[2] == "truncated"), None)
    assert last == 1
    assert problems == {
        ("list-2.csv.gz", 2, "bad-row"): 1, ("list-2.csv.gz", 4, "bad-row"): 1, ("ids.csv", 1, "bad-url"): 1,
        ("ids.csv", 2, "bad-url"): 1, ("ids.csv", 1, "bad-columns"): 1, ("not-there.csv", 0, "no-file"): 1,
    }  # fmt: skip
    (missing,) = [e for e in summary["examples"] if e["reason"] == "no-file"]
    assert missing["detail"].startswith(f"line 4 of {tmp_path}/inputs.txt")
    found = queued(data, "csv.fetcher-in")
    assert "http://a.example/2" in found
    assert {url for url in everything if "/0/" in url} <= found.keys()
    assert {url for url in everything if "/1/" in url} & found.keys(), "what stood before the break is queued"
    assert (summary["finished"], summary["failed"]) == (1, 4), "a file with rows that cannot be read is not finished"
    with looking_at(data) as services:
        assert dropped(services)["queuer/truncated"] == 1
    # The broken file is mended and its rest is queued; so is the list without addresses tried again; the others are finished.
    (folder / "list-1.csv.gz").write_bytes(whole)
    again = run_flavour(data, "csv", "--queue-only", folder, code=3)
    assert (again["finished"], again["failed"], again["skipped"]) == (1, 2, 1)
    found = queued(data, "csv.fetcher-in")
    assert {url: found[url] for url in everything if "/1/" in url} == {url: 1 for url in everything if "/1/" in url}


def test_parts_dry_runs_and_force(tmp_path):
    data = tmp_path / "data"
    configure(data, "")
    lists(tmp_path / "in", 2, 300)

    def run(**chosen: Any) -> tuple[int, int, int]:
        with looking_at(data) as services:
            pipeline = services.pipelines["csv"]
            source = FileSource(services, pipeline, [str(tmp_path / "in")], Choice(**chosen))
            work = Collector(services, [QUEUER], pipeline=pipeline, source=source)
            if chosen.get("dry_run"):
                source.count()
            else:
                work.run(once=True)
            return source.tally.stories, source.tally.finished, source.tally.skipped

    assert run(dry_run=True) == (600, 2, 0)
    assert not queued(data, "csv.fetcher-in")
    assert run(max_stories=7) == (7, 0, 0)
    taken, _, skipped = run(percent=50.0)
    assert 200 < taken < 400 and skipped == 0
    assert run(max_stories=11, percent=10.0)[0] == 11
    assert run() == (600, 2, 0), "parts leave no trace in the tracker"
    assert run(dry_run=True) == (0, 0, 2)
    assert run() == (0, 0, 2)
    assert run(force=True) == (600, 2, 0)
    sample = run_flavour(data, "csv", "--queue-only", "--sample-size", "11", tmp_path / "in")
    assert (sample["stories"], sample["skipped"]) == (11, 0)


def test_a_queuer_waits_between_the_water_marks(tmp_path):
    data = tmp_path / "data"
    configure(data, "low_water = 100\nhigh_water = 300\n")
    everything = lists(tmp_path / "in", 3, 500)
    words = command("--quiet", "pipeline", "run", "csv", "--queue-only", str(tmp_path / "in"), data=data)

    async def drain() -> Counter[str]:
        broker = SqliteBroker(data / "queues.db")
        found: Counter[str] = Counter()
        deepest = 0
        while found.total() < len(everything):
            depths = await broker.depths()
            deepest = max(deepest, depths["csv.fetcher-in"].ready if "csv.fetcher-in" in depths else 0)
            leases = await broker.lease("csv.fetcher-in", 50, wait=1)
            for lease in leases:
                found[decode_story(WireStory(lease.message.body)).rss_entry.link or ""] += 1
            await broker.settle([Settlement(lease) for lease in leases])
        assert deepest <= 300 + 250, "one batch more than the mark at most"
        await broker.close()
        return found

    with subprocess.Popen(words, env=environment({}), stdout=subprocess.DEVNULL) as process:
        found = asyncio.run(drain())
    assert process.returncode == 0
    assert found == dict.fromkeys(everything, 1)


@pytest.mark.timeout(300)
def test_two_queuers_at_once_queue_every_file_once(tmp_path):
    data = tmp_path / "data"
    configure(data, "")
    everything = lists(tmp_path / "in", 20, 40)
    words = command("--quiet", "pipeline", "run", "csv", "--queue-only", "--json", str(tmp_path / "in"), data=data)
    both = [subprocess.Popen(words, env=environment({}), stdout=subprocess.PIPE, text=True) for _ in range(2)]
    summaries = [json.loads(process.communicate()[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum(summary["finished"] for summary in summaries) == 20
    assert queued(data, "csv.fetcher-in") == dict.fromkeys(everything, 1)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("kills", "count"), [(2, 120), pytest.param(6, 240, marks=pytest.mark.proof)])
def test_killed_at_random_moments_nothing_is_lost_and_nothing_indexed_twice(tmp_path, kills, count):
    data, folder = tmp_path / "data", tmp_path / "in"
    configure(data, "import_batch = 10\nlow_water = 5\nhigh_water = 10\n")  # so that it takes a while
    for start in range(0, count, count // 8):
        write_archive(folder, range(start, start + count // 8))
    words = command("--log-format", "json", "pipeline", "run", "archive", str(folder), data=data)
    chance = random.Random(5)
    killed = 0
    for _ in range(kills):
        with subprocess.Popen(words, env=environment({}), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            assert process.stderr is not None
            process.stderr.readline()  # it reads its first file, or says how it goes
            try:
                process.wait(chance.uniform(0, 0.5))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                killed += 1
    assert killed >= kills // 2
    last = in_process("--quiet", "pipeline", "run", "archive", folder, data=data)
    assert last.exit_code == 0, last.stderr
    with looking_at(data) as services:
        found = indexed(services)
        assert {story.story_id for story in found.values()} == {fetched(number).id for number in range(count)}
        assert dropped(services) == {}, "a story that came twice is not its own duplicate"


@pytest.mark.parametrize("damage", ["cut off", "garbage", "empty"])
def test_a_file_that_was_not_read_whole_is_taken_again(tmp_path, damage):
    data = tmp_path / "data"
    configure(data, "")
    path = write_archive(tmp_path / "in", range(8))
    whole = path.read_bytes()
    path.write_bytes({"cut off": whole[: len(whole) // 2], "garbage": b"garbage" * 1000, "empty": b""}[damage])
    before = run_flavour(data, "archive", path, code=3)
    assert (before["failed"], before["finished"]) == (1, 0)
    path.write_bytes(whole)
    after = run_flavour(data, "archive", path)
    assert (after["finished"], after["skipped"]) == (1, 0)
    with looking_at(data) as services:
        assert len(indexed(services)) == 8
