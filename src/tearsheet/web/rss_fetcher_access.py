"""Who the clients of Media Cloud's rss-fetcher are, and what they need: some paths without a token, and passwords for changes."""

from __future__ import annotations

import re
from collections.abc import Mapping

_DAILY = re.compile(r"/(?:api/)?rss/mc-\d{4}-\d\d-\d\d\.rss\.gz")
_SOON = re.compile(r"/api/(?:feeds|sources)/\d{1,19}/fetch-soon")
_OF_BROWSERS = ("sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest", "origin", "referer")
DAILY_ROUTES = ("/rss/{name}", "/api/rss/{name}")


def is_daily_file(method: str, path: str) -> bool:
    """Whether a request is for a daily file of entries, which others collect without a token."""
    return method in ("GET", "HEAD") and _DAILY.fullmatch(path) is not None


def is_program_asking_soon(method: str, path: str, headers: Mapping[str, str]) -> bool:
    """Whether a program asks for feeds to be polled soon: its password counts as a token for that.

    A browser repeats a password by itself, for pages of other sites, too. Every browser says that it is one.
    """
    browser = any(name in headers for name in _OF_BROWSERS) or headers.get("user-agent", "").startswith("Mozilla/")
    return method == "POST" and not browser and _SOON.fullmatch(path) is not None
