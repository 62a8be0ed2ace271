"""Definitions of topics that would lose something, or find nothing, are refused with what to write instead."""

from datetime import date

import pytest

from tearsheet.errors import UsageError
from tearsheet.topics.definition import check_definition
from tearsheet.topics.foci import Focus
from tearsheet.topics.model import NewTopic

DAY, LATER = date(2024, 5, 1), date(2024, 5, 2)


@pytest.mark.parametrize(
    "new",
    [
        NewTopic("T", "flood", max_iterations=0, max_stories=1, seconds_per_media_fetch=0.0),
        NewTopic("T", "flood AND canonical_domain:a.example", foci={"a b": Focus("river"), "a c": Focus("dam")}),
        NewTopic("T", "*", timespans=((DAY, DAY), (DAY, LATER))),
    ],
)
def test_what_makes_sense_is_taken(new):
    check_definition(new)


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (NewTopic(" ", "flood"), "needs a name"),
        (NewTopic("x" * 201, "flood"), "at most 200 characters"),
        (NewTopic("T", "flood", max_iterations=-5), "--iterations: 0 takes the seeds alone"),
        (NewTopic("T", "flood", max_stories=0), "--max-stories: a topic needs room"),
        (NewTopic("T", "flood", seconds_per_media_fetch=-1.0), "--seconds: give 0 or more"),
        (NewTopic("T", "flood", seconds_per_media_fetch=float("nan")), "--seconds: give 0 or more"),
        (NewTopic("T", "flood", timespans=((LATER, DAY),)), "before it starts"),
        (
            NewTopic("T", "flood", foci={"a b": Focus("river"), "A-b": Focus("dam")}),
            "'a b' and 'A-b' would be written to the same",
        ),
        (NewTopic("T", "flood", foci={" ": Focus("river")}), "a focus needs a name"),
        (NewTopic("T", "flood", foci={"x" * 51: Focus("river")}), "at most 50 characters"),
        (NewTopic("T", "flood", foci={"focus/one": Focus("river")}), "give the set of 'focus/one' another name"),
        (NewTopic("T", "flood", foci={"one": Focus("source_id:1")}), "--focus one: pages of the web have no source_id"),
        (NewTopic("T", "flood AND NOT media_id:1"), "pages of the web have no source_id"),
    ],
)
def test_what_makes_no_sense_is_refused(new, said):
    with pytest.raises(UsageError, match=said):
        check_definition(new)
