"""A captured page makes no connection and looks up no name, whatever it asks for and whatever a reader touches.

A real Chromium keeps a log of its network. Each feature of `tests/support/connecting.py` names a host of its own, so that what
leaks can be told apart. The same pages, served as they came, show that the log sees what a browser does.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tearsheet.app.showing import show_capture
from tearsheet.archive import ArchivedStory, CapturedBytes, ReplayPage, plain_page, whole_page
from tearsheet.cli.replay_server import CaptureServer, make_server
from tearsheet.ingest.replay import self_contained
from tearsheet.ingest.replay_parts import Part
from tests.support.archive_stories import archived_story
from tests.support.connecting import DOCUMENTS, FRAMED, LEAK, STYLES, everything, recorded_headers
from tests.support.net_watch import watched_browser
from tests.support.patience import PATIENCE

pytestmark = [pytest.mark.browser, pytest.mark.proof]
GESTURES: tuple[dict[str, Any], ...] = ({}, {"modifiers": ["Control"]}, {"button": "middle"})
IN_FRAME = "framed"
OWN_PAGES = (
    "/",
    "/search?q=climate",
    "/stories/{id}",
    "/stories/{id}/replay",
    "/outcomes",
    "/outcomes/sums",
    "/topics",
    "/topics/1/snapshots/1",
)


def host_of(document: str, way: str) -> str:
    return f"{document}-{way}.{LEAK}"


@contextmanager
def serving(pages: dict[str, ReplayPage]) -> Iterator[str]:
    """Each page at `/NAME`, with its own headers, for a reader who opens it alone; and in a frame at `/framed/NAME`."""
    frame = b"<!doctype html><body style='margin:0'><iframe sandbox='' src='/%s' width=1200 height=700></iframe>"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            first, _, name = self.path.removeprefix("/").rpartition("/")
            page = pages.get(name) or ReplayPage(b"", {"content-type": "text/plain"})
            if first == IN_FRAME:
                page = ReplayPage(frame % name.encode(), {"content-type": "text/html"})
            self.send_response(200)
            for header, value in page.headers.items():
                self.send_header(header, value)
            self.send_header("content-length", str(len(page.body)))
            self.end_headers()
            self.wfile.write(page.body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server, running(server) as address:
        yield address


@contextmanager
def running(server: ThreadingHTTPServer | CaptureServer) -> Iterator[str]:
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join(PATIENCE)


def captured(folder: Path, document: str, way: str) -> ArchivedStory:
    """The document out of an archive, recorded with every header that makes a browser connect."""
    body, charset = DOCUMENTS[document](host_of(document, way))
    story = archived_story(folder / document, body, recorded_headers(host_of(document, way)))
    story.story.http_metadata.encoding = charset
    return story


def ingested(document: str, way: str) -> bytes:
    """The document with its parts inlined; whatever it names was captured, and is hostile too."""
    host = host_of(document, way)
    body, charset = DOCUMENTS[document](host)
    page = Part(f"http://page.{host}/", "text/html", everything(f"part-{host}").encode())
    sheet = Part(
        f"http://sheet.{host}/", "text/css", "\n".join(STYLES.values()).replace("URL", f"//css.{host}").encode()
    )
    picture = Part(f"http://drawing.{host}/", "image/svg+xml", DOCUMENTS["drawing"](f"part-{host}")[0])

    def part(address: str) -> Part:
        name = address.removeprefix("http://").partition(".")[0]
        return page if name in FRAMED else sheet if name.startswith(("rel-", "css-import")) else picture

    return self_contained(body, f"http://page.{host}/", part, charset=charset, frames=3)


def replay_page(story: ArchivedStory) -> ReplayPage:
    return plain_page(show_capture(CapturedBytes.of(story)))


def touch_everything(page, gestures: Sequence[dict[str, Any]] = GESTURES) -> None:
    """Put the mouse on all that can be clicked, and click it in each of these ways."""
    frame = page.frames[1] if f"/{IN_FRAME}/" in page.url or page.url.endswith("/") else page.main_frame
    touched = frame.locator(".go")
    assert touched.count() > 25
    for gesture in gestures:
        for one in touched.all():
            one.click(force=True, no_wait_after=True, timeout=20_000, **gesture)


def test_a_page_as_it_came_leaks(tmp_path):
    """The policy alone does not stop it, and the log shows it; without the policy there is hardly a feature that does not."""
    headers = whole_page(b"").headers
    bare = {name: headers[name] for name in ("content-type", "cache-control")}
    quiet = everything(host_of("bare", "top"), leaving=False).encode()
    pages = {
        "policy": ReplayPage(everything(host_of("policy", "framed")).encode(), headers),
        "bare": ReplayPage(quiet, bare),
    }
    with watched_browser(tmp_path) as (page, watched), serving(pages) as address:
        for path in (f"{IN_FRAME}/policy", "bare"):
            page.goto(f"http://{address}/{path}", wait_until="load")
            page.wait_for_timeout(1000)
    policed = {name.partition(".")[0] for name in watched.features if name.endswith("policy-framed")}
    assert {"rel-preconnect", "rel-dns-prefetch", "iframe", "summary", "template", "unscripted"} <= policed
    assert sum(name.endswith("bare-top") for name in watched.features) > 60
    assert watched.addresses > {address}


@pytest.mark.timeout(400)  # some fifty pages
def test_no_document_reaches_anybody(tmp_path):
    """Stories in their frame, as they are shown, and ingested pages opened by themselves, as the API gives them."""
    framed = {f"{name}-story": replay_page(captured(tmp_path, name, "story")) for name in DOCUMENTS}
    alone = {f"{name}-whole": whole_page(ingested(name, "whole")) for name in DOCUMENTS}
    with watched_browser(tmp_path) as (page, watched), serving(framed | alone) as address:
        for path in (*(f"{IN_FRAME}/{name}" for name in framed), *alone):
            page.goto(f"http://{address}/{path}", wait_until="load")
            if path.rpartition("/")[2].startswith("everything"):
                touch_everything(page)
        page.wait_for_timeout(500)
    assert watched.features == set()
    assert watched.addresses == {address}


@pytest.mark.timeout(300)
def test_the_replay_command_reaches_nobody(tmp_path):
    story = captured(tmp_path, "everything", "command")
    with (
        make_server(story, replay_page(story), 0) as plain,
        make_server(story, whole_page(ingested("everything", "command")), 0) as whole,
        running(plain) as first,
        running(whole) as second,
        watched_browser(tmp_path) as (page, watched),
    ):
        for address in (first, second):
            page.goto(f"http://{address}/", wait_until="load")
            touch_everything(page, GESTURES[:1])
        page.wait_for_timeout(500)
    assert watched.features == set()
    assert watched.addresses == {first, second}


def test_our_own_pages_look_up_no_name(tmp_path, seeded):
    """They are full of links to everywhere; only a reader who follows one is seen there."""
    address, truth = seeded
    with watched_browser(tmp_path) as (page, watched):
        for path in OWN_PAGES:
            page.goto(address + path.format(id=truth.id_of(0)), wait_until="load")
        page.wait_for_timeout(500)
    assert {name for name in watched.names if "~notfound" not in name} == {address}
    assert watched.addresses == {address.removeprefix("http://")}
