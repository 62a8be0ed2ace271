"""Addresses on the way to a document: repaired, compared, refused."""

from __future__ import annotations

import pytest

from tearsheet.ingest.hops import clean_url, refusal, same_page, terminal_refusal


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
