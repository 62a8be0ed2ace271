from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tearsheet.engines.blobs.port import BlobInfo
from tearsheet.errors import NotFoundError
from tearsheet.pipeline.archiver import prefix_for
from tearsheet.pipeline.epochs import FIRST_DOUBTFUL, LAST_DOUBTFUL
from tearsheet.pipeline.hist_fetcher import HistFetcher, page_of
from tearsheet.story import HTTPMetadata, RSSEntry, Story, make_story_id
from tearsheet.work.outcomes import Drop
from tearsheet.work.workers import AsyncWorker
from tests.support.frozen_blobs import FrozenBlobs
from tests.support.work_bench import Bench, run_on_bench


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def version(name: str, modified: str) -> BlobInfo:
    return BlobInfo("k", 1, day(modified), name)


class Stored:
    """Blobs of one key with versions, and whether they were listed."""

    def __init__(self, *versions: tuple[str, str, bytes]) -> None:
        self.found = [(version(name, modified), data) for name, modified, data in versions]
        self.listed = 0

    def get(self, key: str, *, version: str | None = None) -> bytes:
        assert key.startswith("downloads/")
        for info, data in self.found:
            if version in (None, info.version):
                return data
        raise NotFoundError(f"there is no blob {key!r}")

    def head(self, key: str) -> BlobInfo | None:
        return self.found[0][0] if self.found else None

    def versions(self, key: str) -> Sequence[BlobInfo]:
        self.listed += 1
        return [info for info, _ in self.found]

    def put(self, key: str, data: bytes | Path, *, content_type: str | None = None) -> BlobInfo:
        raise AssertionError("nothing is written")

    def make(self) -> None:
        raise AssertionError("nothing is written")

    def open(self, key: str, *, version: str | None = None) -> Iterator[bytes]:
        raise AssertionError("pages are small")

    def read(self, key: str, start: int, length: int) -> bytes:
        raise AssertionError("pages are read whole")

    def list(self, pattern: str = "*") -> Iterator[BlobInfo]:
        raise AssertionError("nothing is listed")

    def delete(self, key: str, *, version: str | None = None) -> None:
        raise AssertionError("nothing is deleted")

    def file_of(self, key: str) -> Path | None:
        raise AssertionError("nobody asks where a page lies")

    def close(self) -> None:
        pass


def story(download: object, stamp: datetime | None = None, fetch_date: str | None = None) -> Story:
    return Story(
        rss_entry=RSSEntry(link=str(download), fetch_date=fetch_date),
        http_metadata=HTTPMetadata(
            final_url="http://a.example/1", fetch_timestamp=stamp.timestamp() if stamp else None
        ),
    )


BOTH = (("new", "2022-01-02", gzip.compress(b"<p>new")), ("old", "2021-10-02", gzip.compress(b"<p>old")))


def test_a_page_is_filled_in():
    blobs = Stored(("v", "2015-01-02 03:04:05", gzip.compress(b"<p>page")))
    stamp = day("2015-01-02 03:00")
    fetched = HistFetcher(blobs).fetch(story(7, stamp))
    assert fetched.raw_html.html == b"<p>page"
    assert fetched.http_metadata == HTTPMetadata(200, stamp.timestamp(), "http://a.example/1")
    assert blobs.listed == 0, "only doubtful ids need their versions"


def test_without_a_time_the_stores_own_is_taken():
    blobs = Stored(("v", "2015-01-02 03:04:05", b"<p>page"))
    assert HistFetcher(blobs).fetch(story(7)).http_metadata.fetch_timestamp == day("2015-01-02 03:04:05").timestamp()


def test_a_doubtful_id_gets_the_page_of_its_epoch():
    fetcher = HistFetcher(Stored(*BOTH))
    assert fetcher.fetch(story(FIRST_DOUBTFUL, day("2021-10-01"))).raw_html.html == b"<p>old"
    assert fetcher.fetch(story(FIRST_DOUBTFUL, day("2022-01-01"))).raw_html.html == b"<p>new"
    assert fetcher.fetch(story(FIRST_DOUBTFUL - 1, day("2021-10-01"))).raw_html.html == b"<p>new"


