"""`parse_feed`: from the bytes that a server sent to entries, or one clear reason why there are none."""

from __future__ import annotations

import re
import zlib
from datetime import datetime

from tearsheet.clock import utc_now
from tearsheet.feeds.formats.json_feed import read_json_feed
from tearsheet.feeds.formats.model import EMPTY, HTML, NO_VERSION, FeedError, ParsedFeed
from tearsheet.feeds.formats.sitemap import read_sitemap
from tearsheet.feeds.formats.xml_feed import local_name, read_xml_feed
from tearsheet.feeds.formats.xml_text import read_xml

MAX_UNZIPPED = 60_000_000
_BLANK = b" \t\r\n\0\xef\xbb\xbf"
_LOOKS_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--[^>]{0,500}-->\s*){0,5}<(?:!doctype\s+html\b|html\b)", re.IGNORECASE
)
_HTML_ROOTS = frozenset(
    "html head body div p br title meta script style span table center h1 h2 form a img link".split()
)


def parse_feed(body: bytes, url: str, *, charset: str | None = None, now: datetime | None = None) -> ParsedFeed:
    """Read a feed or sitemap of any format; `url` is its final address, for relative links.

    `charset` is what the HTTP header states; it is used unless the bytes say otherwise. Dates far beyond `now` are
    refused. Raises FeedError, whose `reason` is `empty`, `html?` or `no version`.
    """
    now = now or utc_now()
    if body.startswith(b"\x1f\x8b"):
        body = unzip(body)
    body = body.strip(_BLANK) if body[:1].isspace() or body[:1] == b"\0" else body
    if not body.strip(_BLANK):
        raise FeedError(EMPTY)
    if body.lstrip(_BLANK)[:1] == b"{":
        return read_json_feed(body.lstrip(_BLANK), url, now)
    if _LOOKS_HTML.match(body, 3 if body.startswith(b"\xef\xbb\xbf") else 0):
        raise FeedError(HTML)
    root, damaged = read_xml(body, url, charset)
    if root is None:
        raise FeedError(NO_VERSION)
    name = local_name(root.tag)
    if name in ("urlset", "sitemapindex"):
        feed = read_sitemap(root, url, now)
    else:
        found = read_xml_feed(root, url, now, damaged=damaged)
        if found is None:
            raise FeedError(HTML if name in _HTML_ROOTS else NO_VERSION)
        feed = found
    feed.damaged = damaged
    return feed


def unzip(body: bytes, limit: int = MAX_UNZIPPED) -> bytes:
    """The first `limit` unzipped bytes of a gzip file; of a broken one, what can be read."""
    stream = zlib.decompressobj(wbits=31)
    try:
        return stream.decompress(body, limit)
    except zlib.error:
        return _unzip_piecewise(body, limit)


def _unzip_piecewise(body: bytes, limit: int) -> bytes:
    stream = zlib.decompressobj(wbits=31)
    found = bytearray()
    try:
        for start in range(0, len(body), 1024):
            found += stream.decompress(body[start : start + 1024], limit - len(found))
            if len(found) >= limit:
                break
    except zlib.error:
        pass
    return bytes(found)
