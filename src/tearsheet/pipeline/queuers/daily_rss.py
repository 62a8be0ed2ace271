"""The queuer of the `batch` pipeline: the synthetic RSS file of a day, as rss-fetcher and `tearsheet feeds` write it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from email.utils import parsedate_to_datetime
from itertools import pairwise
from typing import BinaryIO

from lxml import etree

from tearsheet.feeds.polling import daily_rss_name
from tearsheet.pipeline.queuers.rows import Problem, Row, Unreadable, checked_url, date_in_name, whole_number
from tearsheet.pipeline.queuers.tracker import tracked_name
from tearsheet.story import RSSEntry, Story, make_story_id
from tearsheet.urls import BadURL

SUFFIXES = (".rss", ".xml")
_ITEM = re.compile(rb"<item[\s>]")
_END = re.compile(rb"</item\s{0,8}>")
_BUILT = re.compile(rb"<lastBuildDate>([^<]{1,80})<")
_CHUNK = 1 << 16
_MAX_ITEM = 1 << 20


def story_of(item: etree._Element, file: str, day: str | None) -> Story:
    """The story of one item. `day` is the day of the file. Raises BadURL when it has no address."""
    link = checked_url(_text(item, "link") or "")
    source = item.find("source")
    # By name: to list the attributes of an element takes time that grows with the square of their number.
    origin = {} if source is None else {name: source.get(name) or "" for name in ("url", "mcFeedId", "mcSourceId")}
    return Story(
        id=make_story_id("batch", tracked_name(file), link),
        rss_entry=RSSEntry(
            link=link,
            title=_text(item, "title"),
            domain=_text(item, "domain"),
            pub_date=_text(item, "pubDate"),
            fetch_date=day,
            source_url=origin.get("url") or None,
            source_feed_id=whole_number(origin.get("mcFeedId", "")),
            source_source_id=whole_number(origin.get("mcSourceId", "")),
            via=file,
        ),
    )


def daily_files(folders: Sequence[str], today: date, days: int) -> list[str]:
    """The files of so many days up to yesterday, the newest first, as an rss-fetcher names them."""
    names = [daily_rss_name(today - timedelta(days=ago)) for ago in range(1, days + 1)]
    return [f"{folder.rstrip('/')}/{name}" for name in names for folder in folders]


def read(file: str, stream: BinaryIO) -> Iterator[Row | Problem]:
    """Every item once. Items are cut out first and parsed one by one, so that a broken one does not spoil others."""
    day = date_in_name(file)
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, encoding="utf-8")
    seen: set[str] = set()
    items = 0
    for line, piece in _pieces(stream):
        if piece is None:
            items += 1
            yield Problem(line, "bad-xml", f"an item of more than {_MAX_ITEM:,} bytes")
            continue
        if not items and (built := _BUILT.search(piece)):
            day = day or _day(built[1].decode("utf-8", "replace"))
        start = _ITEM.search(piece)
        if start is None:
            continue
        items += 1
        yield _row(line + piece.count(b"\n", 0, start.start()), piece[start.start() :], file, day, seen, parser)
    if not items:
        raise Unreadable(1, "bad-xml", "there are no items in it")


def _pieces(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """The file in pieces that each end with an item, and the line on which each begins; None for one that is too long."""
    line, held = 1, b""
    while True:
        chunk = stream.read(_CHUNK)
        *whole, held = _END.split(held + chunk)
        for piece in whole:
            # An item that was never closed runs into the next one: split them into two pieces.
            starts = [0, *(found.start() for found in _ITEM.finditer(piece))][2:]
            for begin, end in pairwise([0, *starts, len(piece)]):
                yield line, piece[begin:end]
                line += piece.count(b"\n", begin, end)
        if not chunk:
            return
        if len(held) > _MAX_ITEM:
            yield line, None
            line += held.count(b"\n")
            held = b""


def _row(line: int, piece: bytes, file: str, day: str | None, seen: set[str], parser: etree.XMLParser) -> Row | Problem:
    try:
        piece.decode("utf-8")
        item = etree.fromstring(piece + b"</item>", parser)
        story = story_of(item, file, day)
    except BadURL as error:
        return Problem(line, "bad-url", str(error))
    except (etree.XMLSyntaxError, AttributeError, ValueError) as error:
        return Problem(line, "bad-xml", str(error))
    link = story.rss_entry.link or ""
    if link in seen:
        return Problem(line, "dups", f"{link} is already in this file")
    seen.add(link)
    return Row(line, story)


def _text(item: etree._Element, name: str) -> str | None:
    return (item.findtext(name) or "").strip() or None


def _day(text: str | None) -> str | None:
    try:
        return parsedate_to_datetime(text or "").date().isoformat()
    except (ValueError, TypeError):
        return None
