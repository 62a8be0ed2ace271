"""What changed between two snapshots."""

from __future__ import annotations

from datetime import date

from tearsheet.topics.snapshot.changes import Change, changes_between, same_communities
from tearsheet.topics.snapshot.frozen import Frozen, FrozenStory


def snapshot(stories: str, *links: str) -> Frozen:
    """A story of each source, which has its letter as id; links are pairs of letters."""
    held = sorted(set(stories))
    return Frozen(
        "T", "q", None, None, (), (),
        tuple(
            FrozenStory(id, f"http://{id}.example/", f"{id}.example", id.upper(), "page", date(2024, 1, 1), "meta", "en", 0, "")
            for id in held
        ),
        tuple(sorted((held.index(link[0]), held.index(link[1])) for link in links)),
    )  # fmt: skip


def url(id: str) -> str:
    return f"http://{id}.example/"


def test_stories_and_links_that_come_and_go():
    before, after = snapshot("abc", "ab", "bc"), snapshot("abd", "ab", "ad")
    assert [one for one in changes_between(before, after) if one.change != "moved community"] == [
        Change("entered", url("d"), title="D"),
        Change("left", url("c"), title="C"),
        Change("gained link", url("a"), after=url("d")),
        Change("lost link", url("b"), after=url("c")),
    ]
    assert changes_between(before, before) == []


def test_a_source_that_moved_is_told_with_the_most_linked_sources_of_its_communities():
    triangles = ("ab", "bc", "ca", "de", "ef", "fd", "gd", "hd")
    before = snapshot("abcdefghx", *triangles, "xa", "xb")
    after = snapshot("abcdefghx", *triangles, "xd", "xe")
    moved = [one for one in changes_between(before, after) if one.change == "moved community"]
    assert moved == [Change("moved community", "x.example", "a.example", "d.example")]


def test_communities_are_the_same_whatever_their_numbers():
    before = {"a": 0, "b": 0, "c": 0, "d": 1, "e": 1, "f": 2}
    after = {"a": 1, "b": 1, "c": 0, "d": 0, "e": 0, "g": 2}
    assert same_communities(before, after) == {0: 1, 1: 0}
    assert same_communities({}, after) == {}
