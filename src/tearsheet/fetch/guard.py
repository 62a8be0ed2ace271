"""Which addresses may be fetched from. A stranger's link or redirect must never reach our own machines.

The client asks twice. First before a request, with the host as written (`refuse_host`): a clear refusal at no cost.
Then with the very address that is about to be connected (`refuse_address`): whatever a name resolved to, and however it was
written, this is where the packets would go, so there is no gap between the check and the connection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from tearsheet.errors import ConfigError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

FORBIDDEN_NETWORKS: tuple[tuple[str, str], ...] = (
    ("0.0.0.0/8", "this host"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "carrier-grade NAT"),
    ("127.0.0.0/8", "loopback"),
    ("168.63.129.16/32", "cloud metadata"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "reserved"),
    ("192.0.2.0/24", "documentation"),
    ("192.88.99.0/24", "reserved"),
    ("192.168.0.0/16", "private"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
    ("::/128", "this host"),
    ("::1/128", "loopback"),
    ("64:ff9b:1::/48", "private"),
    ("100::/64", "reserved"),
    ("2001::/23", "reserved"),
    ("2001:db8::/32", "documentation"),
    ("3fff::/20", "documentation"),
    ("fc00::/7", "private"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "private"),
    ("ff00::/8", "multicast"),
)
"""Networks of IANA's special-purpose registries, and the addresses of cloud metadata services."""

_FORBIDDEN = tuple((ip_network(text), reason) for text, reason in FORBIDDEN_NETWORKS)
_GLOBAL_UNICAST_6 = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_TEREDO = IPv6Network("2001::/32")
_MAPPED = IPv6Network("::ffff:0:0/96")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")


class Guard:
    """Says why an address is refused. `allowed` are networks, such as `127.0.0.0/8`, that may be used nevertheless."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self._allowed = tuple(_parse_network(text) for text in allowed)
        self.refuse_address = lru_cache(maxsize=4096)(self._refuse_address)
        """Why the address (as text) is refused, or None if it is allowed."""
        self.refuse_host = lru_cache(maxsize=4096)(self._refuse_host)
        """Why a host is refused as written, or None. A name is checked again when its address is known."""

    def _refuse_address(self, text: str) -> str | None:
        try:
            address = ip_address(text.partition("%")[0])
        except ValueError:
            return "not an address"
        if any(_contains(network, form) for network in self._allowed for form in (address, *embedded(address))):
            return None
        return forbidden_reason(address)

    def _refuse_host(self, host: str) -> str | None:
        bare = host.strip("[]")
        address = bare if ":" in bare else number_host(bare)
        return self.refuse_address(address) if address else None


def forbidden_reason(address: Address) -> str | None:
    """Why nothing may be fetched from this address, or None. An IPv6 address that carries an IPv4 address is judged by that."""
    inner = embedded(address)
    for form in inner:
        if reason := forbidden_reason(form):
            return reason
    if inner:
        return None
    for network, reason in _FORBIDDEN:
        if _contains(network, address):
            return reason
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST_6:
        return "reserved"
    return None


def embedded(address: Address) -> tuple[IPv4Address, ...]:
    """The IPv4 addresses that an IPv6 address carries: mapped, 6to4, NAT64, Teredo (its server and its client)."""
    if isinstance(address, IPv4Address):
        return ()
    bits = int(address)
    low = IPv4Address(bits & 0xFFFFFFFF)
    if address in _MAPPED or address in _NAT64:
        return (low,)
    if address in _SIX_TO_FOUR:
        return (IPv4Address(bits >> 80 & 0xFFFFFFFF),)
    if address in _TEREDO:
        return IPv4Address(bits >> 64 & 0xFFFFFFFF), IPv4Address(int(low) ^ 0xFFFFFFFF)
    return ()


def number_host(host: str) -> str | None:
    """The dotted address that a host written in numbers means: `127.1`, `2130706433`, `0177.0.0.1`, `0x7f000001`.

    None when the host is a name. A host that ends in a number but is not a valid address is returned as it is, and refused.
    """
    parts = host.rstrip(".").split(".")
    if not _NUMBER.fullmatch(parts[-1]):
        return None
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) for part in parts):
        return host
    try:
        *heads, last = (_number(part) for part in parts)
    except ValueError:
        return host
    if any(head > 255 for head in heads) or last >= 256 ** (4 - len(heads)):
        return host
    value = last
    for position, head in enumerate(heads):
        value += head << (8 * (3 - position))
    return str(IPv4Address(value))


def _number(part: str) -> int:
    if part[:2].lower() == "0x":
        return int(part[2:] or "0", 16)
    if len(part) > 20:
        raise ValueError("longer than any address")
    return int(part, 8) if part.startswith("0") and part != "0" else int(part)


def _contains(network: Network, address: Address) -> bool:
    return network.version == address.version and address in network


def _parse_network(text: str) -> Network:
    try:
        return ip_network(text, strict=False)
    except ValueError as error:
        raise ConfigError(f"fetch.allow_addresses: {text!r} is not a network; write it as 127.0.0.0/8") from error
