"""Pages leave the store with their lines; their neighbours, and feeds with other items, stay."""

from __future__ import annotations

from datetime import date

import pytest

from tearsheet.archive import index_id_of
from tearsheet.pagestore import PageStore, check_store, erase_pages
from tests.support.leftovers import places_of

SECRET, OTHER, FEED = "https://a.example/secret-slug", "https://a.example/other", "https://a.example/feed"
KEYS = {index_id_of(SECRET)}


@pytest.fixture
def store(tmp_path):
    store = PageStore(tmp_path / "pages")
    for day in (date(2026, 1, 2), date(2026, 1, 3)):
        store.put(SECRET, b"qwertyuiop", day=day)
        store.put(OTHER, b"stays", day=day)
    store.put(FEED, b"<rss/>", day=date(2026, 1, 3), kind="rss")
    for url in (SECRET, OTHER):
        store.put(url, b"item " + url.encode(), day=date(2026, 1, 3), kind="rssitem", feed_url=FEED)
    (tmp_path / "pages/2026/01/02/META.old").write_text((tmp_path / "pages/2026/01/02/META").read_text())
    return store


def test_a_page_goes_from_every_day_and_from_every_feed(store, tmp_path):
    assert erase_pages(store, KEYS, dry_run=True) == 3
    assert store.get(SECRET) is not None
    assert erase_pages(store, KEYS) == 3
    assert places_of(tmp_path, "qwertyuiop") + places_of(tmp_path, "secret-slug") == []
    assert store.get(SECRET) is None
    assert len(list(store.pages())) == 4
    assert list(check_store(store)) == []
    assert erase_pages(store, KEYS) == 0


def test_every_spelling_of_its_address_is_meant(store):
    assert erase_pages(store, {index_id_of("http://www.a.example/secret-slug/?utm_source=x")}) == 3


def test_a_store_that_is_not_there_has_no_pages(tmp_path):
    assert erase_pages(PageStore(tmp_path / "none"), KEYS) == 0


def test_a_page_can_be_stored_after_its_neighbour_was_erased(store):
    erase_pages(store, KEYS)
    store.put("https://a.example/later", b"x", day=date(2026, 1, 2))
    assert len(list(store.pages())) == 5
