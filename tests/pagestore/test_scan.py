"""A feed and its items in the store."""

from datetime import UTC, datetime

import pytest

from tearsheet.errors import NotFoundError
from tearsheet.pagestore import PageStore
from tearsheet.pagestore.check import check_store
from tearsheet.pagestore.meta import md5_hex, url_md5
from tearsheet.pagestore.scan import FeedItem, scan_feed


@pytest.fixture
def store(tmp_path):
    return PageStore(tmp_path / "pages")


def whats(store: PageStore) -> list[str]:
    return [finding.what for finding in check_store(store)]


FEED = "http://a.example/feed.xml"


def at(hour: int) -> datetime:
    return datetime(2026, 1, 5, hour, tzinfo=UTC)


class Web:
    def __init__(self):
        self.gone: set[str] = set()
        self.asked: list[str] = []

    def __call__(self, url: str) -> bytes:
        self.asked.append(url)
        if url in self.gone:
            raise NotFoundError(url)
        return url.encode()


def test_a_feed_lies_with_its_items_below_it(store):
    scan = scan_feed(
        store, FEED, b"<rss/>", [FeedItem("http://a.example/1", at(1))], Web(), page_id=9, language="it", now=at(2)
    )
    folder = store.base / "2026/01/05" / url_md5(FEED)
    assert (folder / "contents.html").read_bytes() == b"<rss/>"
    assert (folder / "META").read_text() == f"{md5_hex('http://a.example/1')} http://a.example/1 9 rssitem it\n"
    assert (folder / md5_hex("http://a.example/1") / "contents.html").read_bytes() == b"http://a.example/1"
    assert [(page.kind, page.page_id) for page in store.pages()] == [("rss", "9"), ("rssitem", "9")]
    assert scan.items[0].feed_md5 == url_md5(FEED)
    assert store.get("http://a.example/1", feed_url=FEED) == store.get("http://a.example/1") == scan.items[0]
    assert whats(store) == []


def test_only_new_items_are_stored(store):
    web = Web()
    items = [FeedItem("http://a.example/1", at(1)), FeedItem("http://a.example/2")]
    scan_feed(store, FEED, b"<rss/>", items, web, now=at(2))
    items += [
        FeedItem("http://a.example/3", at(3)),
        FeedItem("http://a.example/old", at(0)),
        FeedItem("http://a.example/4"),
    ]
    scan = scan_feed(store, FEED, b"<rss/>", items, web, now=at(4))
    assert [page.url for page in scan.items] == ["http://a.example/3", "http://a.example/4"]
    assert scan_feed(store, FEED, b"<rss/>", items, web, now=at(5)).items == []


def test_an_item_that_failed_is_tried_again_though_time_went_on(store):
    web = Web()
    items = [FeedItem("http://a.example/1", at(1)), FeedItem("http://a.example/2", at(1))]
    web.gone = {"http://a.example/1"}
    scan = scan_feed(store, FEED, b"<rss/>", items, web, now=at(2))
    assert (scan.failed, len(scan.items)) == (["http://a.example/1"], 1)
    web.gone = set()
    assert [page.url for page in scan_feed(store, FEED, b"<rss/>", items, web, now=at(3)).items] == [
        "http://a.example/1"
    ]
    assert web.asked == ["http://a.example/1", "http://a.example/2", "http://a.example/1"]


def test_a_damaged_memory_of_scans_starts_anew(store):
    scan_feed(store, FEED, b"<rss/>", [], Web(), now=at(2))
    (state,) = (store.base / ".scans").glob("*.json")
    state.write_text("{")
    assert len(scan_feed(store, FEED, b"<rss/>", [FeedItem("http://a.example/1", at(1))], Web(), now=at(3)).items) == 1
