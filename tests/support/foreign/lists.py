"""Readers of lists, queries and answers that people and other programs send."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from tearsheet.engines.events.kafka_reader import event_of
from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue.directory_form import read_page
from tearsheet.ingest.requests import read_request
from tearsheet.pipeline.hist_fetcher import page_of
from tearsheet.pipeline.queuers import csv_urls, daily_rss, hist
from tearsheet.pipeline.queuers.inputs import unpacked
from tearsheet.pipeline.queuers.remote import rows_in, stories_of
from tearsheet.pipeline.queuers.rows import Reader, Unreadable
from tearsheet.query import QueryError, parse_query
from tearsheet.topics.names import names_in
from tearsheet.topics.source_labels import read_labels
from tearsheet.topics.spider.facebook import read_engagement
from tearsheet.topics.spider.posts import posts_in
from tearsheet.web.bodies import json_problem
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


_ROW = (
    b'{"id":7,"url":"https://news.example/a","title":"t","domain":"news.example","published_at":"2025-11-15T10:00:00",'
    b'"fetched_at":"2025-11-15 11:00:00","feed_id":3,"sources_id":4,"feed_url":"https://news.example/f"}'
)
_ROWS = b'{"status":"OK","results":[' + _ROW + b"]}"
_FEED = b'{"id":5,"url":"https://news.example/feed","name":"News","source":7,"active":true,"modified_at":"2025-11-15T10:00:00Z"}'
_FEEDS = b'{"count":1,"next":null,"results":[' + _FEED + b"]}"
_LABELS = b"source,label\na.example,left\nhttps://www.b.example/x,right\n"
_POST = b'{"content":"A flood: http://a.example/1","author":"ann","publish_date":"2024-05-31"}'


def _event(data: bytes) -> object:
    """As an ingest reads it from Kafka."""
    message = SimpleNamespace(topic=str, key=lambda: data[:20], value=lambda: data, partition=int, offset=int)
    return read_request(dict(event_of(cast(Any, message)).value))


def _rows(reader: Reader, name: str) -> Callable[[bytes], object]:
    return lambda data: list(reader(name, unpacked(io.BytesIO(data))))


def _query(data: bytes) -> object:
    return parse_query(data.decode("utf-8", "replace")).tree


LISTS = (
    ForeignReader(
        name="list of addresses",
        modules=("pipeline/queuers/csv_urls.py", "pipeline/queuers/csv_rows.py", "pipeline/queuers/rows.py",
            "pipeline/queuers/inputs.py"),
        read=_rows(csv_urls.read, "list-2025-11-15.csv"),
        samples=(_CSV, b"https://news.example/a\n", b'id;url\n1;"https://news.example/a"\n'),
        worst={
            "rows": (numbered(b"https://news.example/%d\n"), 200),
            "cells": (repeated(b"a,", b"url\n"), 20_000),
            "quotes": (repeated(b'"', b"url\n"), 20_000),
            "a quote on each line": (repeated(b'"\n'), 2_000),
            "one line": (repeated(b"a"), 100_000),
            "one member": (lambda count: gzip.compress(b"https://news.example/a\n" * count), 200),
            "members": (repeated(gzip.compress(b"", mtime=0)), 1_000),
            "stored blocks": (repeated(bytes.fromhex("000000ffff"), b"\x1f\x8b\x08" + bytes(7)), 5_000),
        },
        errors=(Unreadable, EOFError, OSError, zlib.error),
        tokens=(b'"', b",", b"\n", b"\r", b"\0", b"http://", b"\xff", b"\xef\xbb\xbf", b"link", b";", b"\x1f\x8b\x08"),
        share=4,
        containers=(gzip.compress,),
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
        name="labels of sources",
        modules=("topics/source_labels.py",),
        read=read_labels,
        samples=(_LABELS, _LABELS.replace(b",", b";")),
        worst={
            "rows": (numbered(b"a%d.example,left\n", b"source,label\n"), 200),
            "labels of one source": (numbered(b"a.example,%d\n", b"source,label\n"), 200),
            "columns": (lambda count: b"source,label," + b"a," * count + b"\n1," + b"," * count, 3_000),
            "dots": (repeated(b"a.", b"source,label\n", b",left\n"), 5_000),
            "quotes": (repeated(b'"', b"source,label\n"), 20_000),
        },
        errors=(UsageError,),
        tokens=(b'"', b",", b";", b"\t", b"\n", b"source", b"label", b"\0", b"\xff", b"\xef\xbb\xbf", b"http://", b"'="),
        share=2,
    ),
    ForeignReader(
        name="names in a text",
        modules=("topics/names.py",),
        read=lambda data: names_in(data.decode("utf-8", "replace")),
        samples=("Angela Merkel’s plan. The White House said no.\n".encode(),),
        worst={
            "names": (repeated(b"Aa "), 2_000),
            "beginnings": (repeated(b"Aa. "), 2_000),
            "marks": (repeated(b"."), 5_000),
            "apostrophes": (repeated(b"'", b"A"), 20_000),
            "one word": (repeated(b"A"), 20_000),
            "digits": (repeated(b"1"), 20_000),
            "blanks": (repeated(b" "), 20_000),
        },
        errors=(),
        tokens=(b"A", b"a", b".", b"'", b" ", b"\n", b"\xff", "’".encode(), b"-", b"1"),
        share=2,
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
        errors=(Drop, Retry),
        tokens=(b"{", b"}", b"[", b'"engagement":', b'"error":', b"1e999", b"9" * 5_000, b"null", b'"\\ud800"', b"\xff"),
        share=3,
    ),
    ForeignReader(
        name="answer of an rss-fetcher",
        modules=("pipeline/queuers/remote.py",),
        read=lambda data: stories_of(rows_in(data, 2_500), "old.example"),
        samples=(_ROWS, b'{"status":"OK","results":[]}', b'{"status":"OK","results":[5,{"id":7}]}'),
        worst={
            "rows": (lambda count: b'{"status":"OK","results":[%s]}' % b",".join([_ROW] * count), 100),
            "lists in lists": (repeated(b"[", b'{"results":'), 5_000),
            "digits": (repeated(b"1", b'{"status":"OK","results":[{"url":"http://a.example/","id":', b"}]}"), 1_000),
            "an address": (repeated("\u0301\u0316".encode(), b'{"status":"OK","results":[{"id":1,"url":"http://a', b'"}]}'), 2_000),
            "a time": (repeated(b"1", b'{"status":"OK","results":[{"id":1,"url":"http://a/","published_at":"', b'"}]}'), 5_000),
        },
        errors=(ValueError,),
        tokens=(b"{", b"}", b"[", b'"status":"OK"', b'"results":', b'"id":', b'"url":', b"1e999", b"9" * 5_000, b"null", b"true",
            b'"\\ud800"', b"\xff", b"-1"),
        share=3,
    ),
    ForeignReader(
        name="directory of feeds",
        modules=("feeds/catalogue/directory_form.py",),
        read=read_page,
        samples=(_FEEDS, b"[]", b'{"results":[],"count":5,"next":"https://directory.example/?page=2"}'),
        worst={
            "feeds": (lambda count: b"[%s]" % b",".join([_FEED] * count), 100),
            "lists in lists": (repeated(b"[", b'{"results":'), 5_000),
            "digits": (repeated(b"1", b'[{"url":"http://a.example/","id":', b"}]"), 1_000),
            "a name": (repeated(b"a ", b'[{"url":"http://a.example/","name":"', b'"}]'), 5_000),
        },
        errors=(UsageError,),
        tokens=(b"{", b"}", b"[", b'"results":', b'"id":', b'"url":', b'"source":', b"1e999", b"9" * 5_000, b"null", b"true",
            b'"\\ud800"', b"\xff", b"-1"),
        share=3,
    ),
    ForeignReader(
        name="posts",
        modules=("topics/spider/posts.py", "tables.py"),
        read=lambda data: [(post, post.urls) for post in posts_in(data, as_json=data.startswith(b"{"))],
        samples=(b"content,author,publish_date\n\"A flood: http://a.example/1\",ann,2024-05-31\n", _POST + b"\n" + _POST),
        worst={
            "rows": (repeated(b"http://a.example/1,ann,2024-05-31\n", b"content,author,publish_date\n"), 100),
            "lines": (repeated(_POST + b"\n"), 100),
            "cells": (repeated(b",", b"content,author,publish_date\n"), 20_000),
            "quotes": (repeated(b'"', b"content,author,publish_date\n"), 20_000),
            "columns": (numbered(b"c%d,", b"content,author,publish_date,"), 2_000),
            "addresses": (numbered(b"http://a.example/%d ", b'{"author":"a","publish_date":"2024-05-31","content":"', b'"}'), 200),
            "addresses in one": (repeated(b"http://a.", b'{"author":"a","publish_date":"2024-05-31","content":"', b'"}'), 500),
            "a day": (repeated(b"2", b'{"author":"a","content":"b","publish_date":"', b'"}'), 5_000),
            "lists in lists": (repeated(b"[", b'{"author":'), 5_000),
        },
        errors=(UsageError,),
        tokens=(b'"', b",", b"\n", b"{", b"}", b"http://", b"content", b"author", b"publish_date", b"2024-05-31", b"\0", b"\xff",
            b"\xc2\x85", b'"\\ud800"', b"9" * 5_000),
        share=3,
    ),
    ForeignReader(
        name="event of a log",
        modules=("engines/events/kafka_reader.py", "ingest/requests.py"),
        read=_event,
        samples=(b'{"ingest_type":"html","base_url":"https://news.example/a"}',),
        worst={"lists in lists": (repeated(b"[", b'{"a":'), 5_000), "digits": (repeated(b"1", b'{"a":', b"}"), 5_000),
            "keys": (numbered(b'"k%d":1,', b"{", b'"a":1}'), 1_000)},
        errors=(UsageError,),
        tokens=(b"{", b"}", b"[", b'"base_url":', b'"ingest_type":', b"1e999", b"9" * 5_000, b"null", b'"\\ud800"', b"\xff"),
        share=3,
    ),
    ForeignReader(
        name="body of a request",
        modules=("web/bodies.py",),
        read=json_problem,
        samples=(b'{"url": "https://news.example/feed", "source_id": 5}', b"[1.5e3, null]"),
        worst={"lists in lists": (repeated(b"["), 5_000), "objects in objects": (repeated(b'{"a":'), 5_000),
            "digits": (repeated(b"1", b'{"a":', b"}"), 5_000), "escapes": (repeated(b"\\ud800", b'"', b'"'), 5_000)},
        tokens=(b"{", b"}", b"[", b'"', b"1e999", b"9" * 5_000, b"null", b'"\\ud800"', b"\xff", b"NaN", b"\\u0000"),
        share=3,
    ),
)  # fmt: skip
