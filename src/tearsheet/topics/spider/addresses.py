"""Addresses of links: unwrapped, stripped of tracking parameters, and checked against those that never lead to a story."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, urlencode

import re2

from tearsheet.unwrapping import unwrap
from tearsheet.urls import BadURL, canonical_domain, is_tracking_parameter, split_http_url, url_hash

_VIDEO_ADDRESSES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"youtube(?:-nocookie)?\.com/(?:embed|v|shorts)/([\w-]{11})"), "https://www.youtube.com/watch?v={}"),
    (re.compile(r"youtu\.be/([\w-]{11})"), "https://www.youtube.com/watch?v={}"),
    (re.compile(r"player\.vimeo\.com/video/(\d+)"), "https://vimeo.com/{}"),
    (re.compile(r"dailymotion\.com/embed/video/(\w+)"), "https://www.dailymotion.com/video/{}"),
)
_SELF_LINKS_TO_LISTS = re.compile(r"/(?:tags?|categor(?:y|ies)|authors?|search|topics?)(?:/|\?|$)", re.IGNORECASE)


def clean_url(url: str) -> str | None:
    """The address of the page itself (see `unwrap`), without fragment and tracking parameters; None where it is none."""
    try:
        parts = split_http_url(unwrap(url))
    except BadURL:
        return None
    query = parts.query
    if query:
        pairs = parse_qsl(query, keep_blank_values=True)
        kept = [pair for pair in pairs if not is_tracking_parameter(pair[0])]
        if len(kept) < len(pairs):
            query = urlencode(kept)
    address = f"{parts.scheme}://{parts.netloc}{parts.path or '/'}"
    return f"{address}?{query}" if query else address


def url_key(url: str) -> str:
    """The key that all spellings of an address share: the hash of the normalised form. Raises BadURL."""
    return url_hash(url)


def media_of(url: str) -> str:
    """The source that a page belongs to: an account on a platform, else its registered domain. Raises BadURL."""
    return canonical_domain(url).lower()


def video_page(url: str) -> str | None:
    """The page of an embedded video, given the address of its player; None for other frames."""
    for pattern, page in _VIDEO_ADDRESSES:
        if found := pattern.search(url):
            return page.format(found[1])
    return None


@cache
def _ignored() -> Any:
    lines = files("tearsheet.topics").joinpath("ignored_links.txt").read_text("utf-8").splitlines()
    patterns = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return re2.compile("(?i)" + "|".join(f"(?:{pattern})" for pattern in patterns))


def is_ignored(url: str) -> bool:
    """Whether a link is on the list of those that never lead to a story (`ignored_links.txt`)."""
    return _ignored().search(url) is not None


def leads_to_list(url: str) -> bool:
    """Whether an address is a list by tag, category, author or search. Within one source, such links are not followed."""
    return _SELF_LINKS_TO_LISTS.search(url) is not None
