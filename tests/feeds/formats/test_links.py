"""What people write into feeds as a link, and the address that they meant."""

from __future__ import annotations

import pytest

from tearsheet.feeds.formats.links import mended_link

BASE = "https://site.test/news/feed.xml"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("https://site.test/a", "https://site.test/a"),
        ("  http://site.test/two words  ", "http://site.test/two%20words"),
        ("http://site.test/a\n      /b", "http://site.test/a/b"),
        ("\thttp://site.test/a?b=c d", "http://site.test/a?b=c%20d"),
        ("www.site.test/x", "https://www.site.test/x"),
        ("http://http://host.test/x", "http://host.test/x"),
        ("https://http://host.test/x", "http://host.test/x"),
        ("http:/host.test/", "http://host.test/"),
        ("http:\\\\host.test\\a\\b?c=\\d", "http://host.test/a/b?c=\\d"),
        ("http:///host.test/x", "http://host.test/x"),
        ("http://host.test:443/x", "https://host.test/x"),
        ("http://host.test:4430/x", "http://host.test:4430/x"),
        ("//host.test/y", "https://host.test/y"),
        ("HTTP://host.test/Y", "http://host.test/Y"),
        ("story", "https://site.test/news/story"),
        ("/story", "https://site.test/story"),
        ("\\story", "https://site.test/story"),
        ("http://web.archive.org/web/2020/http://host.test/", "http://web.archive.org/web/2020/http://host.test/"),
        ("mailto:a@site.test", "mailto:a@site.test"),
        ("http://[bad", "http://[bad"),
        ("   ", None),
    ],
)
def test_a_link_means_what_its_writer_meant(written: str, meant: str | None) -> None:
    assert mended_link(written, BASE) == meant


def test_without_a_base_a_link_is_taken_as_far_as_it_goes() -> None:
    assert mended_link("//host.test/a") == "http://host.test/a"
    assert mended_link("www2.host.test") == "http://www2.host.test"
    assert mended_link("/a") == "/a"
