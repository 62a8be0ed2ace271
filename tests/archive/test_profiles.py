"""What a story becomes in each profile, and that all of it comes back."""

import asyncio
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tearsheet.archive import StoryArchiveReader
from tearsheet.archive.profiles import PROFILES, Earlier, story_records
from tearsheet.archive.records import compress
from tearsheet.fetch import FetchRequest
from tearsheet.story import NEED_CANONICAL_URL
from tests.support.archive_stories import PAGE, any_story, plain_story
from tests.support.loopback_web import client_for, response, serve

NOW = 1_800_000_000.0


def packed(stories, profile):
    earlier: dict[str, Earlier] = {}
    for story in stories:
        records = story_records(story, profile, now=NOW, earlier=earlier)
        if profile == "full":
            first = records[0]
            if first.type == "response":
                earlier.setdefault(
                    dict(first.headers)["WARC-Payload-Digest"], Earlier(first.id, first.uri or "", first.date)
                )
        yield from (compress(record.to_bytes()) for record in records)


@pytest.mark.parametrize("profile", PROFILES)
@settings(max_examples=150, deadline=None)
@given(stories=st.lists(any_story, min_size=1, max_size=3, unique_by=lambda story: story.id))
def test_every_field_of_every_story_comes_back(profile, stories):
    data = b"".join(packed(stories, profile))
    reader = StoryArchiveReader(io.BytesIO(data))
    found = list(reader)
    assert reader.damages == [], data.hex()
    assert found == stories, data.hex()


def heads(story, profile):
    return [record.to_bytes().partition(b"\r\n\r\n")[0].decode() for record in story_records(story, profile, now=NOW)]


def test_the_mediacloud_profile_is_the_documented_one():
    story = plain_story()
    response, metadata = story_records(story, "mediacloud", now=NOW)
    assert response.block == (
        b"HTTP/1.0 200 OK\r\nContent-Type: text/html; encoding=utf-8\r\nContent-Length: %d\r\n\r\n" % len(PAGE) + PAGE
    )
    assert heads(story, "mediacloud")[0].splitlines()[:5] == [
        "WARC/1.0",
        "WARC-Type: response",
        f"WARC-Record-ID: <urn:uuid:{story.id}>",
        "WARC-Target-URI: https://news.example/1",
        "WARC-Date: 2023-11-14T22:13:21Z",
    ]
    assert metadata.content_type == "application/x.mediacloud-indexer+json"
    assert dict(metadata.headers)["WARC-Refers-To"] == response.id
    assert (metadata.date, metadata.uri) == (response.date, None)
    assert set(json.loads(metadata.block)) == {"rss_entry", "http_metadata", "content_metadata", "tearsheet"}


@pytest.mark.parametrize(
    ("code", "line"), [(200, "200 OK"), (404, "404 HUH?"), (203, "203 HUH?"), (None, "000 HUH?"), (-1, "000 HUH?")]
)
def test_other_codes_are_huh(code, line):
    story = plain_story()
    story.http_metadata.response_code = code
    assert story_records(story, "mediacloud", now=NOW)[0].block.startswith(f"HTTP/1.0 {line}\r\n".encode())


def test_the_address_is_the_best_one_known():
    story = plain_story(original_url="https://o.example/")
    expected = ["https://news.example/1", "https://c.example/", "https://o.example/", "https://t.example/1"]
    story.content_metadata.url = "https://c.example/"
    found = []
    for part, name in (
        (story.http_metadata, "final_url"),
        (story.content_metadata, "url"),
        (story.content_metadata, "original_url"),
        (story.rss_entry, "link"),
    ):
        found.append(story_records(story, "mediacloud", now=NOW)[0].uri)
        setattr(part, name, None)
    assert found == expected
    assert story_records(story, "mediacloud", now=NOW)[0].uri == f"urn:uuid:{story.id}"


def test_the_encoding_is_that_of_http_and_then_that_of_the_page():
    story = plain_story()
    story.http_metadata.encoding = None
    story.raw_html.encoding = "shift_jis"
    assert b"encoding=shift_jis\r\n" in story_records(story, "mediacloud", now=NOW)[0].block
    story.raw_html.encoding = "utf-8\r\nX-Evil: 1"
    assert b"Content-Type: text/html\r\n" in story_records(story, "mediacloud", now=NOW)[0].block


