"""Every form of an address that must not be fetched from."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.errors import ConfigError
from tearsheet.fetch.guard import FORBIDDEN_NETWORKS, Guard, embedded, forbidden_reason, number_host

FORBIDDEN = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.254
168.63.129.16 169.254.169.254 169.254.0.1 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.168.1.1 198.18.0.1
198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 192.88.99.1
:: ::1 ::2 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe ::ffff:0:127.0.0.1
64:ff9b::127.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::8.8.8.8 2002:7f00:1:: 2002:a00:1:: 2002:a9fe:a9fe::1
2001:0:7f00:1:0:0:f7f7:f7f7 2001:0:808:808:0:0:80ff:fffe 2001:db8::1 3fff::1 2001:2::1 2001:10::1 100::1
fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 ff0e::1 4000::1 1::1
""".split()

ALLOWED = """
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 151.101.1.67 169.253.0.1 172.15.0.1
172.32.0.1 192.0.1.1 192.167.0.1 192.169.0.1 198.17.0.1 198.20.0.1 223.255.255.255 2606:4700::6810:84e5 2a00:1450::1 2400:cb00::1
::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1 2001:0:808:808:0:0:f7f7:f7f7
""".split()


@pytest.mark.parametrize("address", FORBIDDEN)
def test_forbidden_addresses_are_refused(address):
    assert Guard().refuse_address(address)


@pytest.mark.parametrize("address", ALLOWED)
def test_public_addresses_are_not_refused(address):
    assert Guard().refuse_address(address) is None


@pytest.mark.parametrize("text", ["", "localhost", "127.0.0.1.", "1.2.3", "nonsense", "::g"])
def test_what_is_no_address_is_refused(text):
    assert Guard().refuse_address(text) == "not an address"


@pytest.mark.parametrize(
    ("host", "means"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("127.0.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("017700000001", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("0X7F000001", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("0x7f.0.0.1", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("0177.0x0.0.1", "127.0.0.1"),
        ("0xa9.0xfe.0xa9.0xfe", "169.254.169.254"),
        ("2852039166", "169.254.169.254"),
        ("0251.0376.0251.0376", "169.254.169.254"),
        ("169.254.43518", "169.254.169.254"),
        ("0", "0.0.0.0"),
        ("0x", "0.0.0.0"),
        ("8.8.8.8", "8.8.8.8"),
        ("134744072", "8.8.8.8"),
    ],
)
def test_number_forms_of_a_host(host, means):
    assert number_host(host) == means
    assert bool(Guard().refuse_host(host)) == (means != "8.8.8.8")


@pytest.mark.parametrize(
    "host", ["256.0.0.1", "1.2.3.4.5", "127.0.0.0x1g.1", "4294967296", "08.0.0.1", "9" * 5000, "foo.1"]
)
def test_a_host_that_ends_in_a_number_but_means_no_address_is_refused(host):
    assert Guard().refuse_host(host) == "not an address"


@pytest.mark.parametrize("host", ["example.com", "1and1.com", "localhost", "a.0x7g", "xn--p1ai", "12.example.org"])
def test_a_name_is_looked_at_when_its_address_is_known(host):
    assert number_host(host) is None
    assert Guard().refuse_host(host) is None


@pytest.mark.parametrize("host", ["[::1]", "::1", "[::ffff:127.0.0.1]", "[fe80::1]"])
def test_ipv6_hosts(host):
    assert Guard().refuse_host(host)
    assert Guard().refuse_host("[2606:4700::1111]") is None


def test_allowed_networks_open_exactly_themselves():
    guard = Guard(["127.0.0.2/32", "fd00::/8"])
    assert guard.refuse_address("127.0.0.2") is None
    assert guard.refuse_address("::ffff:127.0.0.2") is None
    assert guard.refuse_address("fd12::1") is None
    assert guard.refuse_address("127.0.0.1") == "loopback"
    assert guard.refuse_address("10.0.0.1") == "private"


def test_a_network_that_is_none_is_an_error_that_names_the_setting():
    with pytest.raises(ConfigError, match=r"fetch\.allow_addresses.*'10\.0\.0'"):
        Guard(["10.0.0"])


@given(st.ip_addresses(v=4))
def test_every_ipv6_form_is_judged_like_the_ipv4_address_inside(inner: IPv4Address):
    bits = int(inner)
    forms = [
        IPv6Address(0xFFFF << 32 | bits),
        IPv6Address(0x0064FF9B << 96 | bits),
        IPv6Address(0x2002 << 112 | bits << 80 | 1),
    ]
    for form in forms:
        assert embedded(form) == (inner,)
        assert bool(forbidden_reason(form)) == bool(forbidden_reason(inner))


@given(st.ip_addresses(v=4))
def test_number_forms_agree_with_the_dotted_form(address: IPv4Address):
    bits = int(address)
    a, b, c, d = address.packed
    for text in (
        str(bits),
        hex(bits),
        f"0{bits:o}",
        f"{a}.{bits & 0xFFFFFF}",
        f"{a}.{b}.{c << 8 | d}",
        f"0{a:o}.0x{b:x}.{c}.{d}",
    ):
        assert number_host(text) == str(address)


@given(st.ip_addresses())
def test_what_python_calls_private_is_refused(address: IPv4Address | IPv6Address):
    if not address.is_global and not embedded(address):
        assert forbidden_reason(address)


@given(st.text())
def test_any_text_has_an_answer(text):
    guard = Guard()
    guard.refuse_host(text)
    guard.refuse_address(text)


@pytest.mark.parametrize(("network", "reason"), FORBIDDEN_NETWORKS)
def test_the_first_address_of_each_forbidden_network(network, reason):
    assert forbidden_reason(ip_address(network.split("/")[0])) is not None
