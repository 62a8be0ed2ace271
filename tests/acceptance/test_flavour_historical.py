"""The historical flavour on a real S3 server: pages of two epochs under one key, blind fetches, and what is missing."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tearsheet.pipeline.epochs import FIRST_DOUBTFUL, LAST_DOUBTFUL
from tearsheet.story import HTTPMetadata, RSSEntry
from tests.support.blob_stores import S3Harness
from tests.support.flavour_runs import archived, configure, dropped, indexed, looking_at, page, run_flavour

pytestmark = pytest.mark.engine("s3")
HEAD = "collect_date,stories_id,media_id,downloads_id,feeds_id,language,url\n"
BEFORE, AFTER = FIRST_DOUBTFUL - 1, LAST_DOUBTFUL + 1


class OldBucket(S3Harness):
    """A bucket whose objects can be given the dates that they had: the server takes them as a replica's."""

    def put(self, key: str, body: bytes, day: str) -> None:
        def dated(request: Any, **_: Any) -> None:
            request.headers["X-Minio-Source-Mtime"] = f"{day}T10:00:00.000Z"
            request.headers["X-Minio-Source-Replication-Request"] = "true"

        self.client.meta.events.register("before-sign.s3.PutObject", dated, unique_id="dated")
        self.client.put_object(Bucket=self.bucket, Key=key, Body=body)
        self.client.meta.events.unregister("before-sign.s3.PutObject", unique_id="dated")


@pytest.fixture
def bucket(tmp_path) -> Iterator[OldBucket]:
    made = OldBucket()
    made.prepare(tmp_path)
    yield made
    made.remove()


