"""Pages beyond a topic, as a snapshot freezes them."""

from __future__ import annotations

import pytest

from tearsheet.app.services import Services
from tearsheet.settings import Settings
from tearsheet.topics import NewTopic, store
from tearsheet.topics.snapshot import erase_from_snapshots, load_snapshot, save_snapshot, topics_with
from tearsheet.topics.spider.links import MinedLink
from tearsheet.topics.spider.routing import Route
from tearsheet.topics.spider.stores import links
from tearsheet.topics.spider.stores.links import RoutedLink
from tearsheet.urls import url_hash
from tests.support.topic_rows import add_members, web_story

REPORT = "https://report.example/2024.pdf"


@pytest.fixture
def database(tmp_path):
    with Services(Settings(tmp_path)) as services:
        yield services.database


def link(url: str, story: str | None = None) -> RoutedLink:
    return RoutedLink(MinedLink(url, url_hash(url), "anchor"), Route.END, story)


def test_what_several_sources_link_to_is_frozen_once(database):
    topic = store.create_topic(database, NewTopic("T", "flood"), 0)
    members = [web_story(n, "Flood", f"{name}.example") for n, name in enumerate(["a", "a", "b", "report"])]
    add_members(database, topic, *members)
    spelled = "https://www.report.example/2024.pdf#page=2"
    one, two = "http://moved.example/1", "http://moved.example/2"
    for number, found in enumerate(
        [
            [link(REPORT), link("http://alone.example/"), link(one, "c" * 64), link(members[2].url, members[2].id)],
            [link(REPORT), link("http://alone.example/")],
            [link(spelled), link(two, "c" * 64), link("http://own.example/")],
            [link(REPORT), link("http://own.example/")],
        ]
    ):
        links.save_links(database, topic.id, members[number].id, 0, found)
    save_snapshot(database, topic)
    pages = load_snapshot(database, topic).pages
    assert {page.url: (page.media, page.linked_by) for page in pages} == {
        REPORT: ("report.example", (0, 1, 2)),  # its own source links to it, too, which says nothing
        "http://own.example/": ("own.example", (2, 3)),
        one: ("moved.example", (0, 2)),
    }
    assert [(page.id, page.linked_by) for page in pages if page.url == one] == [("c" * 64, (0, 2))]
    assert [page.id for page in pages] == sorted(page.id for page in pages)


def test_an_erased_page_is_a_page_without_an_address(database):
    topic = store.create_topic(database, NewTopic("T", "flood"), 0)
    members = [web_story(n, "Flood", f"{name}.example") for n, name in enumerate(["a", "b"])]
    add_members(database, topic, *members)
    for member in members:
        links.save_links(database, topic.id, member.id, 0, [link(REPORT)])
    save_snapshot(database, topic)
    key = url_hash(REPORT)
    assert topics_with(database, [key]) == {"T"}
    assert erase_from_snapshots(database, [key], dry_run=True) == 1
    assert erase_from_snapshots(database, [key]) == 1
    [page] = load_snapshot(database, topic).pages
    assert (page.id, page.url, page.linked_by) == (key, "", (0, 1))
    assert erase_from_snapshots(database, [key]) == 0 and topics_with(database, [key]) == set()
