"""Relative links are relative to `xml:base`, else to the site that the feed names, else to the feed."""

from __future__ import annotations

import pytest

from tearsheet.feeds import parse_feed

FEED = "https://service.test/feeds/7"
ATOM = "<feed xmlns='http://www.w3.org/2005/Atom'{}>{}<entry><link href='a/b'/></entry></feed>"


def _link(document: str, url: str = FEED) -> str | None:
    return parse_feed(document, url).entries[0].link


@pytest.mark.parametrize("item", ["<link>/a</link>", "<guid>/a</guid>", "<link/><atom:link href='/a'/>"])
@pytest.mark.parametrize("order", ["{link}{item}", "{item}{link}"], ids=["link first", "link last"])
def test_rss_is_relative_to_its_channel_wherever_the_channel_says_so(item: str, order: str) -> None:
    inner = order.format(link="<link>http://site.test/x/</link>", item=f"<item>{item}</item>")
    assert _link(f"<rss version='2.0'><channel>{inner}</channel></rss>") == "http://site.test/a"


def test_a_channel_without_a_link_leaves_it_to_the_feed() -> None:
    assert (
        _link("<rss version='2.0'><channel><item><link>a</link></item></channel></rss>")
        == "https://service.test/feeds/a"
    )


def test_what_xml_base_says_comes_first() -> None:
    site = "<link href='http://site.test/'/>"
    assert _link(ATOM.format(" xml:base='http://base.test/c/'", site)) == "http://base.test/c/a/b"
    assert _link(ATOM.format(" xml:base='/d/'", site)) == "https://service.test/d/a/b"


def test_atom_is_relative_to_itself_unless_a_service_delivers_it() -> None:
    assert _link(ATOM.format("", "<link href='http://site.test/'/>")) == "http://site.test/a/b"
    assert _link(ATOM.format("", "<link href='http://www.service.test/'/>")) == "https://service.test/feeds/a/b"


def test_the_publishers_own_link_is_taken_for_that_of_a_service() -> None:
    item = "<item><link>http://feedproxy.test/~r/1</link><feedburner:origLink>{}</feedburner:origLink></item>"
    space = "xmlns:feedburner='http://rssnamespace.org/feedburner/ext/1.0'"
    rss = f"<rss version='2.0' {space}><channel>{item}</channel></rss>"
    assert _link(rss.format("http://site.test/story")) == "http://site.test/story"
    assert _link(rss.format("no address")) == "http://feedproxy.test/~r/1"
    assert _link(rss.replace(space, "").format("http://site.test/story")) == "http://site.test/story"


def test_an_atom_id_that_is_an_address_serves_as_link() -> None:
    entry = "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>{}</id><link rel='enclosure' href='/a.mp3'/></entry></feed>"
    assert _link(entry.format("HTTP://site.test/1")) == "http://site.test/1"
    assert _link(entry.format("tag:site.test,2026:1")) is None
    assert _link(entry.format("story-1")) is None
