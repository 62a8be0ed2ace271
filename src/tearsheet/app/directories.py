"""Directories that feeds are taken over from: a file, or a server that answers as Media Cloud's directory does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from tearsheet.app.services import Services
from tearsheet.clock import utc_now
from tearsheet.errors import EngineError, UsageError
from tearsheet.feeds.catalogue import (
    AddReport,
    DirectoryPage,
    NewFeed,
    UnreadRow,
    last_sync,
    read_feed_list,
    read_page,
    sync_feeds,
)
from tearsheet.masking import shown_url
from tearsheet.pipeline.queuers import opened_url, whole_answer

_PATH = "/api/sources/feeds/"
_PAGE = 1_000
_MOST_FEEDS = 2_000_000
_MAX_ANSWER = 64 << 20
_OVERLAP = timedelta(minutes=10)
"""How much earlier than the last time we ask: clocks differ, and a row that comes twice changes nothing."""


def sync_directory(
    services: Services,
    where: str,
    *,
    name: str | None = None,
    full: bool = False,
    since: datetime | None = None,
    dry_run: bool = False,
    many: bool = False,
    progress: Callable[[int], None] = lambda count: None,
) -> AddReport:
    """Make our feeds those of a directory; `catalogue.sync_feeds` says how. Raises UsageError, EngineError or ItemRefused.

    A server is asked for what changed `since` then, or since the last time; a file is always read whole. Only with `full` are
    feeds removed that the directory no longer has. It is known by `name`, or else by its address or the name of its file.
    """
    if full and since is not None:
        raise UsageError("give --full or --since, not both: the one takes everything, the other what changed")
    now, database = utc_now(), services.database
    remote = where.lower().startswith(("http://", "https://"))
    directory = (name or (_known_as(where) if remote else Path(where).name))[:500]
    if not remote:
        rows = [
            row for row in read_feed_list(where) if since is None or row.modified_at is None or row.modified_at >= since
        ]
        return sync_feeds(database, directory, rows, now, full=full, dry_run=dry_run, many=many)
    if not full and since is None and (before := last_sync(database, directory)):
        since = before - _OVERLAP
    rows, unread = _ask(where, services.settings.feeds.directory_token, since, progress)
    return sync_feeds(database, directory, rows, now, full=full, dry_run=dry_run, many=many, unread=unread)


def _known_as(where: str) -> str:
    parts = urlsplit(shown_url(where))
    return f"{parts.scheme}://{parts.netloc}{parts.path.removesuffix(_PATH).rstrip('/')}"


def _ask(
    where: str, token: str, since: datetime | None, progress: Callable[[int], None]
) -> tuple[list[NewFeed], list[UnreadRow]]:
    """Every feed of a server, page by page, and the rows that are none.

    Raises EngineError when it does not answer, or changes under our hands.
    """
    base = where.partition("?")[0].rstrip("/")
    address = f"{base}/" if base.endswith(_PATH.rstrip("/")) else base + _PATH
    authorization = f"Token {token}" if token else ""
    feeds, unread, ids = list[NewFeed](), list[UnreadRow](), set[int | None]()
    while True:
        asked: dict[str, str | int] = {"limit": _PAGE, "offset": len(feeds) + len(unread)}
        if since is not None:
            asked["modified_since"] = f"{since.timestamp():.3f}"
        page = _page(f"{address}?{urlencode(asked)}", shown_url(address), authorization)
        before = len(ids)
        feeds += page.feeds
        unread += page.unread
        ids |= {row.id for row in page.feeds} | {row.id for row in page.unread}
        progress(len(feeds))
        if not page.more or not (page.feeds or page.unread):
            break
        if len(ids) == before:
            raise EngineError(f"{shown_url(address)} answers the same page again and again: it does not know `offset`")
        if len(feeds) > _MOST_FEEDS:
            raise EngineError(f"{shown_url(address)}: more than {_MOST_FEEDS:,} feeds")
    if page.count is not None and not unread and len(ids) != page.count:
        raise EngineError(f"{shown_url(address)} changed while it was read: try again")
    return feeds, unread


def _page(url: str, shown: str, authorization: str) -> DirectoryPage:
    with opened_url(url, authorization=authorization) as response:
        body = whole_answer(response, _MAX_ANSWER)
    if len(body) > _MAX_ANSWER:
        raise EngineError(f"{shown}: a page of more than {_MAX_ANSWER:,} bytes")
    try:
        return read_page(body)
    except UsageError as error:
        raise EngineError(f"{shown} does not answer as a directory of feeds: {error}") from error