def test_a_blind_fetch_of_a_doubtful_id_goes_by_the_day_of_its_file():
    fetched = HistFetcher(Stored(*BOTH)).fetch(story(LAST_DOUBTFUL, fetch_date="2021-10-01"))
    assert (fetched.raw_html.html, fetched.http_metadata.fetch_timestamp) == (b"<p>old", day("2021-10-02").timestamp())
    assert HistFetcher(Stored(*BOTH)).fetch(story(LAST_DOUBTFUL)).raw_html.html == b"<p>new"


@pytest.mark.parametrize(
    ("blobs", "asked", "reason"),
    [
        (Stored(), story(7), "not-found"),
        (Stored(), story(FIRST_DOUBTFUL, day("2021-10-01")), "not-found"),
        (Stored(*BOTH), story(FIRST_DOUBTFUL, day("2021-12-01")), "epoch-err"),
        (Stored(*BOTH), story("seven"), "bad-dlid"),
        (Stored(("v", "2015-01-02", gzip.compress(b"(redundant feed)"))), story(7), "redundant"),
        (Stored(("v", "2015-01-02", gzip.compress(b"<p>page" * 9)[:-9])), story(7), "bad-gzip"),
        (Stored(("v", "2015-01-02", b"\x1f\x8bnonsense")), story(7), "bad-gzip"),
        (Stored(("v", "2015-01-02", gzip.compress(b" \n"))), story(7), "no-html"),
        (Stored(("v", "2015-01-02", gzip.compress(b"x" * 101))), story(7), "oversized"),
    ],
)
def test_what_cannot_be_had_is_dropped_with_its_reason(blobs, asked, reason):
    with pytest.raises(Drop) as dropped:
        HistFetcher(blobs, max_bytes=100).fetch(asked)
    assert dropped.value.reason == reason


def test_a_page_of_just_the_largest_size_is_whole():
    assert page_of(gzip.compress(b"x" * 100), 100) == b"x" * 100


def test_the_archives_prefix_has_the_year_of_the_page():
    now = day("2026-05-06").timestamp()
    assert prefix_for(story(7, day("2015-12-31 23:59")), "mchistYYYY", now) == "mchist2015"
    assert prefix_for(story(7, None, "2016-01-02"), "mchistYYYY", now) == "mchist2016"
    assert prefix_for(story(7), "mchistYYYY", now) == "mchist2026"
    assert prefix_for(story(7), "mc", now) == "mc"


def test_one_unreadable_object_ends_its_story_and_not_the_run(tmp_path):
    blobs = FrozenBlobs(tmp_path / "blobs", "downloads/7")
    for number in (6, 7, 8):
        blobs.put(f"downloads/{number}", b"<p>page</p>")
    stories = [
        Story(id=make_story_id("hist", number), rss_entry=RSSEntry(link=str(number), domain="paper.example"))
        for number in (6, 7, 8)
    ]

    async def scenario(bench: Bench) -> None:
        config = bench.config("hist-fetcher", "parser")
        worker = AsyncWorker(HistFetcher(blobs), config, bench.broker, bench.ledger)
        await bench.put("hist-fetcher-in", stories)
        await bench.drain(worker)
        assert sorted(s.rss_entry.link or "" for s in await bench.arrived("parser-in")) == ["6", "8"]
        assert [s.rss_entry.link for s in await bench.arrived("hist-fetcher-quar")] == ["7"]
        [row] = bench.ledger.find({})
        assert (row.stage, row.status, row.reason, row.domain) == (
            "hist-fetcher", "quarantined", "error", "paper.example",
        )  # fmt: skip
        assert "InvalidObjectState" in row.detail

    run_on_bench(tmp_path, scenario)
