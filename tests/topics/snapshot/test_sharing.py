"""Who shares what, worked out by hand."""

from datetime import date

import msgspec

from tearsheet.topics.snapshot import sharing
from tearsheet.topics.snapshot.frozen import FrozenPage, FrozenPost
from tearsheet.topics.snapshot.sharing import pairs_of, sharing_of
from tearsheet.topics.snapshot.timespans import Counting, Timespan

OVERALL = Timespan("overall", None, None)


def test_two_are_joined_by_what_both_have():
    pages = [{"a", "b", "c"}, {"a", "b"}, {"a", "b"}, {"b", "c"}, {"d"}]
    assert pairs_of(pages, 1) == ((("a", "b", 3), ("a", "c", 1), ("b", "c", 2)), 0, 0)
    assert pairs_of(pages, 2) == ((("a", "b", 3), ("b", "c", 2)), 0, 0)
    assert pairs_of([], 1) == ((), 0, 0)


def test_what_everybody_shares_joins_nobody_and_is_counted(monkeypatch):
    monkeypatch.setattr(sharing, "MOST_SHARING", 3)
    assert pairs_of([set("abcd"), set("ab")], 1) == ((("a", "b", 1),), 1, 0)


def test_of_very_many_pairs_the_strongest_are_taken_and_the_others_counted(monkeypatch):
    pages = [{"a", "b", "c", "d"}, {"c", "d"}, {"b", "d"}]
    monkeypatch.setattr(sharing, "MOST_PAIRS", 3)
    assert pairs_of(pages, 1) == ((("a", "b", 1), ("b", "d", 2), ("c", "d", 2)), 0, 3)
    assert pairs_of(pages, 2) == ((("b", "d", 2), ("c", "d", 2)), 0, 0)


def test_pairs_are_counted_some_at_a_time_as_all_at_once(monkeypatch):
    pages = [{chr(97 + (n * k) % 11) for k in range(1, 5)} for n in range(1, 60)]
    whole = pairs_of(pages, 1)
    monkeypatch.setattr(sharing, "_BATCH", 3)
    assert pairs_of(pages, 1) == whole
    assert sum(shared for *_, shared in whole[0]) == sum(len(page) * (len(page) - 1) // 2 for page in pages)


def test_sources_share_stories_of_the_topic_and_pages_beyond_it(frozen):
    numbers = [int(story.id) for story in frozen.stories]
    place = {number: i for i, number in enumerate(numbers)}
    report = FrozenPage("p", "http://report.example/", "report.example", (place[2], place[7], place[10]))
    frozen = msgspec.structs.replace(frozen, pages=(report,))
    found = sharing_of(Counting(frozen), OVERALL, 1)
    # 14 is linked to by 2 and 7, of two sources; 10 by 2 and 5, of one.
    assert [(page.url, page.stories_id, page.source_count, page.story_count) for page in found.pages] == [
        ("http://report.example/", None, 3, 3),
        ("http://f.example/14", f"{14:064}", 2, 2),
    ]
    assert found.media_pairs == (
        ("a.example", "d.example", 2),
        ("a.example", "f.example", 1),
        ("d.example", "f.example", 1),
    )
    early = sharing_of(Counting(frozen), Timespan("custom", date(2024, 1, 2), date(2024, 1, 3)), 1)
    assert (early.pages, early.media_pairs) == ((), ())


def test_posts_join_their_authors_and_channels(frozen):
    day = date(2024, 1, 2)
    posts = (
        FrozenPost(0, "1", "ann", "x", day),
        FrozenPost(0, "2", "bob", "x", day),
        FrozenPost(1, "1", "ann", "x", day),
        FrozenPost(1, "3", "bob", "y", date(2024, 1, 9)),
    )
    frozen = msgspec.structs.replace(frozen, posts=posts)
    found = sharing_of(Counting(frozen), OVERALL, 2)
    assert found.author_pairs == (("ann", "bob", 2),)
    assert found.channel_pairs == ()
    assert found.authors == (("bob", 2, 2), ("ann", 1, 2))
    assert found.channels == (("x", 2, 2), ("y", 1, 1))
    assert [(post.id, len(post.stories)) for post in found.posts] == [("1", 2), ("2", 1), ("3", 1)]
    even = sharing_of(Counting(frozen), Timespan("overall", None, None, "even"), 1)
    assert {story for post in even.posts for story in post.stories} == {frozen.stories[1].id}
