"""Why a question found nothing: one reason, the first in the way."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime

import pytest

from tearsheet.engines.index import open_index
from tearsheet.index import Question, first_and_last_day, why_no_stories
from tests.support.index_stories import story

STORIES = [
    story("1", "Harbour wall", "The climate council", canonical_domain="harbour.example", publication_date="2024-01-05"),
    story("2", "Old cinema", "The climate of the cinema", canonical_domain="river.example", publication_date="2024-02-01"),
]  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    opened = open_index("index", tmp_path_factory.mktemp("emptiness"))
    opened.add(STORIES)
    opened.refresh()
    yield opened
    opened.close()


def no_members(
    source_ids: Sequence[int], collections: Sequence[str], collection_ids: Sequence[int]
) -> tuple[set[str], set[int]]:
    return set(), set()


def why(index, question: Question, *, archived: bool = False) -> str:
    assert not index.count(question.ask(no_members).query)
    return why_no_stories(index, question, lambda other: other.ask(no_members), "tearsheet-data", lambda: archived)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (Question("*", sources=("harbor.example",)), "of the source 'harbor.example'; did you mean harbour.example?"),
        (Question("*", sources=("x.org",)), "of the source 'x.org'; `tearsheet count '*' --by source` shows them"),
        (Question("*", languages=("de",)), "of the language 'de'; `tearsheet count '*' --by language` shows them"),
        (Question("climate", start=date(2026, 1, 1)), "of these days: the index has stories from 2024-01-05 to 2024-02-01."),
        (
            Question("climate", start=date(2024, 2, 1), sources=("harbour.example",)),
            "No stories of these days: the index has stories of these sources from 2024-01-05 to 2024-01-05.",
        ),
        (Question("climate", as_of=datetime(2020, 1, 1, tzinfo=UTC)), "none had been indexed at 2020-01-01 00:00 UTC"),
        (Question("*", collections=("Empty",)), "the index of tearsheet-data has none of these sources and collections"),
        (Question("zeppelin"), "no story in the index has “zeppelin”."),
        (Question("zeppelin AND climate OR (airship NOT wall)"), "no story in the index has “zeppelin” or “airship”."),
        (Question('"council wall" AND clim*'), "no story in the index has “council wall”."),
        (Question("cinema AND wall"), "the index has “cinema” and “wall”, but no story as asked."),
        (Question("cinema", sources=("harbour.example",)), "No stories match within these days, sources and languages."),
    ],
)  # fmt: skip
def test_the_first_thing_in_the_way_is_told(index, question, told):
    assert told in why(index, question)


def test_an_empty_index_is_told_with_its_folder(tmp_path):
    empty = open_index("index", tmp_path)
    assert "the index of tearsheet-data is empty" in why(empty, Question("climate"))
    assert "`tearsheet run FEED` collects some" in why(empty, Question("climate"))
    assert "`tearsheet index rebuild` fills it again" in why(empty, Question("climate"), archived=True)
    assert first_and_last_day(empty) is None
    empty.close()
