"""The migration of old META files: again and again the same, nothing lost, line breaks repaired."""

from pathlib import Path

import pytest

from tearsheet.pagestore import PageStore
from tearsheet.pagestore import migrate as migration
from tearsheet.pagestore.check import check_store
from tearsheet.pagestore.meta import md5_hex, url_md5
from tearsheet.pagestore.migrate import KnownPage, migrate_store
from tests.support.old_pages import old_page

PAGE, FEED, ITEM = "http://a.example/", "http://a.example/feed", "http://a.example/item?x=1"
BROKEN, BLANK, UNKNOWN = "http://b.example/", "http://c.example/x y", "http://nobody.example/"
KNOWN = {
    PAGE: KnownPage("1", "url", "en"),
    FEED: KnownPage("2", "rss", "it"),
    BROKEN: KnownPage("3", "url", "en"),
    BLANK: KnownPage("4", "url", "en"),
}


@pytest.fixture
def store(tmp_path):
    folder = tmp_path / "pages" / "2008" / "9" / "6"
    lines = [f"{old_page(folder, url)} {url}" for url in (PAGE, FEED, UNKNOWN)]
    lines.insert(1, "")
    lines.append("what is this")
    broken = md5_hex(BROKEN + "\n")
    old_page(folder, BROKEN, md5=broken)
    lines += [broken, BROKEN, f"{old_page(folder, BLANK)} {BLANK}"]
    (folder / "META").write_text("\n".join(lines) + "\n")
    feed = folder / md5_hex(FEED)
    (feed / "META").write_text(f"{old_page(feed, ITEM)} {ITEM}\n")
    return PageStore(tmp_path / "pages")


def snapshot(base: Path) -> dict[str, bytes]:
    return {str(path.relative_to(base)): path.read_bytes() for path in base.rglob("*") if path.is_file()}


def test_lines_are_enriched_and_nothing_is_lost(store):
    folder = store.base / "2008/9/6"
    before = (folder / "META").read_bytes()
    report = migrate_store(store, KNOWN.get)
    assert (folder / "META").read_text().splitlines() == [
        f"{url_md5(PAGE)} {PAGE} 1 url en",
        f"{url_md5(FEED)} {FEED} 2 rss it",
        f"{url_md5(UNKNOWN)} {UNKNOWN}",
        "what is this",
        f"{url_md5(BROKEN)} {BROKEN} 3 url en",
        f"{url_md5(BLANK)} http://c.example/x%20y 4 url en",
    ]
    assert (folder / url_md5(FEED) / "META").read_text() == f"{url_md5(ITEM)} {ITEM} 2 rssitem it\n"
    assert (folder / "META.old").read_bytes() == before
    assert (folder / url_md5(BROKEN) / "contents.html").exists()
    assert (report.enriched, report.repaired, report.unknown) == (5, 1, [UNKNOWN])
    assert len(report.moved) == 2
    urls = {page.url for page in store.pages()}
    assert urls == {PAGE, FEED, ITEM, UNKNOWN, BROKEN, "http://c.example/x%20y"}
    assert [finding.what for finding in check_store(store)] == [
        "unreadable line 4: 'what is this'",
        "line 3: id, kind and language are missing",
    ]


def test_it_may_be_run_again(store):
    migrate_store(store, KNOWN.get)
    first = snapshot(store.base)
    report = migrate_store(store, KNOWN.get)
    assert snapshot(store.base) == first
    assert (report.changed, report.enriched, report.moved) == (0, 0, [])
    migrate_store(store, {UNKNOWN: KnownPage("9", "url", "fr")}.get)
    assert "9 url fr" in (store.base / "2008/9/6/META").read_text()
    assert (store.base / "2008/9/6/META.old").read_bytes() == first["2008/9/6/META.old"]


def test_a_dry_run_changes_nothing_and_says_the_same(store):
    before = snapshot(store.base)
    dry = migrate_store(store, KNOWN.get, dry_run=True)
    assert snapshot(store.base) == before
    wet = migrate_store(store, KNOWN.get)
    assert dry == wet


@pytest.mark.parametrize("step", ["write_whole", "sync_folder"])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_stopped_anywhere_it_goes_on(store, monkeypatch, step, at):
    expected_urls = {page.url for page in store.pages()}
    calls = 0
    original = getattr(migration, step)

    def stop(*arguments):
        nonlocal calls
        calls += 1
        if calls == at:
            raise KeyboardInterrupt
        original(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(migration, step, stop)
        try:
            migrate_store(store, KNOWN.get)
        except KeyboardInterrupt:
            assert {page.url for page in store.pages()} == expected_urls
    migrate_store(store, KNOWN.get)
    assert (store.base / "2008/9/6/META").read_text().count(" url en") == 3
    assert {page.url for page in store.pages()} == expected_urls


def test_items_of_a_migrated_feed_are_migrated_too(tmp_path):
    folder = tmp_path / "2009/1/5"
    (folder).mkdir(parents=True)
    (folder / "META").write_text(f"{old_page(folder, FEED)} {FEED} 2 rss it\n")
    feed = folder / md5_hex(FEED)
    (feed / "META").write_text(f"{old_page(feed, ITEM)} {ITEM}\n")
    migrate_store(PageStore(tmp_path), lambda _: None)
    assert (feed / "META").read_text() == f"{url_md5(ITEM)} {ITEM} 2 rssitem it\n"


def test_what_stands_in_the_way_of_a_move_is_left_to_people(store):
    folder = store.base / "2008/9/6"
    (folder / url_md5(BROKEN)).mkdir()
    (folder / url_md5(BROKEN) / "note.txt").write_text("mine")
    migrate_store(store, KNOWN.get)
    assert (folder / url_md5(BROKEN) / "note.txt").read_text() == "mine"
    assert BROKEN in {page.url for page in store.pages()}
