"""Which host a request names: one that is written as the standard says, once, or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.web.hosts import host_named
from tearsheet.web.proxies import is_loopback

WELL_WRITTEN = [
    ("127.0.0.1", "127.0.0.1"), ("127.0.0.1:8700", "127.0.0.1"), ("127.0.0.1:", "127.0.0.1"), ("LocalHost:1", "localhost"),
    ("[::1]:8700", "::1"), ("[::1]", "::1"), ("news.example", "news.example"), ("my_app:65535", "my_app"),
    ("localhost.evil", "localhost.evil"), ("localhost.", "localhost."), ("127.0.0.1.", "127.0.0.1."),
]  # fmt: skip
BADLY_WRITTEN = [
    "", "a@127.0.0.1", "evil.example@localhost:8700", "@127.0.0.1", "a:b@127.0.0.1", "127.0.0.1:80:80", "127.0.0.1:8a",
    "127.0.0.1:-1", "127.0.0.1:65536", "127.0.0.1:١", "[::1", "::1]", "::1", "[127.0.0.1]", "[localhost]", "[::1%25lo]", "[::1]x",
    "[[::1]]", " 127.0.0.1", "127.0.0.1 ", "127.0.0.1\t", "127.0.0.1\n", "evil.example 127.0.0.1", "127.0.0.1,evil.example",
    "127.0.0.1/", "127.0.0.1?x", "127.0.0.1#x", "evil.example#@127.0.0.1", "evil.example\\@localhost", "127.0.0.1;x",
    "%31%32%37.0.0.1", "http://127.0.0.1", "//127.0.0.1", ":8700", "[]", "loc\u200balhost", "\uff11\uff12\uff17.0.0.1",
]  # fmt: skip


@pytest.mark.parametrize(("header", "host"), WELL_WRITTEN)
def test_the_host_is_named_without_its_port(header, host):
    assert host_named([header]) == host


@pytest.mark.parametrize("header", BADLY_WRITTEN)
def test_what_is_not_written_as_the_standard_says_names_nobody(header):
    assert host_named([header]) is None


def test_several_headers_name_nobody_and_no_header_neither():
    assert host_named(["127.0.0.1", "127.0.0.1"]) is None
    assert host_named(["127.0.0.1", "evil.example"]) is None
    assert host_named([]) is None


@pytest.mark.parametrize(
    "host", ["localhost.", "127.0.0.1.", "localhost.evil", "127.0.0.1.evil.example", "127.1", "0", ""]
)
def test_what_only_looks_like_this_machine_is_another(host):
    assert not is_loopback(host)


@given(st.text(alphabet="127.0:@[]/#?% \tlocalhost%\\"))
def test_who_is_on_this_machine_has_written_nothing_else(header):
    host = host_named([header])
    if host is not None and is_loopback(host):
        rest = header.lower().replace(f"[{host}]", "", 1) if ":" in host else header.lower().replace(host, "", 1)
        assert rest == "" or (rest[0] == ":" and (rest[1:] == "" or rest[1:].isdecimal()))
