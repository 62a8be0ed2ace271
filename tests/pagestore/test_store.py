"""The store on disk: what is written, by how many, and what is read of stores of every age."""

import json
import os
import random
import subprocess
import sys
import time
from datetime import date

import pytest

from tearsheet.errors import UsageError
from tearsheet.pagestore import CaptureInfo, PageStore
from tearsheet.pagestore.check import check_store, repair_store
from tearsheet.pagestore.meta import md5_hex
from tearsheet.pagestore.paths import inside
from tests.support.old_pages import old_page

DAY = date(2026, 1, 5)


URL = "http://www.economist.com/"


@pytest.fixture
def store(tmp_path):
    return PageStore(tmp_path / "pages")


def whats(store: PageStore) -> list[str]:
    return [finding.what for finding in check_store(store)]


def test_a_page_lies_where_the_document_says(store):
    page = store.put(URL, b"<html>x", day=DAY, page_id=180, language="en")
    folder = store.base / "2026" / "01" / "05"
    assert page.path == folder / "afa4d5c1593694b1af94aad132a53da7" / "contents.html"
    assert page.path.read_bytes() == b"<html>x"
    assert (folder / "META").read_text() == "afa4d5c1593694b1af94aad132a53da7 http://www.economist.com/ 180 url en\n"
    assert whats(store) == []


def test_the_same_page_again_replaces_its_contents_and_adds_no_line(store):
    for content in (b"one", b"two"):
        store.put(URL, content, day=DAY, page_id=1)
        PageStore(store.base).put(URL, content, day=DAY, page_id=1)
    assert store.get(URL).content() == b"two"
    assert len((store.base / "2026/01/05/META").read_text().splitlines()) == 1
    store.put(URL, b"two", day=DAY, page_id=2)  # another row of somebody's table with the same address
    assert [page.page_id for page in store.pages()] == ["1", "2"]


def test_the_newest_page_of_an_address_or_that_of_a_day(store):
    for number in (3, 7, 5):
        store.put(URL, b"%d" % number, day=date(2026, 1, number))
    assert store.get(URL).content() == b"7"
    assert store.get(URL, day=date(2026, 1, 5)).content() == b"5"
    assert store.get(URL, day=date(2026, 1, 6)) is None
    assert store.get("http://other.example/") is None


def test_blanks_in_addresses(store):
    url = "http://a.example/x y\tz"
    store.put(url, b"x", day=DAY, page_id=4)
    assert (store.base / "2026/01/05/META").read_text().split()[1] == "http://a.example/x%20y%09z"
    assert store.get(url).content() == b"x"
    assert store.get("http://a.example/x%20y%09z").content() == b"x"
    assert whats(store) == []


def test_what_is_known_of_a_capture_stands_beside_it(store):
    info = CaptureInfo("http://final.example/", 203, "utf-8", 1_700_000_000.5, "some-id")
    store.put(URL, b"x", day=DAY, info=info)
    assert store.get(URL).info() == info
    store.get(URL).path.with_name("capture.json").write_text("[]")
    assert store.get(URL).info() == CaptureInfo()


@pytest.mark.parametrize(
    ("url", "content", "options"),
    [
        ("", b"x", {}),
        ("  ", b"x", {}),
        (URL, b"", {}),
        (URL, b"x", {"kind": "file"}),
        (URL, b"x", {"kind": "rssitem"}),
        (URL, b"x", {"kind": "url", "feed_url": URL}),
    ],
)
def test_what_cannot_be_stored_is_refused(store, url, content, options):
    with pytest.raises(UsageError):
        store.put(url, content, **options)
    assert not store.base.exists()


@pytest.mark.parametrize("day", ["2009/1/5", "2009/01/05", "2009/1/05"])
def test_stores_without_padding_are_read(store, day):
    folder = store.base / day
    name = old_page(folder, URL)
    (folder / "META").write_text(f"{name} {URL} 180 url en\n")
    (page,) = store.pages()
    assert (page.day, page.url, page.page_id, page.content()) == (date(2009, 1, 5), URL, "180", b"<html>old\n")
    assert store.get(URL, day=date(2009, 1, 5)) == page


