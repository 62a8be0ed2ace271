"""ReplayWeb.page, in a real browser and with no network, opens what `tearsheet archive wacz` packs."""

from __future__ import annotations

import os
import re
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tearsheet.app.services import Services
from tearsheet.archive.profiles import PROFILES
from tearsheet.archive.store import ArchiveStore
from tearsheet.cli import app
from tearsheet.pipeline.archiver import Archiver
from tearsheet.settings import Settings
from tests.support.archive_stories import PAGE, archive_all, plain_story
from tests.support.chromium import CHROMIUM, FLAGS, NO_BROWSER
from tests.support.ingested_page import LOOK, LOOKS, URL, ingest_page

pytestmark = [pytest.mark.browser, pytest.mark.proof]
_CACHE = "/var/cache" if os.getuid() == 0 else str(Path.home() / ".cache")
READER = Path(os.environ.get("TEARSHEET_ENGINES", f"{_CACHE}/tearsheet-engines")) / "replaywebpage"
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"


class _Files(SimpleHTTPRequestHandler):
    """Files with byte ranges, which the reader asks for."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        data = path.read_bytes() if path.is_file() else b""
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        first, last = 0, len(data) - 1
        if wanted and wanted[1]:
            first, last = int(wanted[1]), min(int(wanted[2] or last), last)
        elif wanted:
            first = max(0, len(data) - int(wanted[2]))
        self.send_response(404 if not path.is_file() else 206 if wanted else 200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(last + 1 - first))
        if wanted:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.end_headers()
        self.wfile.write(data[first : last + 1])

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def shelf(tmp_path):
    """A folder that a server on loopback shows, with the reader in it, and the server's address."""
    if not (READER / "installed").exists():
        pytest.skip(f"{NO_BROWSER} with ReplayWeb.page; `make browser` installs both")
    folder = tmp_path / "shelf"
    (folder / "replay").mkdir(parents=True)
    shutil.copy(READER / "ui.js", folder)
    shutil.copy(READER / "sw.js", folder / "replay")
    # What the reader's service worker serves here once it is in charge; it may be asked for a moment earlier.
    (folder / "replay" / "index.html").write_text("<script src=../ui.js></script><replay-app-main></replay-app-main>")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def pack(data: Path, target: Path, urls: list[str]) -> None:
    listed = data / "urls"
    listed.write_text("\n".join(urls))
    words = ["--data", str(data), "archive", "wacz", "--stories", str(listed), "-o", str(target)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, (result.output, result.exception)


def look(shelf: tuple[Path, str], url: str, script: str) -> object:
    """Open a page of `out.wacz` in the reader, and ask it something when it is there."""
    from playwright.sync_api import sync_playwright

    folder, address = shelf
    element = f'<replay-web-page source="/out.wacz" url="{url}" embed="replayonly"></replay-web-page>'
    (folder / "index.html").write_text(f'<!doctype html><script src="/ui.js"></script>{element}')
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=[*FLAGS, ALONE])
        try:
            tab = browser.new_page()
            shown = re.compile(rf"{re.escape(address)}/replay/w/.*mp_/{re.escape(url)}")
            with tab.expect_event("framenavigated", lambda frame: bool(shown.match(frame.url)), timeout=60_000) as got:
                tab.goto(f"{address}/")
            got.value.wait_for_load_state("load")
            return got.value.evaluate(script)
        finally:
            browser.close()


@pytest.mark.parametrize("profile", PROFILES)
def test_a_story_is_read_in_its_wacz(tmp_path, shelf, profile):
    with Services(Settings(tmp_path)) as services:
        stories = [plain_story(n, PAGE) for n in range(3)]  # in `full`, all but the first are revisits
        archive = ArchiveStore(services.database)
        archive_all(Archiver(archive, tmp_path / "archive", profile=profile), stories)
    pack(tmp_path, shelf[0] / "out.wacz", ["https://news.example/2"])
    seen = look(shelf, "https://news.example/2", "() => [document.title, document.body.innerText.trim()]")
    assert seen == ["Ünïted", "Something happened today."]


def test_an_ingested_page_is_seen_with_its_parts(tmp_path, shelf):
    ingest_page(tmp_path)
    pack(tmp_path, shelf[0] / "out.wacz", [URL])
    assert look(shelf, URL, LOOK) == LOOKS
