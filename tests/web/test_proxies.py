"""Whether a proxy passed a request on, and which of the addresses that it names is believed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.errors import ConfigError
from tearsheet.web.proxies import UNIX, Proxies, by_proxy


@pytest.mark.parametrize(
    "name",
    ["Forwarded", "X-Forwarded-For", "x-forwarded-proto", "X-FORWARDED-HOST", "X-Real-IP", "Via", "CF-Connecting-IP", "X-Client-IP",
     "X-Envoy-External-Address", "CDN-Loop"],
)  # fmt: skip
def test_a_proxy_is_known_by_its_headers(name):
    assert by_proxy("1.1", ["host", name])


def test_a_proxy_is_known_by_its_version():
    assert by_proxy("1.0", ["host"])
    assert not by_proxy("1.1", ["host", "user-agent", "accept", "authorization", "sec-fetch-site", "x-requested-with"])


PROXIES = Proxies(["10.0.0.0/8", "192.0.2.1", "2001:db8::/32"])


@pytest.mark.parametrize(
    ("peer", "headers", "client"),
    [
        ("10.0.0.1", {"x-forwarded-for": "203.0.113.9"}, "203.0.113.9"),
        ("::ffff:10.0.0.1", {"x-forwarded-for": "203.0.113.9"}, "203.0.113.9"),
        ("10.0.0.1", {"x-forwarded-for": "1.2.3.4, 203.0.113.9, 10.9.9.9"}, "203.0.113.9"),
        ("10.0.0.1", {"forwarded": 'for=1.2.3.4, for="[2001:470::7]:4711";proto=https;by=10.0.0.1'}, "2001:470::7"),
        ("10.0.0.1", {"x-forwarded-for": "203.0.113.9:1234"}, "203.0.113.9"),
        ("10.0.0.1", {"x-real-ip": "203.0.113.9"}, "203.0.113.9"),
        ("10.0.0.1", {"x-forwarded-for": "unknown, nonsense"}, "10.0.0.1"),
        ("10.0.0.1", {}, "10.0.0.1"),
        ("10.0.0.1", {"x-forwarded-for": "203.0.113.9", "forwarded": "for=5.5.5.5"}, "10.0.0.1"),
        ("198.51.100.1", {"x-forwarded-for": "203.0.113.9"}, "198.51.100.1"),
        ("", {"x-forwarded-for": "203.0.113.9"}, ""),
    ],
)
def test_only_a_named_proxy_is_believed_and_only_its_own_word(peer, headers, client):
    assert PROXIES.client(peer, headers) == client


def test_a_proxy_on_a_unix_socket_is_named_too():
    assert Proxies([UNIX]).client("", {"x-forwarded-for": "203.0.113.9"}) == "203.0.113.9"


def test_what_is_no_network_is_a_config_error():
    with pytest.raises(ConfigError, match=r"web\.trusted_proxies: .*10\.0\.0\.0/8"):
        Proxies(["proxy.example"])


@given(st.text(max_size=60), st.sampled_from(["forwarded", "x-forwarded-for", "x-real-ip"]))
def test_whatever_a_header_says_the_client_has_an_address(text, name):
    found = PROXIES.client("10.0.0.1", {name: f"{text}, 203.0.113.9" if name == "x-forwarded-for" else text})
    assert found
    if name == "x-forwarded-for" and "," not in text:
        assert found == "203.0.113.9"
