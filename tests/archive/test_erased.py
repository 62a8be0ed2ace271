"""The list of erased addresses: who is on it, and what stays of an address in the end."""

from __future__ import annotations

import pytest

from tearsheet.archive.addresses import index_id_of
from tearsheet.archive.erased import Erased
from tearsheet.archive.tombstones import Tombstones
from tearsheet.story import RSSEntry, Story
from tests.support.archive_stories import plain_story
from tests.support.leftovers import places_of

URL = "https://news.example/secret-slug"


@pytest.fixture
def erased(database):
    return Erased(database)


def started(erased, *urls, reason="asked for"):
    return erased.start(reason, {index_id_of(url): url for url in urls})


def test_every_spelling_of_an_erased_address_is_recognised(erased):
    started(erased, URL)
    assert erased.covers("http://www.news.example/secret-slug/?utm_source=x#top")
    assert not erased.covers("https://news.example/another") and not erased.covers("nonsense")
    assert erased.of_stories([plain_story(1), Story(rss_entry=RSSEntry(link=URL)), Story()]) == [False, True, False]


def test_an_erasure_is_unfinished_until_it_is_finished(erased, database):
    first, second = started(erased, URL), started(erased, "https://a.example/1", reason="x" * 600)
    assert [one.id for one in erased.unfinished()] == [first.id, second.id]
    assert erased.unfinished()[0].addresses == {index_id_of(URL): URL}
    first = erased.extend(first, {index_id_of("https://t.example/9"): "https://t.example/9"})
    assert len(erased.unfinished()[0].addresses) == 2
    erased.forget_addresses(first)
    assert erased.unfinished()[0].addresses == {}
    erased.finish(first)
    assert [one.id for one in erased.unfinished()] == [second.id]
    assert [(one.id, one.addresses, one.finished is None) for one in Tombstones(database).erasures()] == [
        (first.id, 2, False), (second.id, 1, True),
    ]  # fmt: skip
    assert erased.covers(URL)


def test_only_the_hash_of_an_address_stays(erased, database, tmp_path):
    erasure = started(erased, URL)
    erased.forget_addresses(erasure)
    erased.finish(erasure)
    database.scrub(["erased_addresses"])
    assert places_of(tmp_path, "secret-slug") == []
    assert erased.covers(URL)


def test_an_address_may_be_erased_again(erased):
    erasure = started(erased, URL)
    erased.forget_addresses(erasure)
    erased.finish(erasure)
    again = started(erased, URL, reason="again")
    assert erased.unfinished()[0].addresses == again.addresses == {index_id_of(URL): URL}


def test_the_unfinished_erasure_of_an_address_is_found_again(erased):
    first = started(erased, URL)
    started(erased, "https://a.example/1")
    assert erased.unfinished_with([index_id_of(URL), "x"]) == first
    assert erased.unfinished_with([index_id_of("https://news.example/another")]) is None
    erased.forget_addresses(first)
    found = erased.unfinished_with([index_id_of(URL)])
    assert found is not None and (found.id, found.addresses) == (first.id, {}), "only cleaning up is left"
    erased.finish(first)
    assert erased.unfinished_with([index_id_of(URL)]) is None
