"""Files that others wrote, and files that are not what they should be."""

import gzip
import hashlib
import io
import json
import uuid
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from tearsheet.archive import StoryArchiveReader, StoryArchiveWriter
from tearsheet.archive.captures import Captures
from tearsheet.archive.describe import describe
from tearsheet.archive.foreign import index_file
from tearsheet.archive.reader import parse_date
from tearsheet.errors import NotFoundError, StorageError
from tests.support.archive_stories import PAGE, plain_story
from tests.support.growth import assert_linear


def raw_record(version: str, headers: list[tuple[str, str]], block: bytes) -> bytes:
    lines = [f"WARC/{version}", *(f"{name}: {value}" for name, value in headers), f"Content-Length: {len(block)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def foreign_file(
    responses, *, gzipped=True, metadata=None, version="1.0", info="software: somebody's crawler 1.0"
) -> bytes:
    """A WARC file of another program, written by hand: (url, status line, headers, body) each."""
    records = [raw_record(version, [("WARC-Type", "warcinfo"), ("WARC-Record-ID", "<urn:uuid:0>")], info.encode())]
    for url, status, headers, body in responses:
        identity = f"<urn:uuid:{uuid.uuid4()}>"
        common = [("WARC-Target-URI", url), ("WARC-Date", "2024-02-03T04:05:06Z")]
        head = "\r\n".join([f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers), "", ""]).encode()
        kind = [("WARC-Type", "response"), ("WARC-Record-ID", identity), ("Content-Type", "application/http")]
        records.append(raw_record(version, [*kind, *common], head + body))
        if metadata is not None:
            block = metadata if isinstance(metadata, bytes) else json.dumps(metadata).encode()
            kind = [("WARC-Type", "metadata"), ("Content-Type", "application/x.mediacloud-indexer+json")]
            records.append(raw_record(version, [*kind, ("WARC-Refers-To", identity), *common], block))
    return b"".join(map(gzip.compress, records) if gzipped else records)


def stories(data: bytes):
    reader = StoryArchiveReader(io.BytesIO(data))
    return list(reader.archived()), reader.damages


HTML = [("Content-Type", "text/html; charset=ISO-8859-2")]


@pytest.mark.parametrize("gzipped", [True, False])
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_pages_of_foreign_files_become_stories(gzipped, version):
    data = foreign_file(
        [
            ("https://a.example/", "200 OK", HTML, b"<p>one"),
            ("https://a.example/x.png", "200 OK", [("Content-Type", "image/png")], b"\x89PNG"),
            ("https://a.example/gone", "404 Not Found", HTML, b"<p>gone"),
            ("https://a.example/two", "200 OK", [], b"<p>two"),
        ],
        gzipped=gzipped,
        version=version,
    )
    found, damages = stories(data)
    assert [entry.story.raw_html.html for entry in found] == [b"<p>one", b"<p>two"]
    first = found[0].story
    assert first.http_metadata.response_code == 200
    assert first.http_metadata.final_url == first.rss_entry.link == "https://a.example/"
    assert first.http_metadata.encoding == "ISO-8859-2"
    assert first.http_metadata.fetch_timestamp == datetime(2024, 2, 3, 4, 5, 6, tzinfo=UTC).timestamp()
    assert first.exchanges[0].response_headers == HTML
    assert not found[0].has_metadata
    assert damages == []


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(PAGE)),
        ("deflate", zlib.compress(PAGE)),
        ("br", brotli.compress(PAGE)),
        ("zstd", zstandard.compress(PAGE)),
        ("gzip", PAGE),  # some writers unpack and leave the header
        ("identity", PAGE),
    ],
    ids=["gzip", "deflate", "br", "zstd", "gzip in name only", "identity"],
)
def test_pages_are_unpacked(coding, packed):
    chunked = b"5;x=y\r\n" + packed[:5] + b"\r\n%x\r\n" % len(packed[5:]) + packed[5:] + b"\r\n0\r\n\r\n"
    headers = [*HTML, ("Content-Encoding", coding), ("Transfer-Encoding", "chunked")]
    for body in (chunked, packed):
        found, damages = stories(foreign_file([("https://a.example/", "200 OK", headers, body)]))
        assert [entry.story.raw_html.html for entry in found] == [PAGE]
        assert damages == []


