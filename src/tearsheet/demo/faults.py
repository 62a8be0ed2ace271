"""Entries that must not become stories: dead, broken, hostile and misleading pages, each with what the server does."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from tearsheet.demo.cases import OWN_HOST_CASES, Case
from tearsheet.demo.model import Manner, Reply, Route, Site, html_reply, redirect
from tearsheet.demo.obstacles import sorry
from tearsheet.demo.sites import CLOSED_HOST

MAX_BYTES = 10_000_000
"""Anything larger must be refused."""
ROBOTS_FOLDER = "/intern/"
_CHUNK = b"<p>Nothing new was said, and it was said again and again, until the evening came.</p>\n" * 800


@dataclass(slots=True, frozen=True)
class Fault:
    """One bad entry: its link, and the addresses that the server must know for it (by host and target)."""

    link: str
    routes: dict[tuple[str, str], Route]


def make_fault(case: Case, site: Site, number: int, page: Callable[[], Reply]) -> Fault:
    """The fault of this case at a site. `page` makes a good article, for the faults that need one to spoil."""
    if case in _FOREIGN_LINKS:
        return Fault(_FOREIGN_LINKS[case], {})
    if case is Case.HOMEPAGE:
        return Fault(f"http://{site.host}/", {})
    path = f"{ROBOTS_FOLDER if case is Case.ROBOTS else '/reports/'}{case}-{80_000 + number}.html"
    host = f"{case}.{site.host}" if case in OWN_HOST_CASES else site.host
    if case is Case.REDIRECT_ENDLESS:
        return _endless(host, path)
    if case is Case.REDIRECT_LOOP:
        return _loop(host, path)
    if case in _SPOILED:
        return _fault(host, path, lambda: _SPOILED[case](page()))
    return _fault(host, path, lambda: _REPLIES[case](site))


_FOREIGN_LINKS: dict[Case, str] = {
    Case.NO_LINK: "",
    Case.MAILTO: "mailto:desk@harbour-herald.example",
    Case.LOOPBACK: "http://127.0.0.2/admin/status-80101.html",
    Case.PRIVATE: "http://10.20.30.40/intranet/report-80102.html",
    Case.NON_NEWS: "https://www.youtube.com/watch?v=Ab3dE5gH7jK",
    Case.REFUSED: f"http://{CLOSED_HOST}/2026/06/nobody-answers-here-80103.html",
}


def _fault(host: str, path: str, make: Callable[[], Reply]) -> Fault:
    return Fault(f"http://{host}{path}", {(host, path): Route(make)})


def _loop(host: str, path: str) -> Fault:
    there, back = redirect(f"{path}?turn=1", 302), redirect(path, 302)
    routes = {(host, path): Route(lambda: there), (host, f"{path}?turn=1"): Route(lambda: back)}
    return Fault(f"http://{host}{path}", routes)


def _endless(host: str, path: str) -> Fault:
    """Every address leads to yet another one, which the client has not seen before."""
    steps = [path, *(f"{path}?step={step}" for step in range(1, 60))]
    routes = {(host, here): _leading_to(there) for here, there in zip(steps, steps[1:] + steps[:1], strict=True)}
    return Fault(f"http://{host}{path}", routes)


def _leading_to(location: str) -> Route:
    reply = redirect(location)
    return Route(lambda: reply)


def png(width: int = 64, height: int = 64) -> bytes:
    """A real picture: a grey gradient, uncompressed and light, so that no byte of it looks like the start of a tag."""
    rows = b"".join(b"\0" + bytes(128 + (x + y) % 128 for x in range(width)) for y in range(height))
    header = width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\x08\0\0\0\0"
    return (
        b"\x89PNG\r\n\x1a\n"
        + _png_chunk(b"IHDR", header)
        + _png_chunk(b"IDAT", zlib.compress(rows, 0))
        + _png_chunk(b"IEND", b"")
    )


def _png_chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def _typed(content_type: str, body: bytes) -> Reply:
    return Reply(200, (("Content-Type", content_type),), body)


def _pdf() -> bytes:
    catalogue = b"1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
    return b"%PDF-1.4\n" + catalogue + b"trailer<</Root 1 0 R>>\n%%EOF\n"


_SHORT_PAGE = (
    '<html lang="en"><head><title>{0}</title></head><body><article><h1>{0}</h1><p>The council met on Monday evening in Sandholm, '
    "and nothing was decided. This article is being written.</p></article></body></html>"
)
_SHELL_PAGE = (
    '<html><head><title></title><script src="/static/app.js"></script></head><body><div id="root"></div></body></html>'
)
_FEED_PAGE = (
    '<?xml version="1.0"?><rss version="2.0"><channel><title>{0}</title><link>http://{1}/</link>'
    "<item><title>One</title><link>http://{1}/one-80104.html</link></item></channel></rss>"
)

_REPLIES: dict[Case, Callable[[Site], Reply]] = {
    Case.NOT_FOUND: lambda site: sorry(404),
    Case.GONE: lambda site: sorry(410),
    Case.FORBIDDEN: lambda site: sorry(403),
    Case.LEGAL: lambda site: sorry(451),
    Case.ALWAYS_BUSY: lambda site: sorry(429, ("Retry-After", "1")),
    Case.ALWAYS_ERROR: lambda site: sorry(500),
    Case.ALWAYS_UNAVAILABLE: lambda site: sorry(503, ("Retry-After", "1")),
    Case.REDIRECT_PRIVATE: lambda site: redirect("http://10.20.30.41/latest/meta-data/", 302),
    Case.REDIRECT_NON_NEWS: lambda site: redirect("https://www.youtube.com/watch?v=Zz9yX8wV7uT"),
    Case.REDIRECT_MAILTO: lambda site: redirect(f"mailto:desk@{site.host}", 302),
    Case.TO_HOMEPAGE: lambda site: redirect(f"http://{site.host}/", 302),
    Case.PDF: lambda site: _typed("application/pdf", _pdf()),
    Case.PICTURE: lambda site: _typed("image/png", png()),
    Case.JSON: lambda site: _typed("application/json", b'{"articles": [], "error": null}'),
    Case.BINARY_AS_HTML: lambda site: html_reply(png(), "text/html"),
    Case.EMPTY: lambda site: html_reply(b""),
    Case.OVERSIZED_STREAM: lambda site: replace(
        html_reply(_CHUNK), manner=Manner.REPEAT, repeat=MAX_BYTES // len(_CHUNK) + 30
    ),
    Case.RESET: lambda site: Reply(manner=Manner.RESET),
    Case.GARBAGE: lambda site: Reply(body=b"220 mail." + site.host.encode() + b" ESMTP\r\n" * 3, manner=Manner.GARBAGE),
    Case.HANG: lambda site: Reply(manner=Manner.HANG),
    Case.TOO_SHORT: lambda site: html_reply(_SHORT_PAGE.format(site.name).encode()),
    Case.NO_TEXT: lambda site: html_reply(_SHELL_PAGE.encode()),
    Case.FEED_PAGE: lambda site: _typed("text/xml; charset=utf-8", _FEED_PAGE.format(site.name, site.host).encode()),
}


def _swollen(reply: Reply) -> bytes:
    return reply.body.replace(b"</body>", _CHUNK * (MAX_BYTES // len(_CHUNK) + 2) + b"</body>")


_SPOILED: dict[Case, Callable[[Reply], Reply]] = {
    Case.ROBOTS: lambda page: page,
    Case.TRUNCATED: lambda page: replace(page, manner=Manner.TRUNCATED, compress=False),
    Case.HANG_MIDDLE: lambda page: replace(page, manner=Manner.HANG_MIDDLE, compress=False),
    Case.OVERSIZED: lambda page: replace(page, body=_swollen(page), compress=False),
    Case.OVERSIZED_GZIP: lambda page: replace(
        page,
        headers=(*page.headers, ("Content-Encoding", "gzip")),
        body=gzip.compress(_swollen(page), 6, mtime=0),
        compress=False,
    ),
}
