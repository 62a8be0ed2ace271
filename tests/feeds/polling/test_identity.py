"""By what an entry is known, over simulated histories of feeds: each story once and none lost, whatever a feed does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.feeds.polling.identity import Sighting, known_by_guid

START = datetime(2026, 11, 1, 9, 30, tzinfo=UTC)
DAYS = 7


@dataclass(frozen=True)
class Story:
    """What a publisher has, before a feed makes entries of it."""

    number: int

    @property
    def as_entry(self) -> Sighting:
        title = f"word{self.number} about thing{self.number * 7} and place{self.number * 13}"
        link = f"http://site.test/{self.number}"
        time = START + timedelta(hours=3 * self.number, minutes=self.number % 50)
        return Sighting(link, link, title, time, text=f"what happened at place{self.number * 13}")


Habit = Callable[[Story, int, int, Random], Sighting]
"""How a feed makes an entry of a story, given its place in the document, the number of the poll and chance."""


def permalinks(story: Story, place: int, poll: int, random: Random) -> Sighting:
    return story.as_entry


def links_that_rotate(story: Story, place: int, poll: int, random: Random) -> Sighting:
    return replace(story.as_entry, guid=f"id-{story.number}", link=f"http://site.test/go/{random.random()}")


def links_and_times_that_rotate(story: Story, place: int, poll: int, random: Random) -> Sighting:
    return replace(links_that_rotate(story, place, poll, random), published=START + timedelta(hours=poll))


def links_that_rotate_without_titles(story: Story, place: int, poll: int, random: Random) -> Sighting:
    return replace(links_that_rotate(story, place, poll, random), title=None)


def links_that_rotate_with_texts_alone(story: Story, place: int, poll: int, random: Random) -> Sighting:
    return replace(links_that_rotate(story, place, poll, random), title=None, published=None)


def links_that_rotate_with_comments_in_titles(story: Story, place: int, poll: int, random: Random) -> Sighting:
    entry = links_that_rotate(story, place, poll, random)
    return replace(entry, title=f"{entry.title} {poll} comments", published=None)


def sections_that_always_say_the_same(story: Story, place: int, poll: int, random: Random) -> Sighting:
    return replace(story.as_entry, guid=f"section-{place}", text=f"news of section {place}")


def guids_that_rotate(story: Story, place: int, poll: int, random: Random) -> Sighting:
    return replace(story.as_entry, guid=str(random.random()))


def one_guid_for_all(story: Story, place: int, poll: int, random: Random) -> Sighting:
    return replace(story.as_entry, guid="http://site.test/")


def numbers_of_places(story: Story, place: int, poll: int, random: Random) -> Sighting:
    return replace(story.as_entry, guid=str(place))


def numbers_of_places_and_days(story: Story, place: int, poll: int, random: Random) -> Sighting:
    day = START.replace(hour=0, minute=0) + timedelta(days=poll)
    return replace(story.as_entry, guid=str(place), published=day)


def numbers_of_places_without_titles(story: Story, place: int, poll: int, random: Random) -> Sighting:
    return replace(story.as_entry, guid=str(place), title=None, published=None)


def a_guid_for_the_lead(story: Story, place: int, poll: int, random: Random) -> Sighting:
    return replace(story.as_entry, guid="lead") if place == 0 else story.as_entry


def edited_addresses(story: Story, place: int, poll: int, random: Random) -> Sighting:
    return replace(story.as_entry, guid=f"id-{story.number}", link=f"http://site.test/{story.number}/{poll // 2}")


HABITS: list[Habit] = [
    permalinks,
    links_that_rotate, links_and_times_that_rotate, links_that_rotate_without_titles, guids_that_rotate, one_guid_for_all,
    links_that_rotate_with_texts_alone, links_that_rotate_with_comments_in_titles, sections_that_always_say_the_same,
    numbers_of_places, numbers_of_places_and_days, numbers_of_places_without_titles, a_guid_for_the_lead, edited_addresses,
]  # fmt: skip


def stored(habit: Habit, length: int, arrivals: list[int], seed: int) -> list[int]:
    """The numbers of the stories that are stored when a feed of this length is polled again and again."""
    random, kept, links = Random(seed), list[tuple[Sighting, int]](), set[str]()
    published = 0
    for poll, new in enumerate(arrivals):
        published += new
        shown = [Story(number) for number in range(published, max(0, published - length), -1)]
        document = [habit(story, place, poll, random) for place, story in enumerate(shown)]
        guids = {entry.guid for entry in document}
        moved = known_by_guid(document, [one for one, _ in kept if one.guid in guids], DAYS)
        for entry, story in zip(document, shown, strict=True):
            if entry.link not in links and entry.link not in moved:
                links.add(entry.link)
                kept.append((entry, story.number))
    return [number for _, number in kept]


@pytest.mark.parametrize("habit", HABITS)
@given(
    length=st.integers(3, 12),
    first=st.integers(3, 12),
    later=st.lists(st.integers(0, 3), max_size=12),
    seed=st.integers(0, 99),
)
def test_each_story_is_stored_once(habit: Habit, length: int, first: int, later: list[int], seed: int) -> None:
    found = stored(habit, length, [first, *later], seed)
    assert len(found) == len(set(found)), "a story was stored twice"
    last = first + sum(later)
    assert set(found) == set(range(max(1, first - length + 1), last + 1)), "a story was lost"


def test_an_edited_story_is_the_same_in_a_feed_that_keeps_its_guids() -> None:
    others = [replace(Story(number).as_entry, guid=f"id-{number}") for number in (1, 2)]
    before = Sighting("id-3", "http://site.test/ferry-sinks", "ferry sinks off the coast", START)
    after = Sighting("id-3", "http://site.test/ferry-sank", "ferry sank off the coast", START + timedelta(hours=2))
    assert known_by_guid([*others, after], [*others, before], DAYS) == {after.link: before}
    assert known_by_guid([after], [before], DAYS) == {}, "nothing shows that this feed keeps its guids"
    other = replace(after, title="elections are held on sunday")
    assert known_by_guid([*others, other], [*others, before], DAYS) == {}, "nothing but the guid is the same"


def test_a_column_of_one_entry_under_one_guid_is_new_after_some_days() -> None:
    before = Sighting("column", "http://site.test/1", "letters to the editor", START)
    after = replace(before, link="http://site.test/2", published=START + timedelta(days=DAYS))
    assert known_by_guid([after], [before], DAYS) == {}
    soon = replace(after, published=START + timedelta(days=1))
    assert known_by_guid([soon], [before], DAYS) == {soon.link: before}


def test_one_text_under_one_guid_may_be_what_a_column_always_says() -> None:
    before = Sighting("photo", "http://site.test/1", text="the photograph of the day")
    assert known_by_guid([replace(before, link="http://site.test/2")], [before], DAYS) == {}
