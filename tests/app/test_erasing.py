"""An erasure reaches every place, leaves everything else, keeps the story away, and is finished after any interruption."""

from __future__ import annotations

import gzip
import json
import shutil

import pytest
from sqlalchemy import text

from tearsheet.app import captures, erasing
from tearsheet.app.addresses import every_address, matching_addresses, named_addresses, read_unread
from tearsheet.app.captures import rebuild_index, verify_archive
from tearsheet.app.pages import import_pages
from tearsheet.app.pipelines import archiver
from tearsheet.app.queues import read_depths
from tearsheet.archive import Tombstones, index_file, recover
from tearsheet.errors import BusyError
from tearsheet.query import parse_query
from tearsheet.topics import find_topic
from tearsheet.topics.snapshot import load_snapshot, save_snapshot
from tearsheet.work import LedgerEntry
from tests.support.archive_stories import archive_all
from tests.support.feed_rows import add_stories
from tests.support.feed_rows import story as entry
from tests.support.full_folder import DOCUMENT, NAMES, SECRET, SETTINGS, WORDS, fill, story, url_of
from tests.support.leftovers import places_of
from tests.support.web_seed import open_services

REASON = "asked for by the person"


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("filled") / "data"
    fill(folder)
    return folder


@pytest.fixture
def data(filled, tmp_path):
    shutil.copytree(filled, tmp_path / "data")
    return tmp_path / "data"


def opened(data):
    return open_services(data, **SETTINGS)


def silent(step: str) -> None:
    pass


def erase(data, *urls: str):
    with opened(data) as services:
        return erasing.erase(services, REASON, every_address(services, named_addresses(urls)), silent)


def left(data) -> dict[str, list[str]]:
    return {word: places for word in WORDS if (places := places_of(data, word))}


def check_the_others(data) -> None:
    """What was not erased is as it was."""
    with opened(data) as services:
        assert [verdict.problems for verdict in verify_archive(services)] == [[], []]
        for name in ("alpha", "omega"):
            (capture,) = services.archive.captures_of_address(every_key(url_of(name)))
            assert services.captures.read(capture).story.raw_html == story(name).raw_html
            assert services.page_store.get(f"https://short.example/{name}-slug") is not None
        assert services.index.count(parse_query("bridge")) == 2
        assert {name: depth.total for name, depth in read_depths(services).items()} == {
            "importer-in": 2, "parser-quar": 2, "archiver-in": 2, "topic_run-in": 1,
        }  # fmt: skip
        assert services.ingest.store.result_of("https://journal.example/omega-slug") is not None
        assert (
            len(
                services.ingest.replay.parts(
                    *services.archive.captures_of_address(every_key("https://journal.example/omega-slug"))
                )
            )
            == 2
        )
        assert len(services.events.latest(services.ingest.names.results)) == 1
        topic = find_topic(services.database, "bridge")
        assert [one.title for one in load_snapshot(services.database, topic, 1).stories if "omega" in one.title]


def every_key(url: str) -> str:
    return next(iter(named_addresses([url])))


def test_nothing_of_a_story_can_be_found_in_the_whole_folder(data):
    before = left(data)
    assert len(before["secretphrase"]) >= 8 and len(before["secrettitle"]) >= 8
    with opened(data) as services:
        expected = erasing.rehearse(services, every_address(services, named_addresses([SECRET, DOCUMENT])))
    assert left(data) == before
    report = erase(data, SECRET, DOCUMENT)
    (note,) = report.notes
    assert report.problems == [] and "`tearsheet topic export` writes them again" in note
    assert (data / "topics" / "bridge" / "ERASED.txt").is_file()
    assert not list((data / "topics").rglob("stories.*")) and not list((data / "topics").rglob("*.html"))
    assert (data / "topics" / "bridge" / "overall" / "media.csv").is_file(), "figures of sources stay"
    assert left(data) == {}
    found = {(one.place, one.what): one.count for one in report.found}
    assert found["index", "stories"] == 1 and found["archive", "captures"] == 3 and found["queues", "messages"] == 3
    for one in expected.found:
        if one.what in (
            "stories",
            "captures",
            "pages",
            "entries",
            "snapshots",
            "documents",
            "requests",
            "messages",
            "exported files",
        ):
            assert found[one.place, one.what] == one.count > 0, one
    check_the_others(data)


