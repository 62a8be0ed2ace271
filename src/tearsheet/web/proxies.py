"""Whether a proxy passed a request on, and for whom.

An address says who is at the other end of the connection, and that is the proxy if there is one. So whatever a proxy passes on
has no rights by its address. Whom it speaks for is believed only if the proxy is one that the settings name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from tearsheet.errors import ConfigError

UNIX = "unix"
"""How the settings name everyone who connects through a Unix socket."""
_MARKS = frozenset(
    {"forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "client-ip", "true-client-ip", "x-remote-ip",
     "x-remote-addr", "x-proxyuser-ip", "x-forwarded", "forwarded-for", "cf-connecting-ip", "cf-ray", "cf-visitor",
     "cdn-loop", "fastly-client-ip", "fly-client-ip", "x-azure-clientip", "x-azure-socketip", "x-scheme", "x-original-host",
     "x-original-url", "x-original-uri", "x-rewrite-url", "x-host", "x-http-host-override", "x-bluecoat-via", "proxy-connection",
     "x-proxy-id", "x-amzn-trace-id", "x-cloud-trace-context", "ali-cdn-real-ip", "wl-proxy-client-ip"}
)  # fmt: skip
_MARKED = (
    "x-forwarded-",
    "x-original-forwarded-",
    "x-envoy-",
    "x-appengine-",
    "x-arr-",
    "x-vercel-",
    "x-nf-",
    "x-akamai-",
)
_MOST_HOPS = 20
_LOOPBACK_NAMES = frozenset({"localhost", "localhost.localdomain"})
Network = IPv4Network | IPv6Network


def is_loopback(host: str) -> bool:
    """Whether a name or address means this machine only."""
    if host.strip("[]").lower() in _LOOPBACK_NAMES:
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def by_proxy(http_version: str, names: Iterable[str]) -> bool:
    """Whether a proxy passed this request on, judged by its version and the names of its headers.

    HTTP/1.0 counts too: proxies speak it to the servers behind them, often without adding a header, and clients of today do not.
    """
    return http_version == "1.0" or any(name in _MARKS or name.startswith(_MARKED) for name in map(str.lower, names))


def read_networks(given: Sequence[str]) -> tuple[list[Network], bool]:
    """The addresses and networks of `web.trusted_proxies`, and whether the Unix socket is among them. Raises ConfigError."""
    try:
        return [ip_network(one, strict=False) for one in given if one != UNIX], UNIX in given
    except ValueError as error:
        raise ConfigError(
            f"web.trusted_proxies: {error}; write addresses or networks, as 10.0.0.0/8, or {UNIX!r}"
        ) from error


class Proxies:
    """The proxies that the settings name."""

    def __init__(self, given: Sequence[str]) -> None:
        self._networks, self._unix = read_networks(given)

    def trust(self, peer: str) -> bool:
        """Whether the one at the other end is such a proxy; an empty address is the Unix socket."""
        if not peer:
            return self._unix
        try:
            address = ip_address(peer)
        except ValueError:
            return False
        if isinstance(address, IPv6Address) and address.ipv4_mapped:
            address = address.ipv4_mapped
        return any(address in network for network in self._networks)

    def client(self, peer: str, headers: Mapping[str, str]) -> str:
        """The address of the client: of the nearest one on the way that is no such proxy.

        Each proxy adds the address that it was asked from at the end, so what stands before the first untrusted one can be made up.
        """
        if not self.trust(peer):
            return peer
        for hop in reversed(_hops(headers)[-_MOST_HOPS:]):
            if not self.trust(hop):
                return hop
        return peer


def _hops(headers: Mapping[str, str]) -> list[str]:
    """The addresses for which the request was passed on, in the order of the proxies.

    Of two headers one may be the client's own, which the proxy passed on as it was: then nobody is believed.
    """
    if "forwarded" in headers and "x-forwarded-for" in headers:
        return []
    if "forwarded" in headers:
        given = [
            value.strip()
            for element in headers["forwarded"].split(",")
            for name, _, value in (part.partition("=") for part in element.split(";"))
            if name.strip().lower() == "for"
        ]
    elif "x-forwarded-for" in headers:
        given = headers["x-forwarded-for"].split(",")
    else:
        given = [headers.get("x-real-ip", "")]
    return [address for one in given if (address := _address(one))]


def _address(text: str) -> str:
    """An address without its port, brackets and quotes; empty if it is none."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        return str(ip_address(text))
    except ValueError:
        return ""