def stamp(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def fill(bucket: OldBucket) -> None:
    for download in (BEFORE, FIRST_DOUBTFUL, LAST_DOUBTFUL, AFTER):
        bucket.put(f"downloads/{download}", gzip.compress(page(f"the elder page of {download}")), "2021-10-02")
        bucket.put(f"downloads/{download}", gzip.compress(page(f"the younger page of {download}")), "2022-01-02")
    bucket.put(
        "downloads/71",
        gzip.compress(page("seventy-one", canonical="http://blind.example/its/own-address-1")),
        "2015-03-05",
    )
    bucket.put("downloads/72", gzip.compress(page("seventy-two")), "2015-03-05")
    bucket.put("downloads/73", gzip.compress(page("seventy-three"))[:-20], "2015-03-05")
    rows = {
        "stories-2021-10-02.csv": [
            f"2021-10-02 09:00:00,1,2,{FIRST_DOUBTFUL},3,en,http://old.example/the/first-doubtful-b",
            f"2021-11-11 23:00:00,1,2,{LAST_DOUBTFUL},3,,http://old.example/the/last-doubtful-b",
            f"2021-10-02 09:00:00,1,2,{BEFORE},3,en,http://old.example/the/one-before",
            f"2021-12-01 09:00:00,1,2,{FIRST_DOUBTFUL},3,en,http://old.example/between/the-epochs",
            "2021-10-02 09:00:00,1,2,99,3,en,http://old.example/an/object-that-is-missing",
            "2021-10-02 09:00:00,1,2,x,3,en,http://old.example/a/bad-id",
        ],
        "stories-2022-01-02.csv": [
            f"2022-01-02 09:00:00,1,2,{FIRST_DOUBTFUL},3,en,http://old.example/the/first-doubtful-d",
            f"2021-12-26 00:00:00,1,2,{LAST_DOUBTFUL},3,en,http://old.example/the/last-doubtful-d",
            f"2022-01-02 09:00:00,1,2,{AFTER},3,en,http://old.example/the/one-after",
        ],
    }  # fmt: skip
    for name, lines in rows.items():
        bucket.put(f"csv/{name}.gz", gzip.compress((HEAD + "\n".join(lines)).encode()), "2023-01-01")
    bucket.put("csv/blind-2015-03-04.csv", b"downloads_id\n71\n72\n73\n", "2023-01-01")
    bucket.put("csv/notes.txt", b"not for us", "2023-01-01")


EXPECTED = {
    # address: (id, which version, collect_date, day of the file, prefix)
    "http://old.example/the/first-doubtful-b": (
        FIRST_DOUBTFUL,
        "elder",
        "2021-10-02 09:00",
        "2021-10-02",
        "mchist2021",
    ),
    "http://old.example/the/last-doubtful-b": (LAST_DOUBTFUL, "elder", "2021-11-11 23:00", "2021-10-02", "mchist2021"),
    "http://old.example/the/first-doubtful-d": (
        FIRST_DOUBTFUL,
        "younger",
        "2022-01-02 09:00",
        "2022-01-02",
        "mchist2022",
    ),
    "http://old.example/the/last-doubtful-d": (
        LAST_DOUBTFUL,
        "younger",
        "2021-12-26 00:00",
        "2022-01-02",
        "mchist2021",
    ),
    # Ids that were given out once have one page, whatever its date: the newest version.
    "http://old.example/the/one-before": (BEFORE, "younger", "2021-10-02 09:00", "2021-10-02", "mchist2021"),
    "http://old.example/the/one-after": (AFTER, "younger", "2022-01-02 09:00", "2022-01-02", "mchist2022"),
}


@pytest.mark.timeout(300)
def test_historical(tmp_path: Path, bucket: OldBucket):
    fill(bucket)
    data = tmp_path / "data"
    configure(data, f'[engines]\nblobs = "{bucket.url}"\n')
    summary = run_flavour(data, "historical", f"s3://{bucket.bucket}/csv/*")
    assert (summary["files"], summary["finished"], summary["problems"]) == (3, 3, {"bad-dlid": 1})
    (bad,) = summary["examples"]
    assert (bad["file"], bad["line"]) == (f"s3://{bucket.bucket}/csv/stories-2021-10-02.csv.gz", 7)
    stories = {story.http_metadata.final_url: (prefix, story) for prefix, story in archived(data)}
    assert stories.keys() == EXPECTED.keys() | {"http://blind.example/its/own-address-1"}
    for url, (download, version, collected, day, prefix) in EXPECTED.items():
        found, story = stories[url]
        assert found == prefix
        assert story.rss_entry == RSSEntry(
            link=str(download), fetch_date=day, source_feed_id=3, source_source_id=2,
            via=f"s3://{bucket.bucket}/csv/stories-{day}.csv.gz",
        )  # fmt: skip
        assert story.http_metadata == HTTPMetadata(200, stamp(collected), url, None)
        assert story.raw_html.html == page(f"the {version} page of {download}")
        assert story.content_metadata.url == url
        assert story.content_metadata.language == "en"
    prefix, blind = stories["http://blind.example/its/own-address-1"]
    assert prefix == "mchist2015"
    assert blind.rss_entry == RSSEntry(
        link="71", fetch_date="2015-03-04", via=f"s3://{bucket.bucket}/csv/blind-2015-03-04.csv"
    )
    assert blind.http_metadata == HTTPMetadata(
        200, stamp("2015-03-05 10:00"), "http://blind.example/its/own-address-1", None
    )
    content = blind.content_metadata
    assert (content.url, content.canonical_url) == ("http://blind.example/its/own-address-1",) * 2
    assert content.canonical_domain == "blind.example"
    with looking_at(data) as services:
        assert indexed(services).keys() == stories.keys()
        assert dropped(services) == {
            "queuer/bad-dlid": 1, "hist-fetcher/epoch-err": 1, "hist-fetcher/not-found": 1, "hist-fetcher/bad-gzip": 1,
            "parser/no-canonical-url": 1,
        }  # fmt: skip
        lines = {row.reason: row.detail for row in services.ledger.find({"status": "dropped"})}
        assert lines["not-found"].endswith("(line 6 of stories-2021-10-02.csv)")
        assert lines["epoch-err"].endswith("(line 5 of stories-2021-10-02.csv)")
        assert lines["bad-gzip"].endswith("(line 4 of blind-2015-03-04.csv)")
