"""Which queuers read files, and how."""

from __future__ import annotations

from tearsheet.pipeline.queuers import csv_urls, daily_rss, hist, warcs
from tearsheet.pipeline.queuers.queuer import FileKind

FILE_KINDS: dict[str, FileKind] = {
    "hist": FileKind(hist.read, hist.SUFFIXES),
    "csv": FileKind(csv_urls.read, csv_urls.SUFFIXES),
    "archive": FileKind(warcs.read_archive, warcs.SUFFIXES, packed=True, unit="story"),
    "reparse": FileKind(warcs.read_pages, warcs.SUFFIXES, packed=True, unit="story"),
    "batch": FileKind(daily_rss.read, daily_rss.SUFFIXES),
}
"""Queuers that read files, by name."""
