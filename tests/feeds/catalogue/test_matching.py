"""Which feed a row of a list means."""

from __future__ import annotations

from dataclasses import replace

from tearsheet.feeds.catalogue.matching import (
    KnownFeed,
    differences,
    match_of_directory,
    match_of_list,
    told,
    too_many_gone,
)
from tearsheet.feeds.catalogue.model import ADDED, CHANGED, KNOWN, REFUSED, NewFeed

A = KnownFeed(101, "http://a.example/rss", 7, "A", True, None, None, None, None, False, None)


def row(**more) -> NewFeed:
    return NewFeed(**({"url": A.url} | more))


def test_the_id_decides_then_the_address_within_a_source() -> None:
    assert match_of_list(row(id=101), A, [A], update=False).what == KNOWN
    assert match_of_list(row(id=101, url="http://new.example/"), A, [], update=True).what == CHANGED
    assert match_of_list(row(), None, [A], update=False).feed == A
    assert match_of_list(row(id=103, sources_id=7), None, [A], update=False).feed == A
    assert match_of_list(row(id=103, sources_id=9), None, [A], update=False).what == ADDED


def test_another_lists_id_changes_no_address() -> None:
    refused = match_of_list(row(id=101, url="http://new.example/"), A, [], update=False)
    assert refused.what == REFUSED and "--update" in refused.why


def test_a_directory_changes_its_own_feeds_and_adopts_the_same_one() -> None:
    assert match_of_directory(row(id=101), "there", None).what == ADDED
    assert match_of_directory(row(id=101), "there", A).what == CHANGED
    mine = KnownFeed(*(*[getattr(A, name) for name in A.__slots__][:-1], "there"))
    assert match_of_directory(row(id=101, url="http://new.example/"), "there", mine).what == CHANGED
    assert match_of_directory(row(id=101, url="http://new.example/"), "there", A).what == REFUSED
    assert match_of_directory(row(id=101), "elsewhere", mine).what == REFUSED
    assert match_of_directory(row(), "there", None).what == REFUSED


def test_folders_in_another_order_are_the_same() -> None:
    filed = replace(A, folders="Tech;News/Local")
    assert differences(filed, {"folders": "News/Local;Tech"}) == {}
    assert differences(filed, {"folders": None, "name": "A"}) == {"folders": None}


def test_changes_are_told_without_passwords() -> None:
    text = told(A, {"url": "http://me:secret@b.example/rss?token=x", "name": None, "active": False})
    assert text == "address: http://a.example/rss → http://b.example/rss?token=***; name: A → none; active: yes → no"


def test_a_directory_that_lost_much_is_not_believed() -> None:
    assert not too_many_gone(10, 10, 1)
    assert too_many_gone(11, 50, 39)
    assert not too_many_gone(11, 100, 89)
    assert too_many_gone(1, 1, 0), "a directory that is empty"
    assert not too_many_gone(0, 0, 0)