def test_every_way_to_name_a_story_finds_it(data):
    for url in (SECRET, "https://short.example/secret-slug", "http://www.news.example/2026/secret-slug/?utm_source=x"):
        with opened(data) as services:
            found = every_address(services, named_addresses([url]))
        assert {every_key(SECRET), every_key("https://short.example/secret-slug")} <= found.keys()


def note(services, number: int, url: str, link: str = "", **values) -> None:
    services.ledger.record([LedgerEntry(f"story-{number}", "importer", "dropped", url=url, link=link, **values)])


def test_a_story_is_found_by_the_links_that_were_queued_and_these_by_the_story(data):
    link, second = "https://queued.example/row-7", "https://queued.example/row-8"
    with opened(data) as services:
        note(services, 7, SECRET, link)
        note(services, 8, "https://other.example/the-same", link)
        note(services, 9, "https://other.example/the-same", second)
        for url in (SECRET, link, second):
            found = every_address(services, named_addresses([url])).values()
            assert {SECRET, link, second, "https://other.example/the-same"} <= set(found)


def test_nothing_is_left_of_a_duplicate_that_came_by_a_short_link_to_another_form_of_the_address(data):
    other_form, link = "http://www.news.example/2026/secret-slug?utm_source=feed", "http://nws.example/1irn8"
    detail = f"{other_form} was indexed first as story 1"
    with opened(data) as services:
        add_stories(services.database, entry(50, url=link, normalized_url=link, title="Elsewhere: secrettitle"))
        note(services, 1, other_form, link, reason="dups", detail=detail, domain="news.example")
        note(services, 2, other_form, reason="dups", detail=detail, domain="news.example")
        note(services, 3, "", reason="dups", detail=f"{SECRET} is already in this file (row 7 of list.csv)")
        note(services, 4, url_of("alpha"), reason="dups", detail="alpha-slug", domain="news.example")
        counted = erasing.rehearse(services, every_address(services, named_addresses([SECRET]))).found
        assert [one.count for one in counted if one.place == "ledger"] == [4], "these, and what the feed brought"
    erase(data, SECRET, DOCUMENT)
    assert left(data) == {} and places_of(data, "1irn8") == []
    with opened(data) as services:
        assert erasing.rehearse(services, every_address(services, named_addresses([other_form]))).total == 0
        assert services.ledger.find({"story_id": "story-4"})[0].detail == "alpha-slug"


@pytest.mark.parametrize(("url", "links"), [("https://news.example/", 1), ("https://news.example/please-log-in", 51)])
def test_links_that_led_to_a_front_page_or_to_a_wall_are_other_stories(data, url, links):
    with opened(data) as services:
        for number in range(links):
            note(services, number, url, f"https://queued.example/{number}")
        assert list(every_address(services, named_addresses([url])).values()) == [url]


@pytest.mark.parametrize("of_an_earlier_version", [False, True])
def test_a_capture_is_found_by_its_link_when_nothing_but_the_archive_is_left(data, of_an_earlier_version):
    """Feed entries are pruned and ledger rows folded after a while, and the index may be lost."""
    link = "https://short.example/secret-slug"
    with opened(data) as services:
        with services.database.begin() as connection:
            for table in ("stories", "outcomes", "earlier_outcomes", "topic_stories", "story_urls"):
                connection.execute(text(f"DELETE FROM {table}"))
            if of_an_earlier_version:
                connection.execute(text("DELETE FROM capture_addresses"))
                connection.execute(text("UPDATE archive_files SET addresses_known = false"))
        services.index.remove([every_key(url_of(name)) for name in NAMES])
        assert read_unread(services) == []
        found = every_address(services, named_addresses([link]))
        assert {every_key(SECRET), every_key(link)} <= found.keys()
        report = erasing.erase(services, REASON, found, silent)
    counted = {(one.place, one.what): one.count for one in report.found}
    assert counted["archive", "captures"] == 1
    assert not [path for path in (data / "archive").rglob("mc-*") if b"secretphrase" in path.read_bytes()]


