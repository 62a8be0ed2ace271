"""The figures of a timespan, worked out by hand."""

from datetime import date

import msgspec

from tearsheet.topics.snapshot.timespans import Counting, Timespan, timespans_of


def test_counts_between_sources(frozen):
    overall = Counting(frozen).figures(Timespan("overall", None, None))
    inlinks = {int(row.story.id): row.inlink_count for row in overall.stories if row.inlink_count}
    assert inlinks == {8: 1, 9: 1, 10: 2, 14: 2}
    assert {int(row.story.id): row.media_inlink_count for row in overall.stories if row.media_inlink_count} == {
        8: 1, 9: 1, 10: 1, 14: 2,
    }  # fmt: skip
    assert {int(row.story.id): row.outlink_count for row in overall.stories if row.outlink_count} == {
        2: 3, 3: 1, 5: 1, 7: 1,
    }  # fmt: skip
    media = {row.media: row for row in overall.media}
    assert overall.medium_links == (
        ("a.example", "d.example", 2),
        ("a.example", "f.example", 3),
        ("d.example", "f.example", 1),
    )
    assert (media["f.example"].story_count, media["f.example"].media_inlink_count) == (4, 2)
    assert (media["f.example"].inlink_count, media["f.example"].sum_media_inlink_count) == (4, 3)
    assert (media["a.example"].facebook_share_count, media["d.example"].facebook_share_count) == (3, None)
    assert len(overall.story_links) == 6


def test_a_timespan_has_its_days_and_what_they_link_to(frozen):
    custom = Counting(frozen).figures(Timespan("custom", date(2024, 1, 2), date(2024, 1, 3)))
    assert sorted(int(row.story.id) for row in custom.stories) == [2, 3, 8, 9, 10, 14]
    assert len(custom.story_links) == 4
    even = Counting(frozen).figures(Timespan("overall", None, None, "even"))
    assert sorted(int(row.story.id) for row in even.stories) == [2, 4, 8, 10, 14]


def test_timespans(frozen):
    names = [span.name for span in timespans_of(frozen)]
    whole = [
        "overall", "weekly-2024-01-01-2024-01-07", "weekly-2024-01-08-2024-01-14", "weekly-2024-01-15-2024-01-21",
        "weekly-2024-01-22-2024-01-28", "weekly-2024-01-29-2024-02-04", "monthly-2024-01-01-2024-01-31",
        "custom-2024-01-02-2024-01-03",
    ]  # fmt: skip
    assert names == [*whole, *(f"{name}-even" for name in whole)]  # each focus in each period


def test_a_source_has_the_foci_of_its_stories_the_most_frequent_first(frozen):
    foci = {1: ("b", "even"), 2: ("even",), 3: ("b",), 4: ("even",), 7: ("a",), 8: ("b",)}
    stories = tuple(msgspec.structs.replace(one, foci=foci.get(int(one.id), ())) for one in frozen.stories)
    figures = Counting(msgspec.structs.replace(frozen, stories=stories)).figures(Timespan("overall", None, None))
    assert {row.media: row.foci for row in figures.media} == {
        "a.example": ("even", "b"), "d.example": ("a", "b"), "f.example": (),
    }  # fmt: skip
