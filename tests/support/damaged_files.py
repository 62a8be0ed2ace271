"""Every command that reads a file, and files that cannot be read as they are: a new command has to be added here to be tested."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tearsheet.archive import StoryArchiveWriter
from tests.support.archive_stories import plain_story

READING: dict[str, tuple[str, ...]] = {
    "pipeline run": (
        "csv pipeline run csv {} --queue-only", "hist pipeline run historical {} --queue-only",
        "warc pipeline run archive {} --queue-only", "warc pipeline run reparse {} --queue-only",
        "rss pipeline run batch {} --queue-only",
    ),

    "run": ("opml run {} --once --no-web",),
    "feeds add": ("opml feeds add {}", "csv feeds add {}"),
    "feeds import": ("opml feeds import {}", "csv feeds import {}"),
    "feeds sync": ("directory feeds sync {}",),
    "sources import": ("sources sources import {}",),
    "index rebuild": ("warc index rebuild {}",),
    "queues load-archives": ("warc queues load-archives {} --queue parser-in",),
    "archive verify": ("warc archive verify {}",),
    "archive index": ("warc archive index {}",),
    "archive wacz": ("stories archive wacz --stories {} --output {}.wacz",),
    "pages migrate": ("pages pages migrate --pages {} --store {folder}",),
    "pages import": ("warc pages import {} --store {folder}",),
    "topic seed": ("csv topic seed subject --csv {}", "posts topic seed subject --posts {}"),
    "topic rehearse": ("csv topic rehearse subject --judgements {}",),
    "topic focus add": ("labels topic focus add subject reach --labels {}",),
    "ingest": ("requests ingest --requests {}",),
    "cite": ("citation cite --check {}",),
    "erase": ("stories erase --list {} --reason asked --dry-run",),
}  # fmt: skip
"""By the name of a command, the kinds of files that it reads and its words; `{}` stands for the file."""

_NOT_READING = {
    "": "demo serve mcp worker status stats search count doctor backup restore",
    "config": "show",
    "token": "create list revoke",
    "feeds": "export list show stories discover poll fetch-soon set remove daily-rss prune",
    "sources": "add set merge split remove export list show gaps fetch-soon",
    "collections": "list show add remove delete",
    "pipeline": "list",
    "index": "copy",
    "queues": "list peek purge delete requeue dump-archives",
    "archive": "list extract replay upload forget",
    "pages": "put get list check export",
    "topic": "create edit include exclude merge split retry stories decisions compare stop delete run status list snapshot "
    "export map plan describe words",
    "topic focus": "list remove",
}
"""Commands that are given no file, or one that they take as it is (`pages put`) or wrote themselves."""

NOT_READING = frozenset(f"{group} {name}".strip() for group, names in _NOT_READING.items() for name in names.split())

KINDS = ("truncated", "damaged", "wrong-encoding", "wrong-columns", "empty", "huge")
_LINE = 3_000_000


def good(kind: str) -> bytes:
    """A file of this kind that can be read."""
    return _MAKERS[kind]()


def spoiled(kind: str, how: str) -> bytes | None:
    """The same, spoiled; None where that means nothing."""
    data = good(kind)
    if how == "empty":
        return b""
    if kind == "warc":
        return _spoiled_warc(data, how)
    lines = data.split(b"\n")
    middle = len(lines) // 2
    if how == "truncated":
        if kind in ("csv", "hist", "rss", "directory", "sources"):
            return gzip.compress(data, mtime=0)[: len(gzip.compress(data, mtime=0)) * 2 // 3]
        return None if kind == "stories" else data[: -len(lines[-2]) // 2 - 1]
    if how == "damaged":
        lines[middle] = lines[middle][:9] + b'"\x00\xff\xfe\x80' + lines[middle][9:]
    if how == "wrong-encoding":
        lines[middle] = lines[middle].replace(b"bridge", "brücke".encode("latin-1"))
    if how == "wrong-columns":
        return None if kind == "stories" else b"colour,size\nred,3\nblue,4\n"
    if how == "huge":
        if kind == "opml":  # a long line is no damage there: everything is read
            return None
        lines[middle] = lines[middle].replace(b"bridge", b"x" * _LINE)
    return b"\n".join(lines)


def _spoiled_warc(data: bytes, how: str) -> bytes | None:
    if how == "truncated":
        return data[: len(data) // 2]
    if how == "damaged":
        return data[: len(data) // 2] + b"\0\xff" * 40 + data[len(data) // 2 + 80 :]
    if how == "wrong-columns":
        return b"colour,size\nred,3\nblue,4\n"
    if how == "huge":
        return b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/" + b"x" * _LINE + b"\r\n\r\n"
    return None


@cache
def _warc() -> bytes:
    with tempfile.TemporaryDirectory() as folder, StoryArchiveWriter(Path(folder)) as writer:
        for number in range(6):
            writer.write(plain_story(number + 1))
        return writer.close().path.read_bytes()


def _rows(head: str, row: str) -> bytes:
    return "\n".join([head, *(row.format(n) for n in range(1, 10)), ""]).encode()


_MAKERS: dict[str, Callable[[], bytes]] = {
    "csv": lambda: _rows("url,name", "http://paper{0}.example/bridge/{0},The bridge"),
    "hist": lambda: _rows("collect_date,downloads_id,url", "2021-01-0{0},{0},http://paper.example/bridge-{0}"),
    "rss": lambda: _rows(
        "<rss><channel>", "<item><link>http://paper.example/{0}</link><title>bridge</title></item>"
    ) + b"</channel></rss>\n",
    "warc": lambda: _warc(),
    "opml": lambda: _rows(
        '<?xml version="1.0" encoding="utf-8"?><opml version="2.0"><body>',
        '<outline type="rss" text="bridge" xmlUrl="http://paper{0}.example/feed"/>',
    ) + b"</body></opml>\n",
    "directory": lambda: _rows("id,url,sources_id,name,active", "{0},http://paper{0}.example/feed,{0},The bridge,1"),
    "sources": lambda: _rows("name,homepage", "The bridge,http://paper{0}.example/"),
    "stories": lambda: _rows("http://paper.example/0", "http://paper.example/bridge/{0}"),
    "pages": lambda: _rows("url,id,kind,language", "http://paper.example/bridge/{0},{0},html,en"),
    "posts": lambda: _rows("content,author,publish_date", "The bridge http://paper.example/{0},someone,2024-01-0{0}"),
    "labels": lambda: _rows("source,label", "paper{0}.example,bridge {0}"),
    "requests": lambda: _rows("", '{{"base_url": "http://127.0.0.1:1/bridge/{0}"}}')[1:],
    "citation": lambda: json.dumps(
        {"query": "bridge", "filters": {}, "result": {"stories": 0, "sources": 0, "sha256": "0" * 64}}, indent=1
    ).encode() + b"\n",
}  # fmt: skip
