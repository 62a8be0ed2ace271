"""An ingested page is seen as it was, from the archive alone: its site is gone and nothing is asked for."""

from __future__ import annotations

import threading

import pytest

from tearsheet.app.services import Services
from tearsheet.cli.replay_server import make_server
from tearsheet.settings import Settings
from tearsheet.web.app import create_app
from tests.support.chromium import CHROMIUM, FLAGS
from tests.support.ingested_page import LOOK, LOOKS, SHA1, URL, ingest_page
from tests.support.web_server import serve_app

pytestmark = [pytest.mark.browser, pytest.mark.proof]


@pytest.fixture
def page():
    """A new page of a real browser, and all that it asks for."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        page = browser.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if not request.url.startswith("data:") else None)
        yield page, asked
        browser.close()


@pytest.fixture
def served(tmp_path):
    """The web pages over the archive."""
    ingest_page(tmp_path)
    with Services(Settings(tmp_path)) as services, serve_app(create_app(services)) as address:
        yield address


def test_the_replay_of_an_ingested_page(served, page):
    tab, asked = page
    answer = tab.goto(f"{served}/ingest/document/{SHA1}/replay")
    assert answer is not None and answer.status == 200
    tab.wait_for_load_state("load")
    assert tab.evaluate(LOOK) == LOOKS
    inside = "() => [document.body.innerText.trim(), document.querySelector('img').naturalWidth]"
    assert tab.frames[1].evaluate(inside) == ['Inside "it"', 3]
    assert tab.title() == "Seen"  # its script would have said otherwise
    picture = tab.evaluate("() => getComputedStyle(document.body).backgroundImage")
    assert picture.startswith('url("data:image/png;')
    assert asked == [f"{served}/ingest/document/{SHA1}/replay"]


@pytest.fixture
def replayed(tmp_path):
    """What `tearsheet archive replay URL` serves."""
    ingest_page(tmp_path)
    with Services(Settings(tmp_path)) as services:
        capture = services.captures.find(URL)
        entry = services.captures.read(capture)
        document = services.ingest.replay.document(capture)
        assert document is not None
        whole = services.shown.document(document)
    with make_server(entry, whole, 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_the_command_shows_an_ingested_page_with_its_parts(replayed, page):
    tab, asked = page
    tab.goto(f"{replayed}/")
    tab.wait_for_load_state("load")
    frame = tab.frames[1]
    assert frame.evaluate(LOOK) == LOOKS
    assert asked == [f"{replayed}/", f"{replayed}/capture"]
