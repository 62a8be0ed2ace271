"""`parse_feed`: from the bytes that a server sent to entries, or one clear reason why there are none."""

from __future__ import annotations

import codecs
import re
import zlib
from datetime import datetime

from tearsheet.clock import utc_now
from tearsheet.feeds.formats.encodings import decode
from tearsheet.feeds.formats.json_feed import read_json_feed
from tearsheet.feeds.formats.model import EMPTY, HTML, NO_VERSION, TOO_LARGE, FeedError, ParsedFeed
from tearsheet.feeds.formats.self_links import self_links
from tearsheet.feeds.formats.sitemap import read_sitemap
from tearsheet.feeds.formats.xml_feed import local_name, read_xml_feed
from tearsheet.feeds.formats.xml_text import read_xml

MAX_UNZIPPED = 60_000_000
_GZIP = b"\x1f\x8b"
_PIECE, _MAX_MEMBERS = 1024, 10_000
_BLANK = b" \t\r\n\0\xef\xbb\xbf"
_WIDE = re.compile(rb"\0(?:\0\0)?<")
"""Where UTF-16 and UTF-32 begin that have no mark."""
_LOOKS_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--[^>]{0,500}-->\s*){0,5}<(?:!doctype\s+html\b|html\b)", re.IGNORECASE
)
_FEED_ROOT = re.compile(rb"<(?:(rss|rdf:rdf|feed)|(?:html|head|body))\b", re.IGNORECASE)
_HTML_ROOTS = frozenset(
    "html head body div p br title meta script style span table center h1 h2 form a img link".split()
)


def parse_feed(
    body: bytes | str,
    url: str | None = None,
    *,
    charset: str | None = None,
    now: datetime | None = None,
    max_bytes: int = MAX_UNZIPPED,
) -> ParsedFeed:
    """Read a feed or sitemap of any format; `url` is its final address, which relative links need to become absolute.

    Text is taken as it is, whatever it says about its own encoding. `charset` is what the HTTP header states; it is used unless the
    bytes say otherwise. Dates far beyond `now` are
    refused. Raises FeedError, whose `reason` is `empty`, `html?`, `no version`, or `too large` for a gzip file that unpacks to
    more than `max_bytes`.
    """
    now, url = now or utc_now(), url or ""
    if isinstance(body, str):
        # The mark at its beginning says that it is UTF-8, and is believed more than what a declaration says.
        body = codecs.BOM_UTF8 + body.strip(_BLANK.decode("utf-8")).encode("utf-8", "replace")
    if body.startswith(_GZIP):
        body = unzip(body, max_bytes + 1)
        if len(body) > max_bytes:
            raise FeedError(TOO_LARGE)
    body = body.strip(_BLANK) if body[:1].isspace() or (body[:1] == b"\0" and not _WIDE.match(body)) else body
    if not body.strip(_BLANK):
        raise FeedError(EMPTY)
    if body.lstrip(_BLANK)[:1] == b"{":
        return read_json_feed(body.lstrip(_BLANK), url, now)
    if _LOOKS_HTML.match(body, 3 if body.startswith(b"\xef\xbb\xbf") else 0) and not _is_feed_all_the_same(body):
        raise FeedError(HTML)
    root, damaged = read_xml(body, url, charset)
    if root is None:
        raise FeedError(NO_VERSION)
    name = local_name(root.tag)
    if name in ("urlset", "sitemapindex"):
        feed = read_sitemap(root, url, now, damaged=damaged)
    else:
        found = read_xml_feed(root, url, now, damaged=damaged)
        if found is None:
            raise FeedError(HTML if name in _HTML_ROOTS else NO_VERSION)
        feed = found
        feed.links = self_links(root, url)
    feed.damaged = damaged
    return feed


def _is_feed_all_the_same(body: bytes) -> bool:
    """Whether what calls itself a web page begins with the root of a feed."""
    root = _FEED_ROOT.search(body, 0, 4096)
    return root is not None and root[1] is not None


def document_text(body: bytes, limit: int) -> str:
    """The beginning of a document as text, whatever it is: for people who want to see why it is no feed."""
    return decode(unzip(body, limit) if body.startswith(_GZIP) else body[:limit])


def unzip(body: bytes, limit: int = MAX_UNZIPPED) -> bytes:
    """The first `limit` unzipped bytes of a gzip file, which may have several members; of a broken one, what can be read."""
    found, at, members = bytearray(), 0, 0
    while body.startswith(_GZIP, at) and len(found) < limit and members < _MAX_MEMBERS:
        stream = zlib.decompressobj(wbits=31)
        members += 1
        while at < len(body) and not stream.eof and len(found) < limit:
            # Little at a time: of a broken piece nothing is known.
            piece = body[at : at + _PIECE]
            at += len(piece)
            try:
                found += stream.decompress(piece, limit - len(found))
            except zlib.error:
                return bytes(found)
        at -= len(stream.unused_data)
    return bytes(found)
