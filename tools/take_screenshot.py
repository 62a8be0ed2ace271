"""Take the pictures of the documentation: `python tools/take_screenshot.py DATA_FOLDER`.

Make the data folder first with `tearsheet --data PARENT demo --once`, and give `PARENT/demo`; needs Chromium.
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.support.chromium import CHROMIUM, FLAGS  # noqa: E402
from tests.support.web_server import serve_app  # noqa: E402

from tearsheet.app.demo import TOPIC  # noqa: E402
from tearsheet.app.services import Services  # noqa: E402
from tearsheet.settings import load_settings  # noqa: E402
from tearsheet.web.app import create_app  # noqa: E402

IMAGES = ROOT / "docs" / "images"
PAGES = {
    "front-page": "",
    "search-page": "search?q=corvane+AND+(bridge+OR+puente+OR+pont)",
    "story-page": "search?q=%22Ada+Barlow%22",
}
"""Each picture of a web page, and the address that it shows. Of the last, the first story is opened."""


def main(data: str) -> None:
    """Serve the folder, and take the pictures of its pages and of its topic's map."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with (
        Services(load_settings(data, environ={})) as services,
        serve_app(create_app(services)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1200, "height": 1000}, color_scheme="light")
        for name, path in PAGES.items():
            page.goto(f"{address}/{path}")
            if name == "story-page":
                page.locator(".headline a").first.click()
                page.wait_for_load_state()
            page.screenshot(path=IMAGES / f"{name}.png")
        page.goto((Path(data).resolve() / "topics" / TOPIC.replace(" ", "-") / "index.html").as_uri())
        page.locator("svg").first.screenshot(path=IMAGES / "topic-map.png")
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
