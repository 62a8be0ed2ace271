"""Queuers: what stands at the beginning of each pipeline. One module for each kind of input."""

from tearsheet.pipeline.queuers import csv_urls, daily_rss, hist, warcs
from tearsheet.pipeline.queuers.queuer import Choice, FileKind, Queuer, Tally

FILE_KINDS: dict[str, FileKind] = {
    "hist": FileKind(hist.read, hist.SUFFIXES),
    "csv": FileKind(csv_urls.read, csv_urls.SUFFIXES),
    "archive": FileKind(warcs.read_archive, warcs.SUFFIXES, packed=True, unit="story"),
    "reparse": FileKind(warcs.read_pages, warcs.SUFFIXES, packed=True, unit="story"),
    "batch": FileKind(daily_rss.read, daily_rss.SUFFIXES),
}
"""Queuers that read files, by name."""

__all__ = ["FILE_KINDS", "Choice", "FileKind", "Queuer", "Tally"]