def test_an_erasure_reads_old_files_that_could_not_be_read_when_it_began(data):
    """A file that only a store has, which is away: its link says nothing, until it is back."""
    link = "https://short.example/secret-slug"
    with opened(data) as services:
        assert services.uploader.run(all_now=True).failures == []
        file = next(file for file in services.archive.files() if file.name.startswith("mc-"))
        file.local_path(data / "archive").unlink()
        with services.database.begin() as connection:
            connection.execute(text("UPDATE archive_files SET local = false WHERE id = :id"), {"id": file.id})
            connection.execute(text("DELETE FROM capture_addresses"))
            connection.execute(text("UPDATE archive_files SET addresses_known = false"))
            for table in ("outcomes", "earlier_outcomes", "stories", "story_urls", "topic_stories"):
                connection.execute(text(f"DELETE FROM {table}"))
        services.index.remove([every_key(url_of(name)) for name in NAMES])
    (data / "copies").rename(data.parent / "unplugged")
    report = erase(data, link)
    assert any("is not known" in problem for problem in report.problems)
    (data.parent / "unplugged").rename(data / "copies")
    with opened(data) as services:
        assert erasing.resume(services, silent).problems == []
        assert services.archive.captures_known_by([every_key(SECRET)]) == []
        assert services.erased.covers(SECRET)


def test_captures_behind_a_wall_are_other_stories(data):
    wall = "https://news.example/please-log-in"
    with opened(data) as services:
        behind = [story("alpha", number) for number in range(100, 152)]
        for number, one in enumerate(behind):
            one.rss_entry.link = f"https://queued.example/{number}"
            one.http_metadata.final_url = one.content_metadata.url = one.content_metadata.original_url = wall
        archive_all(archiver(services, "mc"), behind)
        assert list(every_address(services, named_addresses([wall])).values()) == [wall]
        assert wall in every_address(services, named_addresses(["https://queued.example/7"])).values()
        assert len(every_address(services, named_addresses(["https://queued.example/7"]))) == 2


def test_a_killed_erasure_that_is_begun_anew_stays_one(data, monkeypatch):
    class Killed(BaseException):
        pass

    def die(*arguments, **options):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(erasing, "erase_pages", die)
        with pytest.raises(Killed):
            erase(data, SECRET, DOCUMENT)
    with opened(data) as services:
        noted = services.ledger.find({"stage": "erase"})
        assert noted
        again = every_address(services, named_addresses([SECRET, DOCUMENT]))
        assert erasing.erase(services, "the same, in other words", again, silent).problems == []
        (erasure,) = Tombstones(services.database).erasures()
        assert erasure.reason == REASON and erasure.finished is not None and erasure.captures == 3
        assert services.ledger.find({"stage": "erase"}) == noted
        recorded = [count.stories for count in services.ledger.recorded() if count.stage == "erase"]
        assert recorded == [len(noted)]
    assert left(data) == {}
    check_the_others(data)


def test_a_query_and_a_source_name_stories(data):
    with opened(data) as services:
        assert list(matching_addresses(services, parse_query("secretphrase")).values()) == [SECRET]
        whole = matching_addresses(services, parse_query("canonical_domain:news.example"), ["news.example"])
        assert {url_of(name) for name in NAMES} == set(whole.values())
        journal = matching_addresses(services, parse_query("canonical_domain:journal.example"), ["journal.example"])
        assert DOCUMENT in journal.values()
        short = matching_addresses(services, parse_query("canonical_domain:short.example"), ["short.example"])
        assert "https://short.example/secret-slug" in short.values()  # of the page store and the feeds


def test_the_erasure_can_be_shown_without_the_content(data):
    erase(data, SECRET)
    with opened(data) as services:
        tombstones = Tombstones(services.database)
        (tombstone,) = tombstones.of([every_key(SECRET)])
        assert (tombstone.reason, len(tombstone.sha256)) == (REASON, 64)
        (erasure,) = tombstones.erasures()
        assert erasure.finished is not None and erasure.captures == 1
        rows = services.ledger.find({"reason": "erased"})
        assert [(row.stage, row.status, row.detail, row.url) for row in rows] == [("erase", "dropped", REASON, "")]
    assert "secret" not in json.dumps([str(tombstone), str(erasure)])


def test_a_snapshot_keeps_its_figures_and_the_next_one_has_no_trace(data):
    with opened(data) as services:
        topic = find_topic(services.database, "bridge")
        before = load_snapshot(services.database, topic, 1)
    erase(data, SECRET)
    with opened(data) as services:
        after = load_snapshot(services.database, topic, 1)
        assert (len(after.stories), after.links) == (len(before.stories), before.links)
        assert "secret" not in str(after).replace("secret-slug", "") and SECRET not in str(after)
        following = load_snapshot(services.database, topic, save_snapshot(services.database, topic))
        assert len(following.stories) == 2 and following.links == ()


