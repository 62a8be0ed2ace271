"""A page with styles and pictures, ingested from a site on loopback that is gone afterwards."""

from __future__ import annotations

import asyncio
import hashlib
import struct
import zlib
from contextlib import AsyncExitStack
from pathlib import Path

from tearsheet.app.services import Services
from tearsheet.ingest import request_for
from tearsheet.ingest.fetching import Visitor
from tearsheet.settings import Settings
from tearsheet.work import ThreadReader
from tests.support.ingest_site import Site, prose

URL = "http://a.example/x/y"
BODY = f"""<html><head><title>Seen</title><link rel=stylesheet href=/s.css><script>document.title = "acted"</script></head>
<body><h1>Seen</h1><img id=one src=/one.png><img id=two srcset="/two.png 1x"><img id=gone src=/gone.png>
<iframe src=/inner.html></iframe><iframe src=/gone.html></iframe>
<div id=three style="width:9px;height:9px;background:url(/one.png)"></div>{prose(1300)}</body></html>"""
SHA1 = hashlib.sha1(BODY.encode()).hexdigest()
LOOK = """() => ({
  widths: ['one', 'two', 'gone'].map(id => document.getElementById(id).naturalWidth),
  heading: getComputedStyle(document.querySelector('h1')).color,
  ground: getComputedStyle(document.body).backgroundColor,
})"""
"""What a browser says of the page: how wide its pictures are, and what colours its styles give."""
LOOKS = {"widths": [3, 5, 0], "heading": "rgb(1, 2, 3)", "ground": "rgb(4, 5, 6)"}
"""What it says when the pictures and styles that there were are there."""


def png(width: int) -> bytes:
    """A picture of so many pixels by one."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(bytes(width + 1)))
        + chunk(b"IEND", b"")
    )


def ingest_page(data: Path) -> None:
    """Ingest the page into a data folder."""
    site = Site()
    site.page("/x/y", BODY)
    site.file("/s.css", b"@import 'more.css'; h1 { color: rgb(1, 2, 3) }", "text/css")
    site.file("/more.css", b"body { background: rgb(4, 5, 6) url(/two.png) }", "text/css")
    site.page("/inner.html", '<title>Inner</title><p>Inside "it"</p><img src=/one.png>')
    site.file("/one.png", png(3))
    site.file("/two.png", png(5))
    with site.in_thread(), Services(Settings(data, fetch=site.settings(obey_robots=False))) as services:

        async def run() -> None:
            async with AsyncExitStack() as stack:
                service = services.ingest.service(Visitor(services.open_polite(stack)), ThreadReader())
                [result] = await service.handle([request_for(URL)])
                assert result.hit

        asyncio.run(run())
