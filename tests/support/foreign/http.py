"""Readers of what a server says before and around a document."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import brotlicffi
import zstandard

from tearsheet.feeds.polling.websub import hub_and_topic
from tearsheet.fetch.inflating import InflateError, TooLarge, inflate
from tearsheet.fetch.manners import retry_after_seconds
from tearsheet.fetch.robots_rules import RobotsRules
from tearsheet.fetch.wire import (
    parse_header_line,
    parse_status_line,
    redirect_target,
    stated_charset,
    unfolded,
    wire_url,
)
from tearsheet.urls import BadURL, canonical_domain, host_of, is_homepage, normalize_url, surt
from tests.support.foreign.model import ForeignReader, numbered, repeated

PAGE = b"<p>" + bytes(range(32, 127)) * 20
MARKS = "\u0301\u0316".encode()
_INFLATED = 1_000_000
_ZSTD_SKIPPED = b"\x50\x2a\x4d\x18" + bytes(4)


def _inflating(coding: str) -> Callable[[bytes], object]:
    return lambda body: inflate(body, coding, _INFLATED)


def _brotli(data: bytes) -> bytes:
    return bytes(brotlicffi.compress(data, quality=1))


def _zstd(data: bytes) -> bytes:
    return zstandard.compress(data, 1)


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, 1, mtime=0)


PACKERS = {"gzip": _gzip, "deflate": lambda data: zlib.compress(data, 1), "br": _brotli, "zstd": _zstd}
_WORST = {
    "gzip": {
        "members": (repeated(_gzip(b"")), 500),
        "members of one byte": (repeated(_gzip(b"x")), 500),
        "one member": (lambda count: _gzip(PAGE * count), 50),
        "stored blocks": (lambda count: zlib.compress(b"", wbits=31)[:10] + bytes.fromhex("000000ffff") * count, 5_000),
        "what follows": (lambda count: _gzip(b"x") + b"\x1f" * count, 100_000),
        "a long name": (lambda count: b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * count, 100_000),
    },
    "deflate": {
        "stored blocks": (repeated(bytes.fromhex("000000ffff"), b"\x78\x01"), 5_000),
        "one stream": (lambda count: zlib.compress(PAGE * count, 1), 50),
    },
    "br": {
        "empty blocks": (repeated(b"\x06", b"\x0c", b"\x03"), 20_000),
        "one stream": (lambda count: _brotli(PAGE * count), 50),
    },
    "zstd": {
        "frames": (repeated(_zstd(b"")), 500),
        "skipped frames": (repeated(_ZSTD_SKIPPED), 500),
        "one frame": (lambda count: _zstd(PAGE * count), 50),
        "blocks": (repeated(b"\x00\x00\x00", b"\x28\xb5\x2f\xfd\x00\x58"), 5_000),
    },
    "gzip, gzip": {"members of members": (lambda count: _gzip(_gzip(b"") * count), 500)},
}
_CODED = {
    name: (lambda data, name=name: PACKERS[name.split(", ")[0]](data)) for name in ("gzip", "deflate", "br", "zstd")
} | {"gzip, gzip": lambda data: _gzip(_gzip(data))}


def _head(data: bytes) -> object:
    """A head as the client reads it: curl hands it over line by line."""
    lines = data.splitlines(keepends=True)
    pairs = [pair for pair in map(parse_header_line, unfolded(lines[1:])) if pair]
    told = {name.lower(): value for name, value in pairs}
    retry = retry_after_seconds(told.get("retry-after"), 1e9)
    return parse_status_line(lines[0]) if lines else None, pairs, stated_charset(told.get("content-type")), retry


def _address(data: bytes) -> object:
    text = data.decode("utf-8", "surrogateescape")
    found: list[object] = []
    for read in (wire_url, normalize_url, surt, host_of, canonical_domain, is_homepage):
        try:
            found.append(read(text))
        except BadURL:
            found.append(None)
    return [*found, redirect_target("https://news.example/a/b?c", text)]


def _robots(data: bytes) -> object:
    rules = RobotsRules(data.decode("utf-8", "replace"), "tearsheet")
    return rules.allows("https://news.example/a/b.html?c=" + "d" * 60), rules.crawl_delay


_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nRetry-After: 120\r\nSet-Cookie: a=b\r\n c\r\n"
_ROBOTS = (
    b"User-agent: *\nDisallow: /private/\nAllow: /a/*.html$\nCrawl-delay: 2\n\nUser-agent: tearsheet\nDisallow: /x*y\n"
)
HTTP = (
    *(
        ForeignReader(
            name=f"inflate {coding}",
            modules=("fetch/inflating.py",),
            read=_inflating(coding),
            samples=(packed(PAGE), packed(PAGE) + packed(b"more") if coding in ("gzip", "zstd") else packed(b"x"),
                packed(bytes(9_000))),
            worst=_WORST[coding],
            errors=(InflateError, TooLarge),
            tokens=(*(packer(b"") for packer in PACKERS.values()), b"\x1f\x8b\x08", b"\0\0\0\xff\xff", _ZSTD_SKIPPED),
            share=5,
            most=8 * _INFLATED,
            containers=(packed,),
        )
        for coding, packed in _CODED.items()
    ),
    ForeignReader(
        name="HTTP head",
        modules=("fetch/wire.py", "fetch/manners.py"),
        read=_head,
        samples=(_HEAD, b"HTTP/2 404\r\nA:\r\n"),
        worst={
            "headers": (numbered(b"a%d: b\r\n", _HEAD), 2_000),
            "folded lines": (repeated(b" c\r\n", _HEAD), 3_000),
            "blanks before a charset": (repeated(b" ", b"HTTP/1.1 200 OK\r\nContent-Type: a;charset=", b"!\r\n"), 2_000),
            "charsets": (repeated(b";charset", b"HTTP/1.1 200 OK\r\nContent-Type: a", b"\r\n"), 2_000),
            "a long line": (repeated(b":", b"HTTP/1.1 200 "), 50_000),
            "digits": (repeated(b"9", b"HTTP/1.1 200 OK\r\nRetry-After: "), 2_000),
        },
        tokens=(b"\r\n", b"\n ", b"\t", b":", b"Content-Type: ", b"; charset=", b"Retry-After: ", b"\xff", b"\0",
            b"Wed, 21 Oct 2099 07:28:00 GMT"),
        share=5,
    ),
    ForeignReader(
        name="links of a head",
        modules=("feeds/polling/websub.py",),
        read=lambda data: hub_and_topic(data.decode("utf-8", "replace"), {}, "https://news.example/feed"),
        samples=(b'<https://hub.example/>; rel="hub", <https://news.example/feed>; rel=self', b"<a>; rel=next", b""),
        worst={
            "beginnings": (repeated(b"<"), 1_000),
            "links": (repeated(b"<a>;rel=b,"), 100),
            "parameters": (repeated(b";a=b", b"<a>"), 250),
            "blanks": (repeated(b" ", b"<a>;"), 1_000),
            "blanks and ends": (repeated(b"; ", b"<a>"), 500),
            "quotes": (repeated(b'"', b"<a>;rel="), 1_000),
        },
        tokens=(b"<", b">", b";", b"rel=", b'"', b"hub", b"self", b",", b"*=", b"\xff", b"https://"),
        share=3,
    ),
    ForeignReader(
        name="address",
        modules=("fetch/wire.py", "urls.py", "foreign_text.py"),
        read=_address,
        samples=(b"https://www.news.example/a/b/?utm_source=x&id=5#c", "http://bücher.example/ä?ü".encode(), b"/a/../b",
            b"//m.news.example:8080"),
        worst={
            "marks on a letter": (repeated(MARKS, b"http://a"), 500),
            "marks in a path": (repeated(MARKS, b"http://a.example/a"), 500),
            "labels": (repeated(b"a.", b"http://", b"example/"), 500),
            "other letters": (repeated("ü".encode(), b"http://"), 500),
            "folders": (repeated(b"a/", b"http://a.example/"), 1_000),
            "folders up": (repeated(b"../", b"http://a.example/"), 1_000),
            "slashes": (repeated(b"/", b"http://a.example"), 2_000),
            "parameters": (numbered(b"a%d=b&", b"http://a.example/?"), 300),
            "sessions": (repeated(b"jsessionid=", b"http://a.example/?"), 200),
            "escapes": (repeated(b"%25", b"http://a.example/"), 500),
            "bare percents": (repeated(b"%", b"http://a.example/"), 1_000),
            "at signs": (repeated(b"a@", b"http://"), 1_000),
            "blanks": (repeated(b" \t", b"http://a.example/"), 1_000),
        },
        errors=(BadURL,),
        tokens=(b"http://", b"https://", b"//", b"/", b"../", b"?", b"&", b"#", b"%", b"%2e", b"@", b":", b"[::1]", b"www.",
            b"m.", b"\xcc\x81", b"\xff",
                "ß".encode(), b"xn--", b"jsessionid=0123456789abcdef0123456789abcdef", b"(S(", b".aspx", b"127.0.0.1", b"\\",
                    b"\n"),
        share=5,
    ),
    ForeignReader(
        name="robots.txt",
        modules=("fetch/robots_rules.py", "fetch/robots.py"),
        read=_robots,
        samples=(_ROBOTS, b"", b"Sitemap: https://news.example/s.xml"),
        worst={
            "names and rules": (lambda n: b"".join(b"User-agent: b%d\n" % i for i in range(n)) + b"Disallow: /a\n" * n, 300),
            "groups": (repeated(b"User-agent: *\nDisallow: /a\n"), 500),
            "patterns": (numbered(b"Disallow: /*%d*b\n", b"User-agent: *\n"), 500),
            "one pattern": (repeated(b"*d", b"User-agent: *\nDisallow: /"), 5_000),
            "escapes": (repeated(b"%41", b"User-agent: *\nDisallow: /"), 2_000),
            "blanks": (repeated(b" ", b"User", b"agent: a"), 20_000),
            "dollars": (repeated(b"$", b"User-agent: *\nDisallow: /"), 2_000),
        },
        tokens=(b"User-agent: ", b"Disallow: ", b"Allow: ", b"Crawl-delay: ", b"*", b"$", b"#", b"\n", b"\r", b"tearsheet",
            b"\xef\xbb\xbf", b"%", b"Request-rate: 1/5 0600-0845", b"Visit-time: "),
        share=4,
    ),
)  # fmt: skip
