"""A seeded server and a real Chromium."""

from __future__ import annotations

import pytest

from tearsheet.web.app import create_app
from tests.support.chromium import CHROMIUM, FLAGS, NO_BROWSER
from tests.support.patience import PATIENCE
from tests.support.web_seed import NOW, open_services, seed
from tests.support.web_server import serve_app


@pytest.fixture(scope="session", autouse=True)
def needs_a_browser() -> None:
    """Leaves these tests out, before anything is made ready for them, where there is none."""
    if not CHROMIUM.exists():
        pytest.skip(f"{NO_BROWSER} at {CHROMIUM}; `make browser` installs it")


@pytest.fixture(scope="session")
def seeded(tmp_path_factory):
    with open_services(tmp_path_factory.mktemp("browser")) as services:
        truth = seed(services)
        with serve_app(create_app(services, clock=lambda: NOW.timestamp())) as address:
            yield address, truth


@pytest.fixture(scope="module")
def browser(seeded):
    """Ends with its module, and starts after the server: while it lives, its own event loop holds the thread."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE * 1000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        yield browser
        browser.close()
