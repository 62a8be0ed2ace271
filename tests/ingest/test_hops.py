"""Addresses on the way to a document: repaired, compared, refused."""

from __future__ import annotations

import pytest

from tearsheet.extract import Document
from tearsheet.ingest.hops import clean_url, next_hop, refusal, same_page, terminal_refusal


@pytest.mark.parametrize(
    ("url", "cleaned"),
    [
        (" http://A.example ", "http://a.example/"),
        ("https://https://a.example/x", "https://a.example/x"),
        ("http://a.example:/x", "http://a.example/x"),
        ("http://a.example:80/x y#f", "http://a.example/x%20y"),
    ],
)
def test_addresses_are_repaired(url, cleaned):
    assert clean_url(url) == cleaned


def test_same_page():
    assert same_page("http://www.a.example/x/", "https://a.example/x#top")
    assert not same_page("http://a.example/x", "http://a.example/X")
    assert not same_page("http://a.example/x?a", "http://a.example/x")
    assert not same_page("http://a.example:81/x", "http://a.example/x")


def test_block_lists_are_about_hosts_not_about_letters():
    assert refusal("http://www.orcid.org/1") == "skip-url-blocklist"
    assert refusal("http://a.example/about-orcid.org") is None
    assert refusal("http://notorcid.org/") is None
    assert terminal_refusal("http://login.bepress.com/x") == "blocked-wall"


def page(refresh: str | None = None) -> Document:
    meta = f'<meta http-equiv="refresh" content="0; url={refresh}">' if refresh else ""
    return Document(f"<html><head>{meta}</head><body>x</body></html>", "http://a.example/landing")


def test_the_next_hop_is_the_refresh_then_the_full_text():
    fulltext = "http://a.example/full.html"
    assert next_hop(page("/moved"), fulltext, []) == "http://a.example/moved"
    assert next_hop(page(), fulltext, []) == fulltext
    assert next_hop(page(), None, []) is None


def test_a_page_that_was_visited_is_not_the_next_hop():
    visited = ["https://www.a.example/moved/"]
    assert next_hop(page("http://a.example/moved#top"), None, visited) is None
    assert next_hop(page("/moved"), "http://a.example/full", visited) == "http://a.example/full"


def test_a_broken_address_is_no_hop():
    assert next_hop(page(), "http://[broken", []) is None
