"""What the examples of the Python reference are run on: a data folder, and a site on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.ingest_site import Site, prose
from tests.support.web_seed import Seeded, open_services, seed, seed_topic

FEED = '<rss version="2.0"><channel><title>Herald</title><item><link>/ferry</link></item></channel></rss>'
HOME = '<link rel="alternate" type="application/rss+xml" title="News" href="/news.xml"><h1>The Herald</h1>'
FERRY = f"""<html><head><title>Ferry returns to the island</title><meta name="citation_title" content="Ferry returns to the island">
</head><body><h1>Ferry returns to the island</h1>{prose(1300)}</body></html>"""


def make_folder(data: Path) -> Seeded:
    """A data folder of 38 stories with their captures, and a topic."""
    with open_services(data) as services:
        seeded = seed(services)
        seed_topic(services, "floods")
    return seeded


@contextmanager
def herald(monkeypatch) -> Iterator[Site]:
    """`https://herald.example/`, for programs that take their settings from the environment."""
    site = Site()
    site.page("/", HOME)
    site.page("/ferry", FERRY)
    site.file("/news.xml", FEED.encode(), "application/rss+xml")
    with site.in_thread():
        assert site.web is not None
        monkeypatch.setenv("TEARSHEET_FETCH_CONNECT_TO", f"*=127.0.0.1:{site.web.port}")
        monkeypatch.setenv("TEARSHEET_FETCH_ALLOW_ADDRESSES", "127.0.0.0/8")
        monkeypatch.setenv("TEARSHEET_FETCH_INTERVAL_SECONDS", "0")
        yield site
