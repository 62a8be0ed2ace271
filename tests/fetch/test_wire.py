"""Addresses and headers as they go over the wire."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.fetch import wire
from tearsheet.fetch.client import header_lines
from tearsheet.fetch.wire import (
    parse_header_line,
    parse_status_line,
    redirect_target,
    stated_charset,
    unfolded,
    wire_host,
    wire_origin,
    wire_url,
)
from tearsheet.urls import BadURL


@pytest.mark.parametrize(
    ("given_url", "asked"),
    [
        ("http://Example.COM", "http://example.com/"),
        (" http://example.com/a b\n", "http://example.com/a%20b"),
        ("http://exa\nmple.com/", "http://example.com/"),
        ("HTTP://example.com:80/?q=ü#frag", "http://example.com/?q=%C3%BC"),
        ("https://example.com:443/x", "https://example.com/x"),
        ("https://example.com:8443/x", "https://example.com:8443/x"),
        ("http://bücher.example/é", "http://xn--bcher-kva.example/%C3%A9"),
        ("http://user:secret@example.com/", "http://example.com/"),
        ("http://example.com/100%/a%20b", "http://example.com/100%25/a%20b"),
        ("http://example.com?q=1", "http://example.com/?q=1"),
        ("http://[::1]:80/", "http://[::1]/"),
        ("http:\\\\example.com\\a", "http://example.com/a"),
        ("http://example.com./", "http://example.com/"),
    ],
)
def test_wire_url(given_url, asked):
    assert wire_url(given_url) == asked
    assert wire_url(asked) == asked


@pytest.mark.parametrize(
    "url",
    [
        "", "example.com", "ftp://example.com/", "file:///etc/passwd", "gopher://x/", "http://", "http:///x", "http://a..b/",
        "http://example.com:99999/", "http://exa mple.com/", "http://ex%61mple.com/", "http://[::1/", "javascript:alert(1)",
        "http://.example.com/", "http://" + "a" * 300 + "/", "http://example.com/" + "a" * 9000, "http://a\udc80.com/",
        "http://example.com/\udc80", "http://x@127.0.0.1:80:90/",
    ],
)  # fmt: skip
def test_bad_addresses(url):
    with pytest.raises(BadURL):
        wire_url(url)


@given(st.from_regex(wire._PLAIN_URL, fullmatch=True))
def test_plain_addresses_are_what_the_long_way_makes_of_them(url):
    assert wire_url(url) == url == wire_url(url + "#fragment")


def test_parts_of_an_address():
    assert [wire_host(f"http://{text}/x") for text in ("a.example", "a.example:80", "[::1]", "[::1]:8080")] == [
        "a.example", "a.example", "::1", "::1",
    ]  # fmt: skip
    assert wire_origin("https://a.example:8443/x/y?z=//") == "https://a.example:8443"


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_a_bad_one(text):
    for url in (text, "http://" + text, "http://example.com/" + text):
        try:
            asked = wire_url(url)
        except BadURL:
            continue
        assert asked.isascii() and not set(asked) & set(" \r\n\t\x00")
        assert wire_url(asked) == asked


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/b?c", "http://example.com/b?c"),
        ("b", "http://example.com/x/b"),
        ("//other.example/", "http://other.example/"),
        ("https://example.com", "https://example.com/"),
        ("?page=2", "http://example.com/x/y?page=2"),
        (" \thttp://other.example/a b ", "http://other.example/a%20b"),
    ],
)
def test_redirect_target(location, target):
    assert redirect_target("http://example.com/x/y", location) == target


@pytest.mark.parametrize("location", ["file:///etc/passwd", "gopher://x", "http://[", "data:text/html,x"])
def test_redirects_that_lead_nowhere(location):
    with pytest.raises(BadURL):
        redirect_target("http://example.com/", location)


@pytest.mark.parametrize(
    ("content_type", "charset"),
    [
        ("text/html; charset=utf-8", "utf-8"),
        ('text/html;charset="ISO-8859-1"', "ISO-8859-1"),
        ("text/html; Charset=windows-1251; x=y", "windows-1251"),
        ("text/html", None),
        (None, None),
        ("text/html; charset=", None),
        ("text/html; charset=no-such-thing", None),
        ("text/html; charset=none\0", None),
    ],
)
def test_only_a_stated_charset_counts(content_type, charset):
    assert stated_charset(content_type) == charset


def test_status_and_header_lines():
    assert parse_status_line(b"HTTP/1.1 404 Not Found\r\n") == ("1.1", 404, "Not Found")
    assert parse_status_line(b"HTTP/2 200 \r\n") == ("2", 200, "")
    assert parse_status_line(b"ICY 200 OK\r\n") is None
    assert parse_header_line("Location: /ü\r\n".encode()) == ("Location", "/ü")
    assert parse_header_line(b"X: caf\xe9\r\n") == ("X", "café")
    assert parse_header_line(b"nonsense\r\n") is None


def test_folded_lines_are_one():
    assert unfolded([b"A: 1\r\n", b" 2\r\n", b"\t3\r\n", b"B: 4\r\n"]) == [b"A: 1 2 3", b"B: 4\r\n"]
    assert unfolded([b" A: 1\r\n"]) == [b" A: 1\r\n"]
    assert unfolded([]) == []


def test_wanted_headers_replace_standard_ones_and_cannot_break_lines():
    lines = header_lines({"Accept": "a", "User-Agent": "u"}, {"accept": "b", "If-None-Match": '"x"\r\nEvil: 1'})
    assert lines == [b"accept: b", b"User-Agent: u", b'If-None-Match: "x"  Evil: 1']
