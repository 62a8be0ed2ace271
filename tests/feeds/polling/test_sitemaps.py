"""Which sitemaps of an index are read, in which order, over several polls."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tearsheet.feeds.formats import Entry
from tearsheet.feeds.polling.sitemaps import (
    CHILDREN_AT_ONCE,
    MAX_CHILDREN,
    Child,
    Read,
    children_of,
    due_children,
    key_of,
    read_text,
    what_was_read,
)

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def child(name: str, days: float | None = None) -> Child:
    return Child(f"http://n.example/{name}.xml", None if days is None else NOW - timedelta(days=days))


def names(urls: list[str]) -> str:
    return " ".join(url.rpartition("/")[2].removesuffix(".xml") for url in urls)


def test_news_comes_first_then_the_newest() -> None:
    found = due_children([child("old", 300), child("plain"), child("new", 1), child("news", 50)], {}, NOW)
    assert names(found) == "news new old plain"


def test_what_has_not_changed_is_left_alone_for_a_week() -> None:
    children = [child("a", 3), child("b", 1)]
    read = {key_of(one.url): Read(NOW - timedelta(days=2), NOW - timedelta(days=3)) for one in children}
    assert names(due_children(children, read, NOW)) == "b"
    assert names(due_children(children, read, NOW + timedelta(days=6))) == "b a"


@pytest.mark.parametrize("days", [None, 5])
def test_every_sitemap_is_read_in_its_turn(days: float | None) -> None:
    children = [child(str(number), days) for number in range(23)]
    read: dict[str, Read] = {}
    asked: list[str] = []
    for poll in range(5):
        now = NOW + timedelta(hours=poll)
        for url in due_children(children, read, now)[:CHILDREN_AT_ONCE]:
            read[key_of(url)] = Read(now, children[0].changed)
            asked.append(url)
    assert set(asked) == {one.url for one in children}
    assert len(due_children(children, read, now)) == (23 if days is None else 0)


def test_many_old_ones_do_not_keep_the_news_waiting() -> None:
    children = [*(child(str(number)) for number in range(500)), child("news")]
    read = {key_of(child("news").url): Read(NOW, None)}
    assert names(due_children(children, read, NOW)[:1]) == "news"


def test_what_was_read_is_remembered_for_those_that_the_index_still_names() -> None:
    read = {key_of(child("a").url): Read(NOW, NOW), key_of(child("b").url): Read(NOW, None), "gone": Read(NOW, None)}
    again = what_was_read(read_text([child("a"), child("b")], read))
    assert again == {key: one for key, one in read.items() if key != "gone"}


@pytest.mark.parametrize("text", [None, "", "x", "[]", '{"a": 1}', '{"a": [1e300, null]}'])
def test_what_is_no_memory_is_nothing(text: str | None) -> None:
    assert what_was_read(text) == {}


def test_of_more_than_can_be_told_apart_the_newest_are_kept() -> None:
    entries = [Entry(f"http://n.example/{n}", updated=NOW - timedelta(hours=n)) for n in range(MAX_CHILDREN + 10)]
    found = children_of(list(reversed(entries)))
    assert len(found) == MAX_CHILDREN
    assert found[0].url == "http://n.example/0"
