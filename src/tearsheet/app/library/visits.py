"""What asks the web: one document captured whole, and the feeds of a site.

All of it is polite: the pace of each host and its pauses hold, and robots.txt for what is captured. Without a data folder, what
must be remembered for that is in a temporary folder, one for the whole program, which is removed at its end.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from os import PathLike
from pathlib import Path
from typing import overload

from tearsheet.app.library.opening import settings_of
from tearsheet.app.services import Services
from tearsheet.clock import utc_now
from tearsheet.feeds.catalogue import DiscoveredFeed, PossibleFeed, feeds_of_page
from tearsheet.ingest import IngestWebResult, request_for
from tearsheet.settings import Settings

import tearsheet.app.feeds  # isort: skip  # our function has the same name


def capture(
    url: str, data: str | PathLike[str] | Settings | None = None, *, force_recrawl: bool = False
) -> IngestWebResult:
    """Fetch one web document with everything that belongs to it, and say what it is: `tearsheet ingest` as a function.

    With a data folder, the result, its text and everything that was received are kept there; the folder is made if it is not there.
    Without one, the result is all that is left. What the web does is no error: `status` says what happened, and `hit` whether it
    is a full text. What is captured again and has not changed is not captured twice, unless `force_recrawl` asks for it.

    >>> import tearsheet
    >>> result = tearsheet.capture("http://herald.example/ferry")
    >>> result.status, result.terminal.terminal_status_code, result.html_biblio.title
    ('success', 200, 'Ferry returns to the island')
    """
    results: list[IngestWebResult] = []
    settings = settings_of(_folder(os.getpid()) if data is None else data)
    _begin_folder(settings)
    with Services(settings) as services:
        services.ingest.ingest([request_for(url, force_recrawl=force_recrawl)], results.append)
    return results[0]


@overload
def discover_feeds(url: str, html: None = None, *, limit: int = 20) -> list[DiscoveredFeed]: ...
@overload
def discover_feeds(url: str, html: bytes | str, *, limit: int = 20) -> list[PossibleFeed]: ...
def discover_feeds(
    url: str, html: bytes | str | None = None, *, limit: int = 20
) -> list[DiscoveredFeed] | list[PossibleFeed]:
    """The feeds and news sitemaps of a site, the most useful first.

    With the page's `html`, they are those that the page names; nothing is asked, so they may be there or not. Without it, the page
    at the address is fetched, and then each feed that it, robots.txt or a usual place may lead to; what is returned was read.
    Raises `UserError` when the page cannot be fetched.

    >>> import tearsheet
    >>> page = '<link rel="alternate" type="application/rss+xml" title="News" href="/news.xml">'
    >>> [(feed.url, feed.how) for feed in tearsheet.discover_feeds("http://herald.example/", page)]
    [('http://herald.example/news.xml', 'declared by the page')]
    >>> [(feed.url, feed.version, feed.entries) for feed in tearsheet.discover_feeds("http://herald.example/")]
    [('http://herald.example/news.xml', 'rss 2.0', 1)]
    """
    if html is not None:
        page = html if isinstance(html, bytes) else html.encode("utf-8", "replace")
        return feeds_of_page(page, url, utc_now())[:limit]
    with Services(settings_of(_folder(os.getpid()))) as services:
        return tearsheet.app.feeds.discover_feeds(services, url, limit)


def _begin_folder(settings: Settings) -> None:
    """Make the folder if it is not there, closed to others as the command makes it; the mask of rights of the program stays."""
    with suppress(OSError):  # whoever opens it says why it cannot be made
        settings.data.mkdir(0o750 if settings.storage.group_reads else 0o700, parents=True, exist_ok=True)


@cache
def _folder(pid: int) -> Path:
    """The temporary folder of this process: a fork of it needs one of its own."""
    folder = Path(tempfile.mkdtemp(prefix="tearsheet-"))
    atexit.register(_remove, folder, pid)
    return folder


def _remove(folder: Path, pid: int) -> None:
    if pid == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)
