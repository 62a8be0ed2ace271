"""Where a link leads that somebody wrote into a feed, in whatever way."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from tearsheet.urls import join_url

_ODD = re.compile(r"[\s\\]|^https?:/{3}|^https?://https?:|^http://[^/?#]*:443(?![0-9])", re.IGNORECASE)
_BREAK = re.compile(r"[ \t]*[\r\n\t][\s]*")
_SCHEME = re.compile(r"(https?):[\\/]+", re.IGNORECASE)
_BARE_HOST = re.compile(r"www\d{0,2}\.[a-z0-9-]+\.[a-z0-9.-]+(?:[/?#:]|$)", re.IGNORECASE)
_SECURE_PORT = re.compile(r"([^/?#]*):443(?![0-9])")
_MOST_SCHEMES = 5


def can_be_address(text: str) -> bool:
    """Whether an id that looks like an address has the form of one."""
    try:
        urlsplit(text)
    except ValueError:
        return False
    return True


def mended_link(link: str, base: str = "") -> str | None:
    """The address that a link means in a document at `base`; the link itself where it means none, and None for an empty one.

    Line breaks are dropped, blanks encoded. `http:/host/`, `http:\\\\host/`, `http://http://host/`, `http://host:443/` and
    `www.host/` mean what their writers meant.
    """
    if link.startswith(("http://", "https://")) and not _ODD.search(link):
        return link
    link = _BREAK.sub("", link.strip()).replace(" ", "%20")
    if not link:
        return None
    at, schemes, scheme = 0, 0, None
    while schemes < _MOST_SCHEMES and (match := _SCHEME.match(link, at)):
        scheme, at, schemes = match[1].lower(), match.end(), schemes + 1
    if scheme:
        path, mark, query = link[at:].partition("?")
        if scheme == "http" and (port := _SECURE_PORT.match(path)):
            scheme, path = "https", port[1] + path[port.end() :]
        return f"{scheme}://{path.replace(chr(92), '/')}{mark}{query}"
    if _BARE_HOST.match(link):
        return f"{'https' if base.startswith('https:') else 'http'}://{link}"
    link = link.replace("\\", "/") if link.startswith("\\") else link
    if link.startswith("//") and not base:
        return f"http:{link}"
    try:
        return join_url(base, link)
    except ValueError:
        return link
