"""Stories get their foci from what is stored: after a run, and for snapshots that were taken long before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tearsheet.app.services import Services
from tearsheet.clock import utc_now
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.feeds.catalogue import NewSource, add_sources
from tearsheet.query import QueryError
from tearsheet.settings import Settings
from tearsheet.topics import Focus, NewTopic, add_foci, remove_foci, store
from tearsheet.topics.decisions import decisions
from tearsheet.topics.snapshot import load_snapshot, save_snapshot
from tests.support.topic_rows import add_members, web_story


@pytest.fixture
def database(tmp_path):
    with Services(Settings(tmp_path)) as services:
        yield services.database


@pytest.fixture
def topic(database):
    topic = store.create_topic(database, NewTopic("T", "flood", foci={"dam": Focus("dam")}), 0)
    stories = [
        web_story(1, "Flood", "a.fr", "The dam broke."),
        web_story(2, "Flood at the dam", "b.co.uk", "Water."),
        replace(web_story(3, "Flood", "c.example", "Rain."), language="de"),
    ]
    add_members(database, topic, *stories)
    return topic


def foci_of(database, topic, snapshot=None):
    frozen = load_snapshot(database, topic, snapshot)
    return {name: [int(story.id) for story in frozen.stories if name in story.foci] for name, _ in frozen.foci}


def again(database):
    return store.find_topic(database, "T")


def test_foci_that_are_defined_later_are_in_the_next_snapshot(database, topic):
    members = [NewSource(f"http://{name}/", None, ("Locals",)) for name in ("a.fr", "c.example")]
    add_sources(database, members, utc_now())
    first = save_snapshot(database, topic)
    added = {
        "rain": Focus("rain OR title:dam"),
        "of c": Focus(sources=("c.example", "nobody.example")),
        "local": Focus(collections=("Locals",)),
        "local dam": Focus("dam", collections=("Locals",)),
        "german": Focus(languages=("de", "at")),
        "abroad": Focus(countries=("fr", "gb")),
        "none": Focus("flood", sources=("c.example",), countries=("fr",)),
    }
    add_foci(database, topic, added)
    assert foci_of(database, topic, first) == {"dam": [1, 2]}
    assert again(database).foci == {"dam": Focus("dam"), **added}
    wanted = {
        "abroad": [1, 2], "dam": [1, 2], "german": [3], "local": [1, 3], "local dam": [1], "none": [], "of c": [3],
        "rain": [2, 3],
    }  # fmt: skip
    save_snapshot(database, again(database))
    assert foci_of(database, topic) == wanted
    assert dict(load_snapshot(database, topic).foci)["local dam"] == "dam, from the collection Locals"


def test_an_earlier_snapshot_is_frozen_again_with_the_foci_of_now(database, topic):
    first = save_snapshot(database, topic)
    before = load_snapshot(database, topic)
    add_members(database, topic, web_story(4, "Flood", "a.fr", "Another dam."))
    add_foci(database, topic, {"french": Focus(countries=("fr",))})
    number = save_snapshot(database, again(database), stories_of=first)
    assert foci_of(database, topic, number) == {"dam": [1, 2], "french": [1]}
    after = load_snapshot(database, topic, number)
    assert (after.links, [story.id for story in after.stories]) == (
        before.links,
        [story.id for story in before.stories],
    )
    with pytest.raises(NotFoundError):
        save_snapshot(database, topic, stories_of=99)


def test_foci_are_removed_alone_or_as_a_set_and_all_of_it_is_kept(database, topic):
    add_foci(
        database, topic, {"p/left": Focus(sources=("a.fr",)), "p/right": Focus(sources=("b.co.uk",))}, "by AllSides"
    )
    assert remove_foci(database, topic, "p", "a mistake") == ["p/left", "p/right"]
    assert remove_foci(database, topic, "dam") == ["dam"]
    assert again(database).foci == {}
    told = [(one.subject, one.target, one.reason) for one in decisions(database, topic)]
    assert told == [
        ("focus p/left", "none → from a.fr", "by AllSides"),
        ("focus p/right", "none → from b.co.uk", "by AllSides"),
        ("focus p/left", "from a.fr → none", "a mistake"),
        ("focus p/right", "from b.co.uk → none", "a mistake"),
        ("focus dam", "dam → none", ""),
    ]


@pytest.mark.parametrize(
    ("foci", "error", "said"),
    [
        ({"dam": Focus("weir")}, UsageError, "there is a focus 'dam' already"),
        ({"DAM": Focus("weir")}, UsageError, "would be written to the same files"),
        ({"new": Focus("(weir")}, QueryError, "parenthesis|[(]"),
        ({"new": Focus("source_id:1")}, UsageError, "--focus new: pages of the web"),
        ({"new": Focus(collections=("Nobody",))}, NotFoundError, "Nobody"),
        ({"community/x": Focus("weir")}, UsageError, "--color-by"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(database, topic, foci, error, said):
    with pytest.raises(error, match=said):
        add_foci(database, topic, {"good": Focus("good"), **foci})
    assert again(database).foci == {"dam": Focus("dam")} and decisions(database, topic) == []
    with pytest.raises(NotFoundError, match="no focus 'river'"):
        remove_foci(database, topic, "river")