def test_a_day_with_both_kinds_of_folders_is_one_day(store):
    old = store.base / "2009/1/5"
    (old).mkdir(parents=True)
    (old / "META").write_text(f"{old_page(old, URL)} {URL} 180 url en\n")
    store.put(URL, b"new", day=date(2009, 1, 5), page_id=180)
    store.put("http://b.example/", b"new", day=date(2009, 1, 5))
    assert sorted(page.url for page in store.pages()) == ["http://b.example/", URL]


def test_both_kinds_of_meta_are_read(store):
    folder = store.base / "2008/11/15"
    other = "http://b.example/"
    first, second = old_page(folder, URL), old_page(folder, other)
    (folder / "META").write_text(f"{first} {URL}\n{second} {other} 5 url it\n")
    assert [(page.url, page.kind) for page in store.pages()] == [(URL, None), (other, "url")]


def test_a_line_break_between_digest_and_url_is_read(store):
    folder = store.base / "2008/11/15"
    broken = md5_hex(URL + "\n")
    old_page(folder, URL, md5=broken)
    (folder / "META").write_text(f"{broken}\n{URL}\n")
    (page,) = store.pages()
    assert (page.url, page.content()) == (URL, b"<html>old\n")
    assert store.get(URL) == page


def test_the_word_meta_inside_a_path_confuses_nobody(tmp_path):
    store = PageStore(tmp_path / "META" / "xMETA")
    store.put(URL, b"x", day=DAY)
    (store.base / "2026/01/05/ZMETA").write_text("0" * 32 + " http://x/ 1 url en\n")
    assert [page.content() for page in store.pages()] == [b"x"]
    assert whats(store) == ["unknown file"]


def test_missing_ids_duplicates_and_missing_contents_are_read_as_far_as_they_go(store):
    folder = store.base / "2008/11/15"
    name = old_page(folder, URL)
    gone = md5_hex("http://gone.example/")
    (folder / "META").write_text(
        f"{name} {URL} 1 url en\n{name} {URL} 1 url en\n\n{gone} http://gone.example/ 2 url en\n"
    )
    assert [page.url for page in store.pages()] == [URL]
    assert whats(store) == [
        "blank lines: 1",
        f"duplicate line 2: {name}",
        f"missing contents of line 4: {gone} http://gone.example/",
    ]


def test_folders_that_are_no_days_are_no_days(store):
    for name in ("2008/13/1", "2008/2/30", "208/1/1", "2008/x/1", "2008/1/001", "notes"):
        (store.base / name).mkdir(parents=True)
    (store.base / "2009").write_text("a file")
    assert list(store.pages()) == []


def test_a_path_that_leaves_the_store_is_refused(store, tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "contents.html").write_text("secret")
    folder = store.base / "2026/01/05"
    folder.mkdir(parents=True)
    name = md5_hex(URL)
    (folder / name).symlink_to(secret)
    (folder / "META").write_text(f"../../../../secret {URL} 1 url en\n{name} {URL} 1 url en\n")
    assert list(store.pages()) == []
    assert store.get(URL) is None
    assert "leads out of the store" in whats(store)
    with pytest.raises(UsageError, match="leads out"):
        store.put(URL, b"x", day=DAY)
    assert (secret / "contents.html").read_text() == "secret"
    for path in (store.base / ".." / "secret", store.base / "2026/../../secret/contents.html"):
        with pytest.raises(UsageError, match="leads out"):
            inside(store.base, path)


