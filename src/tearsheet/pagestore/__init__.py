"""The dated page store: pages and feeds by day, in folders that need no program to be read."""

from tearsheet.pagestore.scan import FeedItem, Scan, scan_feed
from tearsheet.pagestore.store import CaptureInfo, PageStore, StoredPage

__all__ = ["CaptureInfo", "FeedItem", "PageStore", "Scan", "StoredPage", "scan_feed"]
