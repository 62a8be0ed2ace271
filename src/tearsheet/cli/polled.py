"""What came of polls, in words: the poller counts under short names, which are those of the metrics. And which feeds failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tearsheet.cli.context import out
from tearsheet.feeds import catalogue

MOST_FEEDS_SHOWN = 10
WORDS = {
    "feeds.fetch_succeeded": "feeds read",
    "feeds.fetch_failed": "feeds that could not be read",
    "feeds.fetch_disabled": "feeds that failed too often and are off now",
    "feeds.put_off": "feeds put off: their hosts are to be left alone",
    "feeds.late": "feeds left for the next poll: their turn came too late",
    "feeds.lost": "feeds that another poller took",
    "feeds.gaps": "feeds that may have dropped entries which nobody has seen",
    "feeds.returned": "feeds that are back at their former address",
    "feeds.pages": "older pages of feeds read",
    "feeds.sitemaps_left": "sitemaps left for a later poll",
    "feeds.sitemaps_failed": "sitemaps that could not be read",
    "stories.ok": "new stories",
    "stories.dup_url": "entries known already, by their address",
    "stories.dup_guid": "entries known already, by their id",
    "stories.dup_title": "entries known already, by their title",
    "stories.stale": "pages of sitemaps that are no news: older than a week",
    "stories.tossed": "entries beyond feeds.max_stories",
    "stories.nourl": "entries without an address",
    "stories.relurl": "entries whose address is no whole one",
    "stories.toolong": "entries whose address is too long",
    "stories.home": "entries that lead to a home page",
    "stories.bad": "entries whose address cannot be read",
    "stories.nonews": "entries of sites that publish no news",
    "stories.erased": "entries of stories that were erased",
}
"""In the order in which they are shown."""


def in_words(counters: Mapping[str, int]) -> list[tuple[str, int]]:
    """What was counted, in words, and how often; new stories are told even if there are none."""
    told = dict.fromkeys(WORDS, 0) | {name: count for name, count in counters.items() if name != "feeds.queued"}
    return [(WORDS.get(name, name), count) for name, count in told.items() if count or name == "stories.ok"]


def print_failed_feeds(failed: Sequence[catalogue.FailingFeed]) -> None:
    """Say which feeds could not be read, why, and what to do."""
    for feed in failed[:MOST_FEEDS_SHOWN]:
        out.print(f"{feed.url} could not be read: {feed.why}; {feed.advice}", style="yellow")
    print_more(len(failed))


def print_more(feeds: int) -> None:
    """Say how many more there are than are shown."""
    if feeds > MOST_FEEDS_SHOWN:
        out.print(f"… and {feeds - MOST_FEEDS_SHOWN:,} more: `tearsheet feeds list` shows the state of each")
