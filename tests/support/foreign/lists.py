"""Readers of lists, queries and answers that people and other programs send."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable

from tearsheet.pipeline.hist_fetcher import page_of
from tearsheet.pipeline.queuers import csv_urls, daily_rss, hist
from tearsheet.pipeline.queuers.inputs import unpacked
from tearsheet.pipeline.queuers.rows import Reader, Unreadable
from tearsheet.query import QueryError, parse_query
from tearsheet.topics.spider.facebook import read_engagement
from tearsheet.work import Drop, Retry
from tests.support.foreign.model import ForeignReader, numbered, repeated

_CSV = b"url,title\nhttps://news.example/a,b\nhttps://news.example/c,d\n"
_HIST = (
    b"collect_date,stories_id,media_id,downloads_id,feeds_id,url\n2021-09-15 10:20:30,1,2,3,4,https://news.example/a\n"
)
_ITEM = b"<item><link>https://news.example/%d</link><title>t</title><source url='u' mcFeedId='1'/></item>\n"
_DAILY = (
    b"<rss><channel><lastBuildDate>Sun, 15 Nov 2025 10:00:00 +0000</lastBuildDate>"
    + _ITEM % 1
    + _ITEM % 2
    + b"</channel></rss>"
)


def _rows(reader: Reader, name: str) -> Callable[[bytes], object]:
    return lambda data: list(reader(name, unpacked(io.BytesIO(data))))


def _query(data: bytes) -> object:
    return parse_query(data.decode("utf-8", "replace")).tree


LISTS = (
    ForeignReader(
        name="list of addresses",
        modules=("pipeline/queuers/csv_urls.py", "pipeline/queuers/csv_rows.py", "pipeline/queuers/rows.py"),
        read=_rows(csv_urls.read, "list-2025-11-15.csv"),
        samples=(_CSV, b"https://news.example/a\n", b'id;url\n1;"https://news.example/a"\n'),
        worst={
            "rows": (numbered(b"https://news.example/%d\n"), 200),
            "cells": (repeated(b"a,", b"url\n"), 20_000),
            "quotes": (repeated(b'"', b"url\n"), 20_000),
            "a quote on each line": (repeated(b'"\n'), 2_000),
            "one line": (repeated(b"a"), 100_000),
        },
        errors=(Unreadable, EOFError, OSError),
        tokens=(b'"', b",", b"\n", b"\r", b"\0", b"http://", b"\xff", b"\xef\xbb\xbf", b"link", b";"),
        share=4,
    ),
    ForeignReader(
        name="list of downloads",
        modules=("pipeline/queuers/hist.py", "pipeline/queuers/rows.py"),
        read=_rows(hist.read, "stories-2021-09-15.csv"),
        samples=(_HIST, b"downloads_id,language\n1,en\n"),
        worst={
            "rows": (repeated(b"1,https://news.example/a\n", b"downloads_id,url\n"), 200),
            "columns": (lambda count: b"downloads_id," + b"a," * count + b"\n1," + b"," * count, 3_000),
            "digits": (repeated(b"9", b"downloads_id\n"), 10_000),
        },
        errors=(Unreadable, EOFError, OSError),
        tokens=(b'"', b",", b"\n", b"downloads_id", b"collect_date", b"2021-09-15", b"99999999999999999999", b"\0", b"\xff"),
        share=4,
    ),
    ForeignReader(
        name="RSS file of a day",
        modules=("pipeline/queuers/daily_rss.py",),
        read=_rows(daily_rss.read, "mc-2025-11-15.rss"),
        samples=(_DAILY, _ITEM % 1),
        worst={
            "items": (repeated(_ITEM % 1), 100),
            "items that are never closed": (repeated(b"<item>"), 20_000),
            "items that one end closes": (repeated(b"<item>", b"", b"</item>"), 1_000),
            "ends of nothing": (repeated(b"</item>"), 3_000),
            "ends that do not end": (repeated(b"</item        "), 3_000),
            "elements in elements": (repeated(b"<item>" + b"<a>" * 300 + b"</item>"), 10),
            "days": (repeated(b"<lastBuildDate>", b"", b"</item>"), 3_000),
            "lines": (repeated(b"\n" * 1_000 + b"<item>"), 100),
        },
        errors=(Unreadable, EOFError, OSError),
        tokens=(b"<item>", b"</item>", b"<link>", b"&", b"<![CDATA[", b"]]>", b"<!DOCTYPE a [<!ENTITY a 'b'>]>", b"&a;", b"\0",
            b"\xff", b"<source mcFeedId='", b"<lastBuildDate>", b"<"),
        share=4,
    ),
    ForeignReader(
        name="stored download",
        modules=("pipeline/hist_fetcher.py",),
        read=lambda data: page_of(data, 1_000_000),
        samples=(gzip.compress(b"<p>page", mtime=0), b"<p>page"),
        worst={
            "one member": (lambda count: gzip.compress(b"<p>page" * count, 1), 5_000),
            "stored blocks": (repeated(bytes.fromhex("000000ffff"), b"\x1f\x8b\x08" + bytes(7)), 5_000),
            "blanks": (repeated(b" "), 50_000),
            "members": (repeated(gzip.compress(b"x", mtime=0)), 2_000),
        },
        errors=(Drop,),
        tokens=(b"\x1f\x8b\x08", gzip.compress(b""), b"\0\0\0\xff\xff", b" "),
        share=2,
        containers=(gzip.compress,),
    ),
    ForeignReader(
        name="query",
        modules=("query/lexer.py", "query/parser.py", "query/words.py", "query/dates.py"),
        read=_query,
        samples=(b'climate AND ("green deal"~5 OR strike*) -url:a*b publication_date:[2025-01-01 TO *]', "grün OR 気候".encode(),
            b"*"),
        worst={
            "words": (repeated(b"a "), 300),
            "long words": (repeated(b"a"), 5_000),
            "brackets": (repeated(b"("), 5_000),
            "brackets closed": (lambda count: b"(" * 200 + b"a " * count + b")" * 200, 200),
            "quotes": (repeated(b'"'), 1_000),
            "a long phrase": (repeated(b"a b ", b'"', b'"'), 1_000),
            "signs": (repeated(b"-", b"", b"a"), 1_000),
            "NOT": (repeated(b"NOT ", b"", b"a"), 1_000),
            "OR": (repeated(b"a OR ", b"", b"a"), 200),
            "letters of a field": (repeated(b"_"), 5_000),
            "blanks of a range": (repeated(b" ", b"publication_date:[a", b"b"), 5_000),
            "TO": (repeated(b"a TO ", b"publication_date:["), 1_000),
            "characters without spaces": (repeated("気候".encode()), 500),
            "marks on a letter": (repeated("\u0301\u0316".encode(), b"a"), 2_000),
            "backslashes": (repeated(b"\\a"), 3_000),
            "stars": (repeated(b"*"), 5_000),
        },
        errors=(QueryError,),
        tokens=(b"(", b")", b'"', b"AND", b" OR ", b"NOT ", b"-", b"+", b"~5", b"~", b"*", b"?", b"\\", b":", b"title:",
            b"url:", b"publication_date:", b"indexed_date:>", b"[", b"TO", b"]", b"{", b"2025-01-01", b"^",
                "気".encode(), "“".encode(), b"\0", b"||", b"&&"),
        share=5,
    ),
    ForeignReader(
        name="answer of a network",
        modules=("topics/spider/facebook.py",),
        read=read_engagement,
        samples=(b'{"engagement":{"share_count":5}}', b'{"error":{"message":"x","code":100}}'),
        worst={"lists in lists": (repeated(b"["), 5_000), "objects in objects": (repeated(b'{"a":'), 5_000),
            "digits": (repeated(b"1", b'{"a":', b"}"), 1_000)},
        errors=(Retry,),
        tokens=(b"{", b"}", b"[", b'"engagement":', b'"error":', b"1e999", b"9" * 5_000, b"null", b'"\\ud800"', b"\xff"),
        share=3,
    ),
)  # fmt: skip
