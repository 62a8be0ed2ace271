"""Lists of feeds from any origin: addresses, OPML files, CSV files, directories."""

from __future__ import annotations

import re
from pathlib import Path

from tearsheet.errors import UsageError
from tearsheet.feeds.catalogue.csv_lists import read_feeds_csv
from tearsheet.feeds.catalogue.directory_form import read_directory
from tearsheet.feeds.catalogue.model import NewFeed
from tearsheet.feeds.catalogue.opml import read_opml

MAX_LIST_BYTES = 200_000_000
ADDRESSES = ("http://", "https://", "feed:")
_COMMENT = re.compile(rb"^#.*(?:\n|\Z)", re.MULTILINE)


def read_feed_list(argument: str) -> list[NewFeed]:
    """The feeds that an argument names: an address is one feed; a file is OPML, CSV, a directory as JSON, or one address per line.

    Raises UsageError, which says what was expected.
    """
    if argument.lower().startswith(ADDRESSES):
        return [NewFeed(argument)]
    path = Path(argument)
    try:
        with path.open("rb") as file:
            body = file.read(MAX_LIST_BYTES + 1)
    except OSError as error:
        raise UsageError(
            f"{argument} is neither an http(s) address nor a file that can be read: {error.strerror}"
        ) from error
    if len(body) > MAX_LIST_BYTES:
        raise UsageError(f"{argument} has more than {MAX_LIST_BYTES:,} bytes: split it and import the parts")
    try:
        return parse_feed_list(body)
    except UsageError as error:
        raise UsageError(f"{argument}: {error}") from error


def parse_feed_list(body: bytes) -> list[NewFeed]:
    """The feeds in the bytes of an OPML, CSV or JSON file, or of a text with one address per line. Raises UsageError."""
    start = body[:4096].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"{", b"[")):
        return read_directory(body)
    if start.startswith(b"<"):
        return read_opml(body)
    return read_feeds_csv(_COMMENT.sub(b"", body) if start.startswith(b"#") else body)
