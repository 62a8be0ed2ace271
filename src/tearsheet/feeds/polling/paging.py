"""Fill a gap: when nothing of a document is known, follow its older pages (RFC 5005) until something is."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from tearsheet.feeds.formats import ARCHIVE, NEXT, ParsedFeed
from tearsheet.feeds.polling.asking import Asking
from tearsheet.feeds.polling.dedupe import Candidate
from tearsheet.feeds.polling.reading import READ_FEED
from tearsheet.fetch import FetchError, HostBusy
from tearsheet.work import Quarantine

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Filling:
    """The stories of a document and of older pages."""

    candidates: list[Candidate]
    pages: int = 0
    gap: bool = False
    """Whether nothing known was reached, so that stories may be missing in between."""


def older_page(feed: ParsedFeed) -> str | None:
    """The address of the page before: a further page, or an archive."""
    return feed.links.get(NEXT) or feed.links.get(ARCHIVE)


async def fill_gap(asking: Asking, feed: ParsedFeed, candidates: list[Candidate]) -> Filling:
    """Follow older pages, politely and not many, until one has an entry that is known. Of a feed never read before, none."""
    filling = Filling(candidates)
    if (
        not candidates
        or asking.feed.state.last_fetch_success is None
        or asking.feed.columns["last_new_stories"] is None
    ):
        return filling
    if await asking.any_known(asking.feed.id, candidates):
        return filling
    filling.gap = True
    by_url = {one.normalized_url: one for one in candidates}
    seen = {asking.feed.url}
    page = older_page(feed)
    while page and page not in seen and filling.pages < asking.settings.gap_pages:
        seen.add(page)
        try:
            response = await asking.get_further(page)
            if response.status != 200:
                break
            read = await asking.reader.read(READ_FEED, asking.received(response))
        except (FetchError, HostBusy, Quarantine) as error:
            log.debug("an older page was not read", extra={"url": page, "error": str(error)})
            break
        filling.pages += 1
        known = await asking.any_known(asking.feed.id, read.candidates)
        for one in read.candidates:
            by_url.setdefault(one.normalized_url, one)
        page = older_page(read.feed)
        if known or page is None:  # the first page of all: nothing is missing before it
            filling.gap = False
            break
    filling.candidates = list(by_url.values())
    return filling
