from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.topics import TitledStory, same_story
from tearsheet.topics.spider.dedupe import group_duplicates

DAY = date(2018, 2, 2)


def story(title: str, day: date | None = DAY, media: str = "paper.example", id: str = "") -> TitledStory:
    return TitledStory(id or title, media, day, title)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("Washington Post: Nunes Releases FISA Memo", "Nunes Releases FISA Memo", True),
        ("Nunes Releases FISA Memo - The Paper", "Nunes releases FISA memo", True),
        ("The Paper | Nunes Releases FISA Memo", "Nunes Releases FISA Memo", True),
        ("Politics: Nunes Releases FISA Memo | The Paper", "Nunes Releases FISA Memo", True),
        ("Nunes &amp; Co Release Memo", "Nunes & Co release memo!", True),
        ("Politics: Senate Passes Budget Bill", "Politics: House Rejects Budget Bill", False),
        ("Live From The Capitol: Senate Passes Bill", "Live From The Capitol: House Rejects Bill", False),
        ("Live From The Capitol: Senate", "Live From The Capitol", False),
        ("Live Updates", "Live Updates", False),
        ("Nunes Releases FISA Memo", "Nunes Releases Second FISA Memo", False),
        ("A story about http://x.example - nunes releases fisa memo", "Nunes Releases FISA Memo", False),
    ],
)
def test_titles(a, b, same):
    assert same_story(story(a), story(b)) is same
    assert same_story(story(b), story(a)) is same
    assert bool(group_duplicates([story(a, id="1"), story(b, id="2")])) is same


def test_only_within_a_source_and_a_day():
    title = "Nunes Releases FISA Memo"
    assert not same_story(story(title), story(title, date(2018, 2, 3)))
    assert not same_story(story(title), story(title, media="other.example"))
    assert not same_story(story(title, None), story(title, None))


def test_groups_do_not_depend_on_the_order():
    stories = [story("Nunes Releases FISA Memo", id="b"), story("WP: Nunes Releases FISA Memo", id="a"),
               story("Nunes Releases FISA Memo - Post", id="c"), story("Something Else Entirely Happened", id="d")]  # fmt: skip
    assert group_duplicates(stories) == group_duplicates(stories[::-1]) == [["a", "b", "c"]]


@given(st.lists(st.text(alphabet="ab :|-", max_size=20), max_size=8))
def test_a_group_is_never_smaller_than_what_same_story_says(titles):
    stories = [story(title, id=f"{i:02}") for i, title in enumerate(titles)]
    of = {id: group for group in map(tuple, group_duplicates(stories)) for id in group}
    for a in stories:
        for b in stories:
            if a is not b and same_story(a, b):
                assert of[a.id] == of[b.id]
