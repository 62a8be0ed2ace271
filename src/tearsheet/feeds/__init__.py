"""Feeds: schedule, poll, parse, dedupe, discover, import and export."""

from tearsheet.feeds.catalog import AddReport, NewFeed, add_feeds
from tearsheet.feeds.lists import parse_feed_list, read_feed_list
from tearsheet.feeds.model import Entry, FeedError, ParsedFeed
from tearsheet.feeds.parse import parse_feed
from tearsheet.feeds.poller import Poller
from tearsheet.feeds.schedule import next_fetch
from tearsheet.feeds.store import UnqueuedStory, mark_queued, unqueued_stories

__all__ = [
    "AddReport",
    "Entry",
    "FeedError",
    "NewFeed",
    "ParsedFeed",
    "Poller",
    "UnqueuedStory",
    "add_feeds",
    "mark_queued",
    "next_fetch",
    "parse_feed",
    "parse_feed_list",
    "read_feed_list",
    "unqueued_stories",
]
