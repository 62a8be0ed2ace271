"""Stories out of WARC files: what is no story is named with its reason, and nothing vanishes."""

from __future__ import annotations

import io
import uuid

import pytest

from tearsheet.pipeline.queuers.rows import Problem, Row
from tearsheet.pipeline.queuers.warcs import read_archive, read_pages

PAGE = b"<p>Something happened"


def record(kind: str, url: str, block: bytes) -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{uuid.uuid4()}>\r\nWARC-Target-URI: {url}\r\n"
        f"WARC-Date: 2019-02-03T04:05:06Z\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def answered(status: str, kind: str = "text/html") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n\r\n".encode() + PAGE


FOREIGN = b"".join(
    [
        record("warcinfo", "", b"software: somebody else's\r\n"),
        record("request", "https://a.example/gone", b"GET /gone HTTP/1.1\r\n\r\n"),
        record("response", "https://a.example/gone", answered("404 Not Found")),
        record("response", "https://a.example/part", answered("206 Partial Content")),
        record("response", "https://a.example/story", answered("200 OK")),
        record("response", "https://a.example/logo", answered("200 OK", "image/png")),
        record("resource", "https://a.example/note", b"text"),
        record("conversion", "https://a.example/text", b"text"),
        record("metadata", "https://a.example/story", b"via: elsewhere"),
    ]
)
LEFT_OUT = ["http-404", "http-206", "no-html", "no-response", "no-response"]


@pytest.mark.parametrize(
    ("read", "stories", "reasons"),
    [(read_pages, 1, LEFT_OUT), (read_archive, 0, [*LEFT_OUT[:2], "no-metadata", *LEFT_OUT[2:]])],
)
def test_every_record_that_is_no_story_is_counted_by_its_reason(read, stories, reasons):
    rows = list(read("foreign.warc", io.BytesIO(FOREIGN)))
    problems = [row for row in rows if isinstance(row, Problem)]
    assert sum(isinstance(row, Row) for row in rows) == stories
    assert sorted(problem.reason for problem in problems) == sorted(reasons)
    assert "https://a.example/gone at byte" in problems[0].detail
    assert len({(problem.line, problem.reason, problem.detail) for problem in problems}) == len(problems)
