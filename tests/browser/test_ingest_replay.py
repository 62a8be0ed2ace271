"""An ingested page is seen as it was, from the archive alone: its site is gone and nothing is asked for."""

from __future__ import annotations

import asyncio
import hashlib
import struct
import zlib

import pytest

from tearsheet.compose import Services
from tearsheet.config import Settings
from tearsheet.ingest import request_for
from tearsheet.ingest.workers import persist_results
from tearsheet.web.app import create_app
from tests.browser.seeing import CHROMIUM, FLAGS
from tests.integration.ingest.site import Site, prose
from tests.integration.web.running import running

pytestmark = pytest.mark.browser
BODY = f"""<html><head><title>Seen</title><link rel=stylesheet href=/s.css><script>document.title = "acted"</script></head>
<body><h1>Seen</h1><img id=one src=/one.png><img id=two srcset="/two.png 1x"><img id=gone src=/gone.png>
<div id=three style="width:9px;height:9px;background:url(/one.png)"></div>{prose(1300)}</body></html>"""
SHA1 = hashlib.sha1(BODY.encode()).hexdigest()


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


@pytest.fixture
def address(tmp_path):
    site = Site()
    site.page("/x/y", BODY)
    site.file("/s.css", b"@import 'more.css'; h1 { color: rgb(1, 2, 3) }", "text/css")
    site.file("/more.css", b"body { background: rgb(4, 5, 6) url(/two.png) }", "text/css")
    site.file("/one.png", png(3))
    site.file("/two.png", png(5))
    with site.in_thread(), Services(Settings(tmp_path, fetch=site.settings(obey_robots=False))) as services:

        async def run() -> None:
            async with services.ingest.open_visitor() as visitor:
                [result] = await services.ingest.service(visitor).handle([request_for("http://a.example/x/y")])
                assert result.hit

        asyncio.run(run())
        persist_results(services.events, services.ingest.names, services.ingest.store)
    with Services(Settings(tmp_path)) as services, running(create_app(services)) as address:
        yield address


def test_the_replay_of_an_ingested_page(address):
    if not CHROMIUM.exists():
        pytest.skip(f"there is no Chromium at {CHROMIUM}; install the package `chromium`")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        page = browser.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if not request.url.startswith("data:") else None)
        answer = page.goto(f"{address}/ingest/document/{SHA1}/replay")
        assert answer is not None and answer.status == 200
        page.wait_for_load_state("load")
        seen = page.evaluate(
            """() => ({
              widths: ['one', 'two', 'gone'].map(id => document.getElementById(id).naturalWidth),
              heading: getComputedStyle(document.querySelector('h1')).color,
              ground: getComputedStyle(document.body).backgroundColor,
              picture: getComputedStyle(document.body).backgroundImage.slice(0, 20),
              title: document.title,
            })"""
        )
        browser.close()
    assert seen == {
        "widths": [3, 5, 0],
        "heading": "rgb(1, 2, 3)",
        "ground": "rgb(4, 5, 6)",
        "picture": 'url("data:image/png;',
        "title": "Seen",
    }
    assert asked == [f"{address}/ingest/document/{SHA1}/replay"]