def test_a_page_that_cannot_be_unpacked_is_reported_and_the_others_are_read():
    broken = [*HTML, ("Content-Encoding", "gzip")]
    data = foreign_file(
        [
            ("https://a.example/1", "200 OK", broken, gzip.compress(PAGE)[:-9]),
            ("https://a.example/2", "200 OK", [*HTML, ("Content-Encoding", "secret")], PAGE),
            ("https://a.example/3", "200 OK", HTML, PAGE),
        ]
    )
    found, damages = stories(data)
    assert [entry.uri for entry in found] == ["https://a.example/3"]
    assert len(damages) == 2


def revisiting(count: int, *, of: str, packed: Callable[[list[bytes]], bytes]) -> bytes:
    """A file of one page, and as many revisits of a page with this id."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page</p>"
    response = raw_record("1.1", [("WARC-Type", "response"), ("WARC-Record-ID", "<urn:uuid:1>")], http)
    revisit = raw_record(
        "1.1", [("WARC-Type", "revisit"), ("WARC-Refers-To", of), ("WARC-Record-ID", "<urn:uuid:2>")], http[:-11]
    )
    return packed([response, *[revisit] * count])


def one_by_one(records: list[bytes]) -> bytes:
    return b"".join(gzip.compress(record, 1) for record in records)


def as_one(records: list[bytes]) -> bytes:
    return gzip.compress(b"".join(records), 1)


@pytest.mark.parametrize("packed", [b"".join, one_by_one, as_one])
def test_revisits_bring_back_the_page(packed):
    found, damages = stories(revisiting(3, of="<urn:uuid:1>", packed=packed))
    assert [archived.story.raw_html.html for archived in found] == [b"<p>page</p>"] * 4
    assert damages == []


@pytest.mark.parametrize("packed", [b"".join, one_by_one, as_one])
@pytest.mark.parametrize("of", ["<urn:uuid:1>", "<urn:uuid:3>"])
def test_time_grows_with_the_revisits_whether_or_not_their_page_is_there(packed, of):
    assert_linear(stories, lambda count: revisiting(count, of=of, packed=packed), 40)


def test_a_bomb_is_not_unpacked():
    bomb = gzip.compress(bytes(300_000_000), 1)
    found, damages = stories(
        foreign_file([("https://a.example/", "200 OK", [*HTML, ("Content-Encoding", "gzip")], bomb)])
    )
    assert found == []
    assert len(damages) == 1


MEDIACLOUD = "software: mediacloud story-indexer ArchiveWriter\r\n"
PARTS = {
    "rss_entry": {"link": "https://l.example/", "via": "5@x", "source_feed_id": 7},
    "http_metadata": {"response_code": 200, "fetch_timestamp": None, "final_url": None, "encoding": "utf-8"},
    "content_metadata": {"url": "https://c.example/", "parsed_date": "2024-01-02 03:04:05.000006"},
    "rabbitmq_headers": {"x-mc-retries": 2},
}


def test_files_of_media_cloud_are_read():
    headers = [("Content-Type", "text/html; encoding=utf-8"), ("Content-Length", "6")]
    data = foreign_file([("https://c.example/", "200 OK", headers, b"<p>one")], metadata=PARTS, info=MEDIACLOUD)
    ((entry,), damages) = stories(data)
    assert entry.story.rss_entry.source_feed_id == 7
    assert entry.story.content_metadata.parsed_date == "2024-01-02 03:04:05.000006"
    assert entry.story.raw_html.html == b"<p>one"
    assert entry.story.raw_html.encoding == "utf-8"
    assert entry.extra == {"rabbitmq_headers": {"x-mc-retries": 2}}
    assert entry.story.id == entry.record_id.removeprefix("<urn:uuid:").rstrip(">")
    assert entry.time == datetime(2024, 2, 3, 4, 5, 6, tzinfo=UTC)
    assert damages == []


def test_what_was_never_parsed_counts_from_its_capture():
    parts = {**PARTS, "content_metadata": {}}
    data = foreign_file([("https://c.example/", "200 OK", HTML, b"x")], metadata=parts, info=MEDIACLOUD)
    ((entry,), _) = stories(data)
    assert entry.story.content_metadata.parsed_date == "2024-02-03T04:05:06"


@pytest.mark.parametrize("metadata", [b"", b"{", b"[1]", b"\xff", b"null", b'"' + b"x" * 10])
def test_a_story_with_bad_metadata_is_reported(metadata):
    page = ("https://c.example/", "200 OK", HTML, b"x")
    found, damages = stories(foreign_file([page, page], metadata=metadata, info=MEDIACLOUD))
    assert found == []
    assert len(damages) == 2


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-01-02", datetime(2024, 1, 2, tzinfo=UTC)),
        ("2024-01-02 03:04:05", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2024-01-02 03:04:05.6", datetime(2024, 1, 2, 3, 4, 5, 600_000, tzinfo=UTC)),
        ("2024-01-02T03:04:05.000006", datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=UTC)),
        ("2024-01-02T03:04:05Z", datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("2024-01-02T03:04:05.123456789Z", datetime(2024, 1, 2, 3, 4, 5, 123_456, tzinfo=UTC)),
        ("2024-13-02", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates_of_every_form_are_read(text, moment):
    assert parse_date(text) == moment


def written(tmp_path: Path, profile: str) -> bytes:
    with StoryArchiveWriter(tmp_path, profile=profile) as writer:
        for n in range(4):
            writer.write(plain_story(n, PAGE + bytes([n])))
    return writer.close().path.read_bytes()


@pytest.mark.parametrize("profile", ["mediacloud", "full"])
def test_a_file_cut_anywhere_gives_whole_stories_only(tmp_path, profile):
    data = written(tmp_path, profile)
    expected = [plain_story(n, PAGE + bytes([n])) for n in range(4)]
    ends = [entry.end for entry in stories(data)[0]]
    for cut in range(0, len(data), 7):
        found, damages = stories(data[:cut])
        assert [entry.story for entry in found] == expected[: sum(end <= cut for end in ends)]
        assert all(damage.offset <= cut for damage in damages)


@settings(max_examples=80)
@given(data=st.data())
def test_no_damage_raises_or_brings_a_story_that_never_was(tmp_path_factory, data):
    raw = _RAW.setdefault("x", written(tmp_path_factory.mktemp("w"), "mediacloud"))
    changed = bytearray(raw)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(changed) - 1))
        cut = data.draw(st.integers(0, 40))
        changed[at : at + cut] = data.draw(st.binary(max_size=40))
        if not changed:
            break
    expected = {story.id: story for story in (plain_story(n, PAGE + bytes([n])) for n in range(4))}
    for entry in stories(bytes(changed))[0]:
        if entry.has_metadata:
            assert entry.story == expected[entry.story.id]
        else:  # with its first record gone, a file may be anybody's; the page is the page nevertheless
            assert entry.story.raw_html.html == expected[entry.story.id].raw_html.html


_RAW: dict[str, bytes] = {}


def test_foreign_files_are_taken_in_where_they_are(tmp_path, store):
    path = tmp_path / "theirs" / "crawl.warc.gz"
    path.parent.mkdir()
    path.write_bytes(foreign_file([("https://a.example/1", "200 OK", HTML, PAGE)]))
    for _ in range(2):
        taken = index_file(path, store, tmp_path / "a")
        assert (taken.file, taken.captures, taken.damages) == ("crawl.warc.gz", 1, [])
    (file,) = store.files()
    assert file.local_path(tmp_path / "a") == path
    capture = Captures(store, tmp_path / "a").find("https://a.example/1")
    assert capture.sha256 == hashlib.sha256(PAGE).hexdigest()
    assert list(path.parent.iterdir()) == [path]
    with pytest.raises(NotFoundError):
        index_file(tmp_path / "nothing.warc.gz", store, tmp_path / "a")


def test_two_foreign_files_may_have_one_name(tmp_path, store):
    for n in range(2):
        path = tmp_path / str(n) / "crawl.warc.gz"
        path.parent.mkdir()
        path.write_bytes(foreign_file([(f"https://a.example/{n}", "200 OK", HTML, PAGE)]))
        index_file(path, store, tmp_path / "a")
    assert len(store.names()) == 2
    found = describe(path)
    with pytest.raises(StorageError, match="another archive file"):
        store.register(found.file, name="crawl.warc.gz")


def test_a_file_packed_as_a_whole_says_that_nothing_can_be_addressed(tmp_path, store):
    path = tmp_path / "whole.warc.gz"
    path.write_bytes(gzip.compress(foreign_file([("https://a.example/1", "200 OK", HTML, PAGE)], gzipped=False)))
    with StoryArchiveReader(path) as reader:
        assert len(list(reader)) == 1
    assert index_file(path, store, tmp_path / "a").captures == 0
