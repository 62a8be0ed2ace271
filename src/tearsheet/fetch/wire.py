"""Reading and writing what goes over the wire: addresses, header lines, charsets, redirects. Pure functions."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import quote, urlsplit, urlunsplit

from tearsheet.foreign_text import with_few_marks
from tearsheet.urls import BadURL, ascii_host, join_url

REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
MAX_WIRE_URL = 8192
_STRIP = "".join(map(chr, range(0x21)))
_LINE_BREAKS = str.maketrans("", "", "\t\r\n")
_SAFE = "!#$%&'()*+,/:;=?@[]~-._|"
_PLAIN_URL = re.compile(
    r"https?://(?:[a-z0-9_-]{1,63}\.){1,3}[a-z]{2,20}/[A-Za-z0-9/_.,;=&+:@!*()~-]*(?:\?[A-Za-z0-9/_.,;=&+:@!*()~-]+)?"
)
_HOST = re.compile(r"[a-z0-9_.-]+|\[[0-9a-f:.]+\]")
_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_CHARSET = re.compile(r""";\s*+charset\s*+=\s*+["']?+\s*+([A-Za-z0-9_.:+-]{1,40})""", re.IGNORECASE)
_SHORT_LINE = 200
_LONGEST_TYPE = 1000
_BLANKS = (b" ", b"\t")
_STATUS_LINE = re.compile(rb"HTTP/([0-9.]{1,4}) ([0-9]{3})(?: ([^\r\n]*))?")


def wire_url(url: str) -> str:
    """The address as it is requested: ASCII, percent-encoded, without fragment or credentials. Raises BadURL.

    Spaces and line breaks are treated as browsers treat them, since feeds and redirects are full of them.
    """
    if len(url) < 2000 and _PLAIN_URL.fullmatch(url):  # as nearly all are
        return url
    try:
        parts = urlsplit(with_few_marks(url).strip(_STRIP).translate(_LINE_BREAKS).replace("\\", "/"))
        port = parts.port
    except ValueError as error:
        raise BadURL(f"bad address: {error}") from error
    scheme = parts.scheme.lower()
    if scheme not in ("http", "https"):
        raise BadURL(f"not http or https: {url[:100]!r}")
    host = _wire_host(parts.hostname or "")
    if port is not None and port != {"http": 80, "https": 443}[scheme]:
        host = f"{host}:{port}"
    wired = urlunsplit((scheme, host, _encode(parts.path) or "/", _encode(parts.query), ""))
    if len(wired) > MAX_WIRE_URL:
        raise BadURL(f"longer than {MAX_WIRE_URL} characters")
    return wired


def _wire_host(hostname: str) -> str:
    host = ascii_host(hostname)
    if ":" in host:
        host = f"[{host}]"
    if not host or len(host) > 253 or not _HOST.fullmatch(host) or ".." in host or host.startswith("."):
        raise BadURL(f"bad host name: {hostname[:100]!r}")
    return host


def _encode(text: str) -> str:
    try:
        return quote(_BARE_PERCENT.sub("%25", text), safe=_SAFE)
    except UnicodeError as error:
        raise BadURL("bad address: an incomplete character") from error


def wire_origin(url: str) -> str:
    """`scheme://host:port` of an address in wire form."""
    return url[: url.index("/", 8)]


@lru_cache(maxsize=4096)
def wire_host(url: str) -> str:
    """The host of an address in wire form, without port; an IPv6 address without brackets."""
    authority = url[url.index("//") + 2 : url.index("/", 8)]
    if authority.startswith("["):
        return authority[1 : authority.index("]")]
    return authority.partition(":")[0]


def redirect_target(base: str, location: str) -> str:
    """Where a Location header points. Raises BadURL."""
    try:
        return wire_url(join_url(base, location.strip(_STRIP).translate(_LINE_BREAKS).replace("\\", "/")))
    except ValueError as error:
        raise BadURL(f"bad redirect to {location[:100]!r}: {error}") from error


def parse_status_line(line: bytes) -> tuple[str, int, str] | None:
    """`HTTP/1.1 404 Not Found` as version (`1.1`), status and reason; None when it is not a status line."""
    match = _STATUS_LINE.match(line)
    return (match[1].decode(), int(match[2]), header_text(match[3] or b"").strip()) if match else None


def parse_header_line(line: bytes) -> tuple[str, str] | None:
    """`Name: value` as a pair, or None."""
    return _parse_short_line(line) if len(line) < _SHORT_LINE else _parse_line(line)


def _parse_line(line: bytes) -> tuple[str, str] | None:
    name, colon, value = header_text(line).partition(":")
    name = name.strip()
    return (name, value.strip()) if colon and name else None


_parse_short_line = lru_cache(maxsize=4096)(_parse_line)
"""Cached, because servers send the same lines again and again; long ones are rarely repeated, and would fill the memory."""


def unfolded(lines: Sequence[bytes]) -> Sequence[bytes]:
    """Header lines, with those that continue on the next line (as was once allowed) joined."""
    whole_head = b"\n".join(lines)
    if b"\n " not in whole_head and b"\n\t" not in whole_head and not whole_head.startswith(_BLANKS):
        return lines
    whole: list[list[bytes]] = []
    for line in lines:
        if line[:1] in b" \t" and whole:
            whole[-1].append(line.strip())
        else:
            whole.append([line])
    return [parts[0] if len(parts) == 1 else b" ".join([parts[0].rstrip(), *parts[1:]]) for parts in whole]


def header_text(data: bytes) -> str:
    """A header as text: UTF-8 if it is valid, else Latin-1."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def stated_charset(content_type: str | None) -> str | None:
    """The charset that a Content-Type states, if we can decode it; else None."""
    return _charset_in((content_type or "")[:_LONGEST_TYPE])


@lru_cache(maxsize=1024)
def _charset_in(content_type: str) -> str | None:
    match = _CHARSET.search(content_type)
    if not match:
        return None
    try:
        codecs.lookup(match[1])
    except LookupError:
        return None
    return match[1]
