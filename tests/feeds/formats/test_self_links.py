"""Links of a feed itself: hubs, pages, new addresses. Those of its entries are not among them."""

from __future__ import annotations

import json

import pytest

from tearsheet.feeds import parse_feed

ATOM = "xmlns:atom='http://www.w3.org/2005/Atom' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'"
URL = "http://n.example/blog/feed"


@pytest.mark.parametrize(
    ("body", "links"),
    [
        (
            f"<rss {ATOM}><channel><atom:link rel='hub' href='https://hub.example/'/><atom:link rel='self' href='feed'/>"
            "<item><atom:link rel='next' href='/entry'/></item></channel></rss>",
            {"hub": "https://hub.example/", "self": URL},
        ),
        (
            "<feed xmlns='http://www.w3.org/2005/Atom'><link rel='NEXT' href='?page=2'/>"
            "<link rel='prev-archive' href='/a/1'/></feed>",
            {"next": f"{URL}?page=2", "prev-archive": "http://n.example/a/1"},
        ),
        (
            f"<rss {ATOM}><channel><itunes:new-feed-url> https://new.example/f </itunes:new-feed-url></channel></rss>",
            {"new-feed-url": "https://new.example/f"},
        ),
        (f"<rss {ATOM}><channel><atom:link rel='hub' href='javascript:alert(1)'/><link>http://x/</link></channel></rss>", {}),
        (
            json.dumps({
                "version": "https://jsonfeed.org/version/1.1", "items": [], "next_url": "/2",
                "hubs": [{"type": "rssCloud", "url": "http://c.example"}, {"type": "WebSub", "url": "http://h.example/"}],
            }),
            {"next": "http://n.example/2", "hub": "http://h.example/"},
        ),
    ],
    ids=["rss", "atom", "itunes", "no address", "json"],
)  # fmt: skip
def test_links(body: str, links: dict[str, str]) -> None:
    assert parse_feed(body, URL).links == links
