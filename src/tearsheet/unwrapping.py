"""Which page an address really leads to, when it is that of a copy in a web archive or a cache, or of a redirector."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from functools import cache
from urllib.parse import SplitResult, parse_qsl, unquote

from tearsheet.lexicon import AMP_CACHES, ARCHIVE_HOSTS, BARE_COPY, COPY, DATED_COPY, REDIRECTORS, SEARCH_PATH
from tearsheet.urls import MAX_URL_LENGTH, BadURL, ascii_host, split_http_url

_LAYERS = 8
"""How many times an address may be wrapped. What is wrapped more often is a prank."""
_LONGEST = 4 * MAX_URL_LENGTH
"""An address grows when it is wrapped, because its signs are escaped."""
_LONGEST_HOST = 253
_ESCAPED_SCHEME = re.compile(r"https?%(?:25){0,9}3a", re.IGNORECASE)
_ONE_SLASH = re.compile(r"(https?):/+", re.IGNORECASE)
_GOOGLE = re.compile(r"(?:www\.|m\.)?google(?:\.com?)?\.[a-z]{2,3}")
_NEWS_ARTICLE = re.compile(r"/(?:rss/|__i/rss/rd/)?(?:articles|read)/([\w-]{20,2000})")
_PRINTED_ADDRESS = re.compile(rb"https?://[\x21-\x7e]+")
_COPY, _BARE_COPY, _DATED_COPY = (re.compile(text, re.IGNORECASE) for text in (COPY, BARE_COPY, DATED_COPY))
_SEARCH_PATH = re.compile(SEARCH_PATH, re.IGNORECASE)


def unwrap(url: str) -> str:
    """The address that is wrapped in another, through all layers; any other address is returned as it is.

    Only the address is looked at. What it carries counts if it is an http(s) address with a host, and not if it is `javascript:`,
    `file:` or no address at all: then the wrapper is all that there is.
    """
    for _ in range(_LAYERS):
        inner = _inside(url)
        if inner is None:
            break
        url = inner
    return url


def _inside(url: str) -> str | None:
    """What one layer carries, or None."""
    if len(url) > _LONGEST:
        return None
    try:
        parts = split_http_url(url)
        host = ascii_host(parts.hostname or "")
    except BadURL:
        return None
    if len(host) > _LONGEST_HOST:
        return None
    return next((good for text in _carried(host, parts) if (good := _address(text, url)) is not None), None)


def _carried(host: str, parts: SplitResult) -> Iterator[str]:
    """Texts in an address that may be what it carries."""
    yield from _copied(host, parts)
    yield from _cached(host, parts)
    for path, names in _redirector(host):
        if path.fullmatch(parts.path):
            given = dict(reversed(parse_qsl(parts.query)))
            yield from (given[name] for name in names if name in given)
    if host.endswith("search.yahoo.com") and (found := _SEARCH_PATH.search(parts.path)):
        yield unquote(found[1])
    if host == "news.google.com" and (found := _NEWS_ARTICLE.match(parts.path)):
        yield from _printed(found[1])


def _copied(host: str, parts: SplitResult) -> Iterator[str]:
    """The address of a copy in a web archive; the query is that of the page, and belongs to it."""
    known = any(name in ARCHIVE_HOSTS for name in _names(host))
    found = (_COPY.match(parts.path) or _BARE_COPY.match(parts.path)) if known else _DATED_COPY.search(parts.path)
    if found:
        page = found[1] if found[1].lower().startswith("http") else f"http://{found[1]}"
        yield f"{page}?{parts.query}" if parts.query else page


def _cached(host: str, parts: SplitResult) -> Iterator[str]:
    for name in _names(host):
        if name in AMP_CACHES and (found := re.match(AMP_CACHES[name], parts.path)):
            page = f"http{'s' if found[1] else ''}://{found[2]}"
            yield f"{page}?{parts.query}" if parts.query else page


def _names(host: str) -> Iterator[str]:
    """The names that a host is known by: its own, those of the domains that it is in, and `google` in any country."""
    if _GOOGLE.fullmatch(host):
        yield "google"
    while "." in host:
        yield host
        host = host.partition(".")[2]


@cache
def _redirectors() -> dict[str, list[tuple[re.Pattern[str], tuple[str, ...]]]]:
    table: dict[str, list[tuple[re.Pattern[str], tuple[str, ...]]]] = {}
    for host, path, names in REDIRECTORS:
        table.setdefault(host, []).append((re.compile(path), names))
    return table


def _redirector(host: str) -> Iterator[tuple[re.Pattern[str], tuple[str, ...]]]:
    for name in _names(host):
        yield from _redirectors().get(name, ())


def _printed(text: str) -> Iterator[str]:
    """The address in a number of Google News, as older ones have it."""
    try:
        data = urlsafe_b64decode(text[: len(text) // 4 * 4])
    except ValueError:
        return
    if found := _PRINTED_ADDRESS.search(data):
        yield found[0].decode("ascii")


def _address(text: str, wrapper: str) -> str | None:
    """What was carried, as an address; None if it is none, or leads back to what carried it."""
    text = text.strip()
    if found := _ESCAPED_SCHEME.match(text):
        for _ in range(found[0].count("25") + 1):
            text = unquote(text)
    if text.startswith("//"):
        text = f"http:{text}"
    text = _ONE_SLASH.sub(r"\1://", text, count=1)
    try:
        ascii_host(split_http_url(text).hostname or "")
    except BadURL:
        return None
    return text if text != wrapper else None
