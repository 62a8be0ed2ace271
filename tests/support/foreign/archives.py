"""Readers of archives and backups: WARC and WACZ files, what is in them, what they are indexed by, and messages of queues."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zipfile
import zlib
from datetime import UTC, datetime

import zstandard

from tearsheet.archive.cdxj import CdxLine, http_mime, timestamp14
from tearsheet.archive.http import decoded_body, parse_response
from tearsheet.archive.metadata import story_from_json
from tearsheet.archive.reader import StoryArchiveReader, parse_date
from tearsheet.archive.wacz_parts import BadWacz, wacz_errors, warcs_in_wacz
from tearsheet.backup.manifest import (
    DamagedBackup,
    Entry,
    Manifest,
    PartSize,
    decode_entries,
    decode_manifest,
    encode_entry,
    encode_manifest,
)
from tearsheet.pagestore.meta import parse_meta, url_md5
from tearsheet.story import RawHTML, RSSEntry, Story, WireStory, decode_story, encode_story
from tests.support.foreign.http import PACKERS
from tests.support.foreign.model import ForeignReader, numbered, repeated

_HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>page</p>"
_MOST = 1_000_000


def _data(block: bytes) -> object:
    """As a queuer reads it: whatever is found has to fit into a message."""
    story, extra, ours = story_from_json(block)
    encode_story(story)
    return story, extra, ours


def _record(kind: str, block: bytes, more: str = "", length: int | None = None) -> bytes:
    size = len(block) if length is None else length
    head = f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{len(block)}>\r\nWARC-Target-URI: https://news.example/a\r\n"
    dated = f"WARC-Date: 2025-11-15T10:00:00Z\r\n{more}Content-Length: {size}\r\n\r\n"
    return (head + dated).encode() + block + b"\r\n\r\n"


_META = json.dumps({
    "rss_entry": {"link": "https://news.example/a", "title": "t"}, "http_metadata": {"response_code": 200,
        "final_url": "https://news.example/a"},
    "content_metadata": {"language": "en"}, "tearsheet": {"exchanges": [{"url": "https://news.example/a", "status": 200,
        "response_headers": [["A", "b"]]}]},
}).encode()  # fmt: skip
_RESPONSE = _record("response", _HTTP)
_STORY = _record(
    "metadata",
    _META,
    f"Content-Type: application/x.mediacloud-indexer+json\r\nWARC-Refers-To: <urn:uuid:{len(_HTTP)}>\r\n",
)
_REVISIT = _record("revisit", _HTTP[:60], f"WARC-Refers-To: <urn:uuid:{len(_HTTP)}>\r\n")
_INFO = _record("warcinfo", b"software: somebody's crawler\r\n")
_RECORDS = (_INFO, _RESPONSE, _STORY, _RESPONSE, _REVISIT)
_PACKED = b"".join(gzip.compress(record, mtime=0) for record in _RECORDS)
_ENTRIES = [
    Entry("folder", "config.toml", 3, 5, ("0a" * 32,)),
    Entry("archive", "a/b", 5 << 20, 0, ("0a" * 32, "0b" * 32)),
]
_MANIFEST = Manifest(
    1, "1.0", "0016", "id", datetime(2025, 11, 15, tzinfo=UTC), {"folder": PartSize(1, 3)}, ("0a" * 32,)
)
_WIRE = encode_story(Story("id", RSSEntry("https://news.example/a", "t"), RawHTML(b"<p>page</p>")))
_SMALL = b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
_EMPTY = gzip.compress(b"", mtime=0)


def _warc(data: bytes) -> object:
    reader = StoryArchiveReader(io.BytesIO(data), max_body=_MOST)
    found = [
        (archived.uri, archived.time, archived.story, archived.offset, archived.length)
        for archived in reader.archived()
    ]
    return found, reader.damages


def _wacz(data: bytes) -> object:
    with wacz_errors():
        return [(name, _warc(stream.read(_MOST))) for name, stream in warcs_in_wacz(io.BytesIO(data), "a.wacz")]


def _zipped(count: int, member: bytes = _RESPONSE, packing: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", packing) as outer:
        for number in range(count):
            outer.writestr(zipfile.ZipInfo(f"archive/../\u00fc{number}.warc"), member, packing)
        outer.writestr(zipfile.ZipInfo("pages/pages.jsonl"), b"{}")
    return file.getvalue()


def _listing(data: bytes) -> object:
    half = len(data) // 2
    return list(decode_entries([data[:half], data[half:]]))


def _manifest(data: bytes) -> object:
    return decode_manifest(f"20251115T100000.000000Z-{hashlib.sha256(data).hexdigest()[:16]}.json", data)


def _message_of_a_queue(data: bytes) -> object:
    return decode_story(WireStory(data)), decode_story(WireStory(_WIRE.meta, data)) if data else None


def _message(data: bytes) -> object:
    response = parse_response(data)
    return response.mime, response.charset, http_mime(data), decoded_body(response, _MOST)


def _line(data: bytes) -> object:
    text = data.decode("utf-8", "replace")
    return CdxLine(text, text, "text/html", "200", "-", 0, 0, "a.warc").text(), timestamp14(text), parse_date(text)


def _chunked(data: bytes) -> bytes:
    pieces = [data[at : at + 7] for at in range(0, len(data), 7)]
    body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body


def _coded(name: str, data: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\n\r\n" % name.encode() + PACKERS[name](data)


ARCHIVES = (
    ForeignReader(
        name="WARC file",
        modules=("archive/reader.py", "archive/scan.py", "archive/members.py", "archive/http.py", "pipeline/queuers/warcs.py",
            "pipeline/dump.py"),
        read=_warc,
        samples=(_PACKED, b"".join(_RECORDS), gzip.compress(b"".join(_RECORDS)), b""),
        worst={
            "marks": (repeated(b"\nWARC/"), 50_000),
            "marks, packed": (lambda count: gzip.compress(b"\nWARC/" * count), 50_000),
            "heads without a length": (repeated(b"\nWARC/\r\n\r\n"), 1_000),
            "many marks to a head": (repeated(b"\nWARC/" * 50 + b"\r\n\r\n"), 1_000),
            "a mark that ends far away": (repeated(b"\nWARC/" + b"x" * 70_000 + b"\r\n\r\n"), 10),
            "headers": (repeated(b"a:\r\n", b"WARC/1.0\r\n"), 20_000),
            "folded headers": (repeated(b"\r\n ", b"WARC/1.0\r\na: b", b"\r\nContent-Length: 0\r\n\r\n"), 2_500),
            "line ends": (repeated(b"\r\n", b"", _SMALL), 100_000),
            "lengths that lie": (repeated(_record("response", _HTTP, length=10)), 200),
            "lengths that are too long": (repeated(_record("response", _HTTP, length=10**9)), 500),
            "records": (repeated(_RESPONSE), 100),
            "pairs": (repeated(_RESPONSE + _STORY), 60),
            "revisits": (repeated(_REVISIT, _RESPONSE), 150),
            "revisits of nothing": (repeated(_REVISIT.replace(b"<urn", b"<xrn")), 150),
            "members": (repeated(gzip.compress(_SMALL, mtime=0)), 200),
            "empty members": (repeated(_EMPTY), 500),
            "empty members of another kind": (repeated(gzip.compress(b"", mtime=1), _EMPTY), 500),
            "members of one byte": (repeated(gzip.compress(b"W", mtime=0)), 500),
            "the mark of a member": (repeated(b"\x1f\x8b\x08", _EMPTY), 1_500),
            "cut members": (repeated(gzip.compress(_SMALL)[:-3]), 200),
            "stored blocks": (repeated(bytes.fromhex("000000ffff"), b"\x1f\x8b\x08" + bytes(7)), 5_000),
        },
        tokens=(b"WARC/1.0\r\n", b"\nWARC/", b"\r\n\r\n", b"Content-Length: ", b"99999999999", b"\x1f\x8b\x08", _EMPTY,
            gzip.compress(_SMALL), b"WARC-Type: revisit\r\n",
                b"WARC-Refers-To: ", b"Content-Encoding: gzip\r\n", b"Transfer-Encoding: chunked\r\n", b"\r\n ", b"\0", b"\xff",
                    _RESPONSE, _STORY, zlib.compress(b"a")),
        share=6,
        containers=(lambda data: gzip.compress(data, 1, mtime=0), lambda data: _record("response", data),
            lambda data: gzip.compress(data, 1)[:-9]),
    ),
    ForeignReader(
        name="HTTP message of a record",
        modules=("archive/http.py", "archive/cdxj.py"),
        read=_message,
        samples=(_HTTP, _chunked(b"<p>page</p>" * 5), *(_coded(name, b"<p>page</p>") for name in PACKERS)),
        worst={
            "headers": (numbered(b"a%d: b\r\n", b"HTTP/1.1 200 OK\r\n", b"\r\n"), 1_500),
            "headers of encodings": (repeated(b"x-encoding: b\r\n", b"HTTP/1.1 200 OK\r\n", b"\r\n"), 1_500),
            "chunks": (lambda count: _chunked(b"x" * 7 * count), 3_000),
            "names of chunks": (repeated(b"1;" + b"a" * 1_000 + b"\r\nx\r\n",
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), 300),
            "members": (repeated(gzip.compress(b"x", mtime=0), b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"), 300),
            "codings": (repeated(b"gzip,", b"HTTP/1.1 200 OK\r\nContent-Encoding: ", b"\r\n\r\nx"), 5_000),
            "charsets": (repeated(b"; charset=", b"HTTP/1.1 200 OK\r\nContent-Type: a", b"\r\n\r\nx"), 3_000),
            "no end of the head": (repeated(b"a", b"HTTP/1.1 200 OK\r\n"), 100_000),
        },
        errors=(ValueError,),
        tokens=(b"\r\n", b"\r\n\r\n", b"\n\n", b"Transfer-Encoding: chunked\r\n", b"Content-Encoding: br\r\n", b"0\r\n\r\n",
            b"ffffffff\r\n", b"-1\r\n", b"1_0\r\n", b"\x1f\x8b", b";", b"\0", b"HTTP/1.1 99999999 "),
        share=5,
    ),
    ForeignReader(
        name="data of a story",
        modules=("archive/metadata.py",),
        read=_data,
        samples=(_META, b"{}", b'{"rss_entry":{"link":5},"x":[1]}'),
        worst={
            "lists in lists": (repeated(b"["), 5_000),
            "objects in objects": (repeated(b'{"a":'), 5_000),
            "exchanges": (repeated(b'{"url":"a","status":1},', b'{"tearsheet":{"exchanges":[', b"{}]}}"), 300),
            "keys": (numbered(b'"k%d":1,', b"{", b'"a":1}'), 1_000),
            "digits": (repeated(b"1", b'{"a":', b"}"), 1_000),
            "escapes": (repeated(b"\\u0041", b'{"a":"', b'"}'), 5_000),
        },
        errors=(ValueError,),
        tokens=(b"{", b"}", b"[", b"]", b'"', b":", b",", b"null", b"true", b"-1", b"1e999", b"NaN", b"Infinity", b'"\\ud800"',
            b'"tearsheet":', b'"exchanges":', b'"http_metadata":', b'"final_url":', b"9" * 30, b"9" * 5_000, b"\xff"),
        share=5,
    ),
    ForeignReader(
        name="line of an index",
        modules=("archive/cdxj.py",),
        read=_line,
        samples=(b"https://news.example/a?b", b"2025-11-15T10:00:00.123456Z", b""),
        worst={"digits": (repeated(b"1"), 10_000), "labels": (repeated(b"a.", b"http://", b"/"), 300),
            "escapes": (repeated(b"%25", b"http://a.example/"), 500)},
        tokens=(b"http://", b"%", b"?", b"&", b"2025", b"-", b"T", b".", b"Z", b"\xff", b" ", b"#"),
        share=4,
    ),
    ForeignReader(
        name="META file of a page store",
        modules=("pagestore/meta.py",),
        read=lambda data: parse_meta(data.decode("utf-8", "surrogateescape")),
        samples=(f"{url_md5('http://a.example/')} http://a.example/ 1 url en\n".encode(), b"",
            b"0" * 32 + b"\nhttp://a.example/ b\n"),
        worst={
            "lines": (repeated(b"0" * 32 + b" http://a.example/ 1 url en\n"), 200),
            "digests": (repeated(b"0" * 32 + b"\n"), 1_000),
            "words": (repeated(b"a ", b"0" * 32 + b" "), 1_000),
            "blanks": (repeated(b" ", b"0" * 32 + b" a"), 20_000),
            "blanks of another kind": (repeated("\x85".encode(), b"0" * 32 + b" a"), 3_000),
        },
        tokens=(b"0" * 32, b" ", b"\n", b"\t", b"url", b"rssitem", b"en", b"\xff", b"\xc2\x85", b"\0"),
        share=4,
    ),
    ForeignReader(
        name="WACZ file",
        modules=("archive/wacz_parts.py",),
        read=_wacz,
        samples=(_zipped(2), _zipped(1, _PACKED), _zipped(1, b"")),
        worst={
            "members": (_zipped, 50),
            "members of nothing": (lambda count: _zipped(count, b""), 200),
            "a member of marks": (lambda count: _zipped(1, b"\nWARC/" * count), 20_000),
            "members packed once more": (lambda count: _zipped(1, bytes(count), zipfile.ZIP_DEFLATED), 100_000),
            "a comment": (lambda count: _zipped(1) + b"PK\x05\x06" * count, 10_000),
        },
        errors=(BadWacz,),
        tokens=(b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07", b"archive/", b".warc", b"../",
            b"\xff\xff\xff\xff", b"\x01\0\x20\0", b"\x08\0", b"\xff"),
        share=3,
    ),
    ForeignReader(
        name="listing of a backup",
        modules=("backup/manifest.py",),
        read=_listing,
        samples=(b"".join(map(encode_entry, _ENTRIES)), b""),
        worst={
            "entries": (numbered(b'{"part":"folder","path":"%09d","size":0,"mtime_ns":0,"objects":[]}\n'), 300),
            "one line": (repeated(b" "), 100_000),
            "names": (repeated(b"a/", b'{"part":"folder","size":0,"mtime_ns":0,"objects":[],"path":"', b'a"}\n'), 5_000),
            "objects": (repeated(b'"' + b"0a" * 32 + b'",', b'{"part":"folder","path":"a","size":1,"mtime_ns":0,"objects":[',
                b'""]}\n'), 500),
            "lists in lists": (repeated(b"[", b'{"part":'), 5_000),
        },
        errors=(DamagedBackup,),
        tokens=(b"..", b"/", b"\0", b"{", b"}", b"\n", b'"path":', b'"size":', b'"objects":', b"-1", b"9" * 30, b"\xff", b"null"),
        share=3,
    ),
    ForeignReader(
        name="manifest of a backup",
        modules=("backup/manifest.py",),
        read=_manifest,
        samples=(encode_manifest(_MANIFEST)[1],),
        worst={
            "lists in lists": (repeated(b"[", b'{"format":1,"a":'), 5_000),
            "objects": (repeated(b'"' + b"0a" * 32 + b'",', encode_manifest(_MANIFEST)[1].rstrip()[:-1] + b',"listing":[',
                b'""]}'), 500),
            "parts": (numbered(b'"p%d":{},', b'{"format":1,"parts":{', b'"a":{}}}'), 1_000),
        },
        errors=(DamagedBackup,),
        tokens=(b"{", b"}", b"[", b'"format":', b'"listing":', b'"parts":', b"-1", b"9" * 30, b"1e999", b"\xff", b"null"),
        share=3,
    ),
    ForeignReader(
        name="message of a queue",
        modules=("story.py",),
        read=_message_of_a_queue,
        samples=(_WIRE.meta,),
        worst={
            "lists in lists": (lambda count: zstandard.compress(b"\x82\xa1v\x01\xa1x" + b"\x91" * count), 20_000),
            "a long text": (lambda count: zstandard.compress(b"\xda\xff\xff" + b"x" * count), 200_000),
            "frames": (repeated(zstandard.compress(b"")), 5_000),
            "a size that lies": (lambda count: bytes.fromhex("28b52ffde0ffffff1f00000000") + b"\0" * count, 50_000),
        },
        errors=(ValueError,),
        tokens=(b"\x28\xb5\x2f\xfd", b"\xe0", b"\xff" * 8, b"\xdf\xff\xff\xff\xff", b"\xc6\xff\xff",
            b"\x91", b"\x81", b"\xc0"),
        share=3,
        containers=(zstandard.compress,),
    ),
)  # fmt: skip
