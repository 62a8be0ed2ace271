"""The queuer of the `batch` pipeline: the synthetic RSS file of a day, as rss-fetcher and `tearsheet feeds` write it."""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import BinaryIO

from lxml import etree

from tearsheet.pipeline.queuers.rows import Problem, Row, Unreadable, checked_url, date_in_name, whole_number
from tearsheet.pipeline.tracker import tracked_name
from tearsheet.story import RSSEntry, Story, make_story_id
from tearsheet.urls import BadURL

SUFFIXES = (".rss", ".xml")


def story_of(item: etree._Element, file: str, day: str | None) -> Story:
    """The story of one item. `day` is the day of the file. Raises BadURL when it has no address."""
    link = checked_url(_text(item, "link") or "")
    source = item.find("source")
    origin: dict[str, str] = {} if source is None else {str(name): str(value) for name, value in source.attrib.items()}
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


def read(file: str, stream: BinaryIO) -> Iterator[Row | Problem]:
    """Every item once, while the file is read; what is broken in it is passed over."""
    day = date_in_name(file)
    seen: set[str] = set()
    items = 0
    try:
        for _, element in etree.iterparse(
            stream, tag=("item", "lastBuildDate"), recover=True, resolve_entities=False, no_network=True
        ):
            if element.tag == "lastBuildDate":
                day = day or _day(element.text)
                continue
            items += 1
            yield _row(element, file, day, seen)
            _forget(element)
    except etree.XMLSyntaxError as error:
        raise Unreadable(error.lineno or 1, "bad-xml", str(error.msg)) from error
    if not items:
        raise Unreadable(1, "bad-xml", "there are no items in it")


def _row(item: etree._Element, file: str, day: str | None, seen: set[str]) -> Row | Problem:
    found: object = item.sourceline
    line = found if isinstance(found, int) else 0
    try:
        story = story_of(item, file, day)
    except BadURL as error:
        return Problem(line, "bad-url", str(error))
    link = story.rss_entry.link or ""
    if link in seen:
        return Problem(line, "dups", f"{link} stands in this file already")
    seen.add(link)
    return Row(line, story)


def _text(item: etree._Element, name: str) -> str | None:
    return (item.findtext(name) or "").strip() or None


def _day(text: str | None) -> str | None:
    try:
        return parsedate_to_datetime(text or "").date().isoformat()
    except (ValueError, TypeError):
        return None


def _forget(element: etree._Element) -> None:
    """Let go of an item and of those before it: a day has half a million of them."""
    parent = element.getparent()
    element.clear()
    while parent is not None and element.getprevious() is not None:
        del parent[0]
