"""The id that Media Cloud gives to a page: SHA-256 of the address in Media Cloud's own normal form.

Our ids are hashes of another form (`urls.normalize_url`), which also joins `/a` and `/a/`, so the two differ now and then. A story
carries both, and results of both systems can be joined. The rules here are those of Media Cloud's metadata library, 1.4, with its
peculiarities: whatever is removed and whatever is left alone must be the same, or the hash is another.
"""

from __future__ import annotations

import hashlib
import re
from urllib.parse import parse_qsl, quote, quote_plus, unquote

from tearsheet.lexicon import MEDIACLOUD_PARAMETERS, MEDIACLOUD_SUBDOMAINS
from tearsheet.urls import BadURL, ascii_host, is_address, non_news_host, split_http_url

_TWO_SCHEMES = re.compile(r"(https?://)https?:?//", re.IGNORECASE)
_ONE_SLASH = re.compile(r"(https?:/)(\w)", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]+")
_IN_PATH = "/:@-._~!$&'()*+,;="


def mediacloud_id(url: str) -> str:
    """The id that Media Cloud gives to the page at an address; empty if it would not take the address.

    Sites without news have none; so their rules, such as those for video addresses, are not needed here.
    """
    try:
        return "" if non_news_host(url) else hashlib.sha256(mediacloud_url(url).encode()).hexdigest()
    except BadURL:
        return ""


def mediacloud_url(url: str) -> str:
    """The address in Media Cloud's normal form. Raises BadURL."""
    parts = split_http_url(_mended(url))
    host = ascii_host(parts.hostname or "")
    rest = f"{parts.path}?{parts.query}"
    return f"http://{_bare_host(host, rest)}{_path(parts.path.lower())}{_query(parts.query.lower(), host)}"


def _mended(url: str) -> str:
    """The address without the usual slips."""
    url = _ONE_SLASH.sub(r"\1/\2", _TWO_SCHEMES.sub(r"\1", url.strip()))
    if url.startswith("//"):
        url = f"http:{url}"
    return url.replace("\\", "/").replace(" ", "%20")


def _bare_host(host: str, rest: str) -> str:
    """The host without a first label such as `www`, `m2` or `news`, where a dot is left in the address."""
    label, _, after = host.partition(".")
    if "r2.ly" in host or is_address(host) or "." not in after + rest:
        return host
    for known in (label, label[:-1]):
        if known in MEDIACLOUD_SUBDOMAINS or (known.isascii() and known.isdigit()):
            return after
    return host


def _path(path: str) -> str:
    kept: list[str] = []
    *folders, last = path.split("/")[1:] or [""]
    for segment in [*folders, last]:
        if segment == "..":
            kept = kept[:-1]
        elif segment not in ("", "."):
            kept.append(quote(unquote(segment), _IN_PATH))
    closing = "/" if kept and last in ("", ".", "..") else ""
    return f"/{'/'.join(kept)}{closing}"


def _query(query: str, host: str) -> str:
    """The parameters that stay, sorted."""
    pairs = parse_qsl(query, keep_blank_values=True)
    unwanted = MEDIACLOUD_PARAMETERS.get("", frozenset()).union(
        *(names for site, names in MEDIACLOUD_PARAMETERS.items() if site in host)
    )
    if any(name == "nk" and _HEX.fullmatch(value) for name, value in pairs):
        unwanted |= {"nk"}
    kept = [
        quote_plus(name) + (f"={quote_plus(value)}" if value else "")
        for name, value in pairs
        if name not in unwanted and not name.startswith(("_", "ga_", "utm_"))
    ]
    return f"?{'&'.join(sorted(kept))}" if kept else ""
