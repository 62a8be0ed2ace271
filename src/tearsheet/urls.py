"""Web addresses: which ones mean the same page, whose page it is, and whether it is a front page. Pure functions, no network."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import SplitResult, parse_qsl, quote, unquote, unquote_to_bytes, urlencode, urljoin, urlsplit

from publicsuffixlist import PublicSuffixList

from tearsheet.accounts import account_of
from tearsheet.errors import UsageError
from tearsheet.foreign_text import with_few_marks
from tearsheet.lexicon import (
    DEVICE_SUBDOMAINS,
    FEED_SERVICES,
    HOMEPAGE_FILES,
    HOMEPAGE_SECTIONS,
    PATH_WORDS,
    SHORTENERS,
    TRACKING_PARAMETERS,
    TRACKING_PREFIXES,
    VIDEO_HOSTS,
    is_non_news,
)

MAX_URL_LENGTH = 2048
_LONGEST_HOST = 1000
"""Of a host that is not in ASCII; on the wire, 253 characters are the limit."""
_LONGEST_PUBLISHER = 255
_DEVICE_LABEL = re.compile(r"(?:" + "|".join(DEVICE_SUBDOMAINS) + r"|ww[w0-9]?\d*)\.(?=[^.]+\.)")
_LANGUAGE_SEGMENT = re.compile(r"[a-z]{2}(?:[-_][a-z]{2})?")
_SLASHES = re.compile("/{2,}")
_EDGES = "".join(map(chr, range(33)))
_LINE_BREAKS = re.compile(r"[\t\r\n]+")
_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
_ASCII_OF_URLS = "".join(map(chr, range(33, 127)))
_PATH_SAFE = "/:@!$&'()*+,;=~"
_PLAIN_PATH = re.compile(r"[A-Za-z0-9_.\-/:@!$&'()*+,;=~]*")
"""A path that is its own normal form, as nearly all are: this quick check halves the time that an address takes."""
_MAX_ESCAPES = 20
"""How many times an escape may itself have been escaped; more is a prank."""
_PATH_SESSIONS = tuple(
    re.compile(rf"^(.*/){session}/([^?]+\.aspx.*)$")
    for session in (r"\((?:[a-z]\([0-9a-z]{24}\))+\)", r"\([0-9a-z]{24}\)")
)
_QUERY_SESSIONS = tuple(
    re.compile(rf"(.*){session}(?:&(.*))?", re.IGNORECASE)
    for session in (
        "jsessionid=[0-9a-z]{32}",
        "phpsessid=[0-9a-z]{32}",
        "sid=[0-9a-z]{32}",
        "aspsessionid[a-z]{8}=[a-z]{24}",
        "cfid=[^&]+&cftoken=[^&]+",
    )
)
_PLAIN_URL = re.compile(r"https?://([a-z0-9.-]*[a-z0-9])(/[A-Za-z0-9/_.~,;:@!$&'()*+=-]*)")
"""The form of most story addresses: only a host name and a path in which nothing is escaped."""
_VIDEO_ID = re.compile(r"(?:youtu\.be/|/embed/|/shorts/|/live/|/v/|[?&]v=)([\w-]{11})(?![\w-])")


_SITE = re.compile(r"[^\W_](?:[\w-]*[^\W_])?(?:\.[^\W_](?:[\w-]*[^\W_])?)+")


class BadURL(UsageError, ValueError):
    """The text cannot be read as an http(s) address."""


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList(accept_unknown=True)


def split_http_url(url: str) -> SplitResult:
    """Split an http(s) address. Raises BadURL when the host is missing, or the scheme or port is invalid."""
    try:
        parts = urlsplit(_LINE_BREAKS.sub("", with_few_marks(url).strip(_EDGES)))
        _ = parts.port
        if not url.isascii():
            url.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadURL("bad address: an incomplete character") from error
    except ValueError as error:
        raise BadURL(f"bad address: {error}") from error
    if parts.scheme.lower() not in ("http", "https"):
        raise BadURL(f"not http or https: {url[:100]!r}")
    if not parts.hostname:
        raise BadURL(f"no host: {url[:100]!r}")
    return parts


def join_url(base: str, address: str) -> str:
    """What an address means in a document at `base`. Raises ValueError when it means nothing."""
    return urljoin(with_few_marks(base), with_few_marks(address))


def host_of(url: str) -> str:
    """The host name in lower case and ASCII, without port or trailing dot. Raises BadURL."""
    return ascii_host(split_http_url(url).hostname or "")


def ascii_host(host: str) -> str:
    """A host name as it goes over the wire. Raises BadURL when it has no such form."""
    ascii_name = with_few_marks(host).lower().rstrip(".")
    try:
        if not host.isascii():
            if len(ascii_name) > _LONGEST_HOST:
                raise BadURL(f"bad host name: {host[:100]!r}")
            ascii_name = ascii_name.encode("idna").decode("ascii").rstrip(".")
    except UnicodeError as error:
        raise BadURL(f"bad host name: {host[:100]!r}") from error
    if not _HOST.fullmatch(ascii_name):
        raise BadURL(f"bad host name: {host[:100]!r}")
    return ascii_name


def non_news_host(url: str | None) -> str | None:
    """The host of an address if that site publishes no news, else None: wherever an address becomes known, it is asked."""
    try:
        host = host_of(url or "")
    except BadURL:
        return None
    return host if is_non_news(host) else None


def is_tracking_parameter(name: str) -> bool:
    """Whether a query parameter only says where the reader came from."""
    name = name.lower()
    return name in TRACKING_PARAMETERS or name.startswith(TRACKING_PREFIXES)


def normalize_url(url: str) -> str:
    """The form in which two addresses of one page are equal: use it as a key, never to fetch.

    Lower case, `http`, no port, fragment, `www.` or `m.`, no tracking parameters, the rest of the query sorted. Case is kept
    where it carries the identity: short links and video ids. Raises BadURL.
    """
    if plain := _PLAIN_URL.fullmatch(url):
        host, path = plain.groups()
        bare_host = _without_device(host)
        if bare_host not in VIDEO_HOSTS and bare_host not in SHORTENERS:
            return f"http://{bare_host}{_tidy_path(path.lower())}"
    return _normalize_any(url)


def _normalize_any(url: str) -> str:
    parts = split_http_url(url)
    bare_host = _without_device(ascii_host(parts.hostname or ""))
    if bare_host in VIDEO_HOSTS and (video := _VIDEO_ID.search(url)):
        return f"http://youtube.com/watch?v={video[1]}"
    path = parts.path if _PLAIN_PATH.fullmatch(parts.path) else quote(unquote_to_bytes(parts.path), safe=_PATH_SAFE)
    kept = [pair for pair in _query_pairs(parts.query) if not is_tracking_parameter(pair[0])] if parts.query else []
    query = urlencode(sorted(kept), encoding="latin-1") if kept else ""
    if bare_host not in SHORTENERS:
        path, query = path.lower(), query.lower()
    netloc = f"[{bare_host}]" if ":" in bare_host else bare_host
    return f"http://{netloc}{_tidy_path(path)}?{query}" if query else f"http://{netloc}{_tidy_path(path)}"


def _without_device(host: str) -> str:
    """A host without `www.` or `m.`."""
    return _DEVICE_LABEL.sub("", host, count=1) if _DEVICE_LABEL.match(host) else host


def _tidy_path(path: str) -> str:
    """A path without double slashes and without one at the end."""
    if "//" in path:
        path = _SLASHES.sub("/", path)
    return path.rstrip("/") or "/"


def _query_pairs(query: str) -> list[tuple[str, str]]:
    """Names and values with one character per byte, so that different bytes stay different."""
    return parse_qsl(quote(query, safe=_ASCII_OF_URLS), keep_blank_values=True, encoding="latin-1")


def url_hash(url: str) -> str:
    """The id of a story in the index: SHA-256 in hexadecimal of its normalised address. Raises BadURL."""
    return hash_of_normalized(normalize_url(url))


def hash_of_normalized(normalized: str) -> str:
    """The same for an address that is normalised already."""
    return hashlib.sha256(normalized.encode()).hexdigest()


def canonical_domain(url: str) -> str:
    """Whose page it is: an account on a publishing platform (`name.substack.com`, `medium.com/@name`), else the registered domain.

    The table of platforms is `lexicon.platforms`. Raises BadURL.
    """
    parts, host = split_http_url(url), host_of(url)
    domain = _registered(host)
    return account_of(host, parts.path, parts.query, domain) or domain


def registered_domain(url: str) -> str:
    """The domain that was registered for a site (`bbc.co.uk`), or the IP address where there is no name. Raises BadURL."""
    return _registered(host_of(url))


@lru_cache(maxsize=10_000)
def _registered(host: str) -> str:
    return host if is_address(host) else _suffixes().privatesuffix(host) or host


def names_site(text: str) -> bool:
    """Whether a text is an address as people say it, without `https://`: example.org, or www.example.org/news.

    Its host ends as hosts on the web do, so that `feeds.opml` is none.
    """
    host = text.partition("/")[0].partition(":")[0]
    known = _suffixes().privatesuffix(host, accept_unknown=False)
    return bool(known) and _SITE.fullmatch(host) is not None


def publisher_of(url: str) -> str:
    """Whose feed it is: as `canonical_domain`, or on a service that has the feeds of many, the one place there. Raises BadURL.

    `https://feeds.feedburner.com/Herald` is `feeds.feedburner.com/herald`, and `https://herald.substack.com/feed` is
    `herald.substack.com`.
    """
    source, host = canonical_domain(url), host_of(url).removeprefix("www.")
    if source == registered_domain(url) and host in FEED_SERVICES:
        parts = split_http_url(url)
        names = [part for part in unquote(parts.path).lower().split("/") if part and part not in PATH_WORDS]
        name = names[0] if names else parts.query
        return f"{host}/{name}"[:_LONGEST_PUBLISHER] if name else host
    return source


def is_address(host: str) -> bool:
    """Whether a host is an IP address and not a name."""
    if host[-1:].isalpha() and ":" not in host:  # an IP address ends with a digit
        return False
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_homepage(url: str) -> bool:
    """Whether this is the front page of a site, a language or a section, and not an article. Raises BadURL."""
    if plain := _PLAIN_URL.fullmatch(url):
        path = plain[2]
    else:
        parts = split_http_url(url)
        if any(not is_tracking_parameter(name) for name, _ in _query_pairs(parts.query)):
            return False
        path = unquote(parts.path)
    segments = [segment for segment in path.lower().split("/") if segment]
    if segments and segments[-1] in HOMEPAGE_FILES:
        segments.pop()
    if segments and _LANGUAGE_SEGMENT.fullmatch(segments[0]):
        segments.pop(0)
    return not segments or (len(segments) == 1 and segments[0] in HOMEPAGE_SECTIONS)


def is_shortened(url: str) -> bool:
    """Whether the address belongs to a link shortener, so that the page itself has another address. Raises BadURL."""
    host = host_of(url)
    return _DEVICE_LABEL.sub("", host, count=1) in SHORTENERS and not is_homepage(url)


def surt(url: str) -> str:
    """The sort key of web archives: `http://www.example.com/a?b` becomes `com,example)/a?b`. Raises BadURL.

    Follows the Internet Archive's tools, so that their lookups work on our index: escapes undone and made
    again, dot segments and double slashes gone, no session ids, lower case, the query sorted.
    """
    parts = split_http_url(url)
    host = re.sub(r"^www\d*\.", "", ascii_host(parts.hostname or ""))
    port = f":{parts.port}" if parts.port and parts.port != {"http": 80, "https": 443}[parts.scheme.lower()] else ""
    path = _escape_once(_surt_path(_unescape_fully(parts.path))).lower()
    for session in _PATH_SESSIONS if len(path) <= MAX_URL_LENGTH else ():
        path = session.sub(r"\1\2", path)
    if path.endswith("/") and len(path) > 1:
        path = path[:-1]
    query = _escape_once(_unescape_fully(parts.query))
    for session in _QUERY_SESSIONS if len(query) <= MAX_URL_LENGTH else ():
        if found := session.fullmatch(query):
            query = found[1] + (found[2] or "")
    pairs = sorted(tuple(pair.split("=", 1)) for pair in query.lower().split("&"))
    query = "&".join("=".join(pair) for pair in pairs)
    return f"{','.join(reversed(host.split('.')))}{port}){path}{'?' + query if query else ''}"


def _surt_path(path: bytes) -> bytes:
    kept: list[bytes] = []
    for segment in path.split(b"/")[1:]:
        if segment == b".." and kept:
            kept.pop()
        elif segment != b".":
            kept.append(segment)
    return b"/" + b"/".join([segment for segment in kept[:-1] if segment] + kept[-1:])


def _unescape_fully(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    for _ in range(_MAX_ESCAPES):
        plain = unquote_to_bytes(data)
        if plain == data:
            break
        data = plain
    return data


def _escape_once(data: bytes) -> str:
    return quote(data, safe="!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~")