def test_a_meta_that_is_a_link_to_elsewhere_is_not_read(store, tmp_path):
    folder = store.base / "2026/01/05"
    folder.mkdir(parents=True)
    (tmp_path / "elsewhere").write_text(f"{old_page(folder, URL)} {URL} 1 url en\n")
    (folder / "META").symlink_to(tmp_path / "elsewhere")
    assert list(store.pages()) == []


@pytest.mark.timeout(60)
def test_a_meta_that_is_a_pipe_keeps_nobody_waiting(store):
    folder = store.base / "2026/01/05"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "META")
    assert list(store.pages()) == []
    assert whats(store) == []


@pytest.mark.parametrize(
    "odd",
    [
        {"kind": f"url en\n{'0' * 32} http://forged.example/ 1 url"},
        {"kind": ["url"]},
        {"language": {"a": 1}},
        {"url": "\ud800"},
    ],
)
def test_what_lies_beside_a_page_forges_no_line_of_meta(store, odd):
    folder = store.base / "2026/01/05"
    page = folder / old_page(folder, URL)
    (page / "capture.json").write_text(json.dumps({"url": URL, "kind": "url", "page_id": 1, "language": "en"} | odd))
    repair_store(store)
    assert [page.url for page in store.pages()] in ([], [URL])
    assert all("forged" not in path.read_text() for path in folder.glob("META"))


def test_a_crash_between_the_two_files_leaves_an_orphan_that_can_be_named_again(store, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(PageStore, "append_line", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            store.put(URL, b"x", day=DAY, page_id=180, language="en")
    assert list(store.pages()) == []
    assert whats(store) == ["orphan: META does not name it"]
    assert repair_store(store) == ["2026/01/05/afa4d5c1593694b1af94aad132a53da7"]
    assert repair_store(store) == []
    assert whats(store) == []
    assert [(page.page_id, page.language) for page in store.pages()] == [("180", "en")]


def test_a_line_that_was_cut_off_does_not_swallow_the_next(store):
    store.put(URL, b"x", day=DAY)
    meta = store.base / "2026/01/05/META"
    with meta.open("a") as stream:
        stream.write("0123")
    for target in (store, PageStore(store.base)):
        target.put("http://b.example/", b"y", day=DAY)
    assert sorted(page.url for page in store.pages()) == ["http://b.example/", URL]
    assert whats(store) == ["unreadable line 2: '0123'"]


WRITER = """
import sys
from datetime import date
from pathlib import Path
from tearsheet.pagestore import PageStore
store = PageStore(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    store.put(f"http://shared.example/{number}", b"shared", day=date(2026, 1, 5))
    store.put(f"http://{sys.argv[2]}.example/{number}", sys.argv[2].encode(), day=date(2026, 1, 5))
"""


def test_several_writers_lose_nothing(store):
    names = ("one", "two", "three")
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(store.base), name, "5"]) for name in names]
    assert [writer.wait(100) for writer in writers] == [0, 0, 0]
    assert whats(store) == []
    assert len(list(store.pages())) == 4 * 5
    assert len((store.base / "2026/01/05/META").read_text().splitlines()) == 4 * 5


@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=[pytest.mark.slow, pytest.mark.timeout(600)])])
def test_writers_that_are_killed_leave_nothing_half_done(store, kills):
    meta = store.base / "2026/01/05/META"
    for number in range(kills):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(store.base), f"w{number}", "400"])
        started = time.monotonic()
        while not (meta.exists() and f"w{number}." in meta.read_text()) and time.monotonic() - started < 60:
            time.sleep(0.01)
        time.sleep(random.random() / 20)
        writer.kill()
        writer.wait()
        for page in store.pages():
            assert page.content() in (b"shared", page.url.removeprefix("http://").partition(".")[0].encode())
    remains = {"orphan", "leftover of a writer that died"}
    assert {what.split(":")[0] for what in whats(store)} <= remains
    repair_store(store)
    assert {what.split(":")[0] for what in whats(store)} <= remains
    store.put(URL, b"x", day=DAY)
    assert store.get(URL).content() == b"x"