def test_rebuilding_the_index_from_an_old_file_brings_nothing_back(data, tmp_path):
    (old,) = (data / "copies").rglob("mc-*.warc.gz")
    kept = tmp_path / old.name
    kept.write_bytes(old.read_bytes())
    erase(data, SECRET)
    with opened(data) as services:
        report, _ = rebuild_index(services, [kept], lambda count: None)
        assert report.total == 2
        assert services.index.count(parse_query("secretphrase")) == 0


def test_an_old_file_that_is_put_back_brings_nothing_back(data, tmp_path):
    """Into the archive folder, where it is registered by itself; as another's file; into the page store; into a copied index."""
    (old,) = (data / "copies").rglob("mc-*.warc.gz")
    elsewhere = tmp_path / "elsewhere.warc.gz"
    elsewhere.write_bytes(old.read_bytes())
    erase(data, SECRET)
    (today,) = (data / "archive").rglob("mc-*.warc.gz")
    back = today.with_name(today.name.replace("mc-", "mcback-"))
    back.write_bytes(elsewhere.read_bytes())
    with opened(data) as services:
        index_file(elsewhere, services.archive, services.archive_folder)
        assert recover(services.archive_folder, services.archive).registered == [back]
        link = "https://short.example/secret-slug"
        assert services.archive.captures_known_by([every_key(SECRET), every_key(link)]) == []
        assert len(services.archive.captures_known_by([every_key(url_of("alpha"))])) == 1
        done = import_pages(services.page_store, [elsewhere], services.erased)
        assert (done.stored, done.erased, done.bad) == (2, 1, [])
        assert services.page_store.get(link) is None
        documents = [("a", {"url": SECRET}), ("b", {"url": "https://news.example/new", "text_content": "A bridge."})]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(captures, "server_documents", lambda url, patience: iter(documents))
            copied = captures.copy_index(services, "opensearch://elsewhere", lambda count: None)
        assert copied.total == 1 and services.index.get([every_key(SECRET)]) == [None]
        assert erasing.resume(services, silent).total == 1
    assert b"secretphrase" not in b"".join(read_gzip(path) for path in (data / "archive").rglob("mc*.warc.gz"))


def read_gzip(path) -> bytes:
    return gzip.decompress(path.read_bytes())


QUICK = [("_erase_from_archive", "before"), ("erase_from_file", "after"), ("_erase_the_rest", "after")]
OTHERS = [
    (step, when)
    for step in ("_note_in_ledger", "erase_from_file", "replace_copies", "_erase_from_archive", "_erase_the_rest", "erase_pages",
                 "erase_entries", "erase_from_daily_rss", "erase_from_topics", "erase_from_snapshots", "_erase_events",
                 "erase_documents")
    for when in ("before", "after")
    if (step, when) not in QUICK
]  # fmt: skip


@pytest.mark.parametrize(("step", "when"), [*QUICK, *(pytest.param(*one, marks=pytest.mark.slow) for one in OTHERS)])
def test_an_interrupted_erasure_is_finished_by_the_next(data, step, when, monkeypatch):
    class Killed(BaseException):
        pass

    real = getattr(erasing, step)

    def die(*arguments, **options):
        if when == "after":
            real(*arguments, **options)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(erasing, step, die)
        with pytest.raises(Killed):
            erase(data, SECRET, DOCUMENT)
    with opened(data) as services:
        assert len(services.erased.unfinished()) == 1
        assert erasing.resume(services, silent).problems == []
        assert services.erased.unfinished() == []
    assert left(data) == {}
    check_the_others(data)


def test_a_store_that_is_away_leaves_the_erasure_unfinished_until_it_is_back(data):
    (data / "copies").rename(data.parent / "unplugged")
    report = erase(data, SECRET)
    assert len(report.problems) == 1 and "copies" in report.problems[0]
    (data.parent / "unplugged").rename(data / "copies")
    with opened(data) as services:
        assert erasing.resume(services, silent).problems == []
        assert services.erased.unfinished() == []
    assert "secretphrase" not in {word for word in left(data) if "copies" in str(left(data)[word])}


def test_nobody_may_take_in_stories_meanwhile(data):
    with opened(data) as services, services.exclusive("run"), pytest.raises(BusyError, match="stop it first"):
        erase(data, SECRET)
    assert places_of(data, "secretphrase")