def test_a_story_without_a_time_is_dated_now():
    story = plain_story()
    story.http_metadata.fetch_timestamp = None
    assert story_records(story, "mediacloud", now=NOW)[0].date == "2027-01-15T08:00:00Z"


def test_the_full_profile_tells_what_went_over_the_wire():
    story = plain_story()
    response, request, hop, hop_request, metadata = story_records(story, "full", now=NOW)
    assert [r.type for r in (response, request, hop, hop_request, metadata)] == [
        "response", "request", "response", "request", "metadata",
    ]  # fmt: skip
    assert response.version == "1.1"
    assert response.date == "2023-11-14T22:13:21.250000Z"
    assert response.block.partition(b"\r\n\r\n")[0].splitlines() == [
        b"HTTP/1.1 200",
        b"Content-Type: text/html; charset=utf-8",
        b"X-Archive-Orig-Content-Encoding: gzip",
        b"X-Archive-Orig-Content-Length: 77",
        b"Content-Length: %d" % len(PAGE),
    ]
    assert dict(response.headers)["WARC-Protocol"] == "h2"
    assert dict(response.headers)["WARC-IP-Address"] == "192.0.2.8"
    assert request.block.startswith(b"GET /1 HTTP/1.1\r\nHost: news.example\r\nUser-Agent: tearsheet\r\n")
    assert hop.block.startswith(b"HTTP/1.1 301 Moved Permanently\r\nLocation: https://news.example/1\r\n")
    for record in (request, hop, hop_request, metadata):
        assert ("WARC-Concurrent-To", response.id) in record.headers


def test_the_protocol_is_that_of_the_real_fetcher():
    async def fetched():
        async with serve(response(PAGE)) as web, client_for() as client:
            return await client.fetch(FetchRequest(f"http://127.0.0.1:{web.port}/"))

    story = plain_story()
    story.exchanges = asyncio.run(asyncio.wait_for(fetched(), 30)).exchanges
    for record in story_records(story, "full", now=NOW)[:2]:
        assert ("WARC-Protocol", "http/1.1") in record.headers


@pytest.mark.parametrize(
    ("version", "protocol", "line"),
    [
        ("1.0", "http/1.0", "HTTP/1.0"),
        ("1.1", "http/1.1", "HTTP/1.1"),
        ("2", "h2", "HTTP/1.1"),
        ("3", "h3", "HTTP/1.1"),
    ],
)
def test_each_version_of_http_has_its_protocol_and_a_form_in_text(version, protocol, line):
    story = plain_story()
    story.exchanges[-1].http_version = version
    response_record = story_records(story, "full", now=NOW)[0]
    assert dict(response_record.headers)["WARC-Protocol"] == protocol
    assert response_record.block.startswith(f"{line} 200".encode())


def test_archives_that_name_the_version_of_http_with_its_prefix_are_understood():
    story = plain_story()
    story.exchanges[-1].http_version = "HTTP/1.1"
    (found,) = StoryArchiveReader(io.BytesIO(b"".join(packed([story], "mediacloud"))))
    assert found.exchanges[-1].http_version == "1.1"


@given(any_story, st.sampled_from(PROFILES))
def test_nothing_from_the_web_breaks_a_head(story, profile):
    for record in story_records(story, profile, now=NOW):
        head, _, block = record.to_bytes().partition(b"\r\n\r\n")
        names = [line.partition(b":")[0] for line in head.split(b"\r\n")[1:]]
        assert all(name.startswith((b"WARC-", b"Content-")) for name in names)
        assert block == record.block + b"\r\n\r\n"
        assert head.count(b"\r") == head.count(b"\n") == head.count(b"\r\n")


def test_the_address_that_stands_for_no_address_is_kept():
    story = plain_story()
    story.http_metadata.final_url = NEED_CANONICAL_URL
    assert story_records(story, "mediacloud", now=NOW)[0].uri == NEED_CANONICAL_URL
