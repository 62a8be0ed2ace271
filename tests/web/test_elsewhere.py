"""What another site may do through a reader's browser."""

from __future__ import annotations

import pytest

from tearsheet.web.elsewhere import Verdict, verdict

STORY = "/stories/" + "a" * 64
PAGES = [
    "/",
    "/search",
    "/outcomes",
    "/outcomes/sums",
    "/gaps",
    "/topics",
    "/api",
    STORY,
    STORY + "/replay",
    "/topics/1/snapshots/2",
]
OTHERS = ["/search.json", "/search.csv", "/api/search/total-count", "/overview.json", STORY + "/capture", STORY + ".json",
          "/metrics", "/healthz", "/static/style.css", "/rss/mc-2026-11-14.rss.gz", "/openapi.json", "/ingest", "//",
          "/nowhere"]  # fmt: skip
NAVIGATION = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("path", PAGES)
def test_a_link_leads_to_a_page_and_a_script_has_to_ask(site, path):
    led = NAVIGATION | {"sec-fetch-site": site, "sec-fetch-user": "?1"}
    assert verdict("GET", path, led) is Verdict.LED
    assert verdict("GET", path, NAVIGATION | {"sec-fetch-site": site}) is Verdict.ASK


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "nonsense"])
@pytest.mark.parametrize("path", OTHERS)
def test_nothing_but_a_page_is_for_others(site, path):
    assert verdict("GET", path, NAVIGATION | {"sec-fetch-site": site, "sec-fetch-user": "?1"}) is Verdict.REFUSED


@pytest.mark.parametrize(
    ("mode", "destination"),
    [("no-cors", "image"), ("no-cors", "script"), ("cors", "empty"), ("navigate", "iframe"), ("navigate", "embed"),
     ("navigate", "object"), ("websocket", "empty"), ("no-cors", "style")],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/search", "/"])
def test_a_page_may_not_be_part_of_another(path, mode, destination):
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": mode, "sec-fetch-dest": destination}
    assert verdict("GET", path, headers | {"sec-fetch-user": "?1"}) is Verdict.REFUSED


def test_a_form_elsewhere_sends_nothing():
    assert (
        verdict("POST", "/search", NAVIGATION | {"sec-fetch-site": "cross-site", "sec-fetch-user": "?1"})
        is Verdict.REFUSED
    )


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("path", PAGES + OTHERS)
def test_readers_our_own_pages_and_programs_are_left_alone(method, path):
    own = {"host": "127.0.0.1:8700", "origin": "http://127.0.0.1:8700"}
    for headers in ({}, own, {"sec-fetch-site": "none"}, {"sec-fetch-site": "same-origin"}):
        assert verdict(method, path, headers) is Verdict.OURS


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:8701", "http://[broken"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_older_browser_names_the_other_site(method, origin):
    assert verdict(method, "/search", {"host": "127.0.0.1:8700", "origin": origin}) is Verdict.REFUSED
