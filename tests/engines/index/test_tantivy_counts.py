"""Counts by source and time on tantivy, in parts and by difference, beside counts made in plain Python."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import date, timedelta

import pytest

from tearsheet.engines.index import tantivy_counts
from tearsheet.engines.index.port import IndexedStory
from tearsheet.engines.index.tantivy import TantivyIndex
from tearsheet.query import parse_query
from tests.support.index_stories import story

DOMAINS = [f"site{n}.example" for n in range(40)] + ['a"b.example', "a.*b.example", "a\\b.example", "[a-z].example"]


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch):
    """So that some hundred stories need what otherwise a million do."""
    monkeypatch.setattr(tantivy_counts, "MAX_BUCKETS", 60)
    monkeypatch.setattr(tantivy_counts, "_FEW", 5)


@pytest.fixture
def index(tmp_path):
    with_words = TantivyIndex(tmp_path / "index")
    yield with_words
    with_words.close()


@pytest.fixture
def differences(monkeypatch):
    """Whether each answer was made by difference."""
    made: list[str] = []
    plain = tantivy_counts.CountsByValue._by_difference

    def noted(*args):
        found = plain(*args)
        made.append("not counted" if found is None else "counted")
        return found

    monkeypatch.setattr(tantivy_counts.CountsByValue, "_by_difference", noted)
    return made


def stories(first: int, count: int) -> list[IndexedStory]:
    chance = random.Random(first)
    days = [None, *(date(2024, 1, 1) + timedelta(days=n) for n in range(80))]
    made = []
    for number in range(first, first + count):
        day = chance.choice(days)
        words = [word for word, part in (("most", 0.9), ("half", 0.5), ("some", 0.1)) if chance.random() < part]
        domain = DOMAINS[min(int(chance.expovariate(0.1)), len(DOMAINS) - 1)] if chance.random() < 0.95 else ""
        made.append(
            story(
                f"n{number}",
                text=" ".join([*words, "all"]),
                canonical_domain=domain,
                publication_date=day.isoformat() if day else None,
            )
        )
    return made


def counted(there: list[IndexedStory], word: str, interval: str) -> dict[tuple[str, str], int]:
    """Stories with a word by domain and first day, one by one."""
    cells: Counter[tuple[str, str]] = Counter()
    for one in there:
        if one.publication_date and one.canonical_domain and (word == "*" or word in one.text_content.split()):
            day = date.fromisoformat(one.publication_date)
            week = day - timedelta(days=day.weekday())
            first = {"day": day, "week": week, "month": day.replace(day=1)}[interval]
            cells[one.canonical_domain, first.isoformat()] += 1
    return dict(cells)


def asked(index: TantivyIndex, word: str, interval: str) -> dict[tuple[str, str], int]:
    rows = index.top_over_time(parse_query(word), "canonical_domain", interval, 50)
    assert all(count for _, _, count in rows)
    assert [row[:2] for row in rows] == list(dict.fromkeys(row[:2] for row in rows))
    return {(domain, first): count for domain, first, count in rows}


def test_parts_and_differences_give_every_count(index, differences):
    there = stories(0, 1500)
    index.add(there)
    index.refresh()
    for word in ("all", "most", "half", "some", "*"):
        for interval in ("day", "week", "month"):
            assert asked(index, word, interval) == counted(there, word, interval), (word, interval)
    assert differences == ["counted"] * 3


def test_the_most_frequent_come_first_in_order_of_time(index, differences):
    there = stories(0, 1500)
    index.add(there)
    index.refresh()
    rows = index.top_over_time(parse_query("most"), "canonical_domain", "week", 10)
    assert list(dict.fromkeys(domain for domain, _, _ in rows)) == [
        domain for domain, _ in index.top(parse_query("most"), "canonical_domain", 10)
    ]
    for domain in {domain for domain, _, _ in rows}:
        weeks = [week for name, week, _ in rows if name == domain]
        assert weeks == sorted(weeks)
    assert differences == ["counted"]


def test_stories_that_come_later_are_added_to_what_was_counted(index, differences):
    there: list[IndexedStory] = []
    for first in (0, 300, 301, 900):
        new = stories(first, 600 if first else 300)
        results = index.add(new)
        there += [one for one, result in zip(new, results, strict=True) if result.status == "created"]
        index.refresh()
        assert asked(index, "most", "week") == counted(there, "most", "week")
    assert differences == ["counted"] * 4


def test_a_look_at_an_earlier_moment_counts_that_moment(index, differences):
    there = stories(0, 600)
    index.add(there)
    index.refresh()
    with index._reader._searching(parse_query("most")) as (earlier, query):
        index.add(stories(600, 600))
        index.refresh()
        asked(index, "most", "week")
        rows = index._reader._by_value.top_over_time(earlier, query, "canonical_domain", "week", 50)
    assert {(domain, week): count for domain, week, count in rows} == counted(there, "most", "week")
    assert differences == ["counted", "not counted"]


def test_stories_that_a_killed_writer_left_are_counted_once(tmp_path, differences):
    there = stories(0, 600)
    index = TantivyIndex(tmp_path / "index")
    index.add(there)
    index.refresh()
    index.close()
    with (
        closing(sqlite3.connect(tmp_path / "index" / "stories.db")) as db,
        db,
    ):  # as if the note of the commit had been lost
        assert db.execute("UPDATE state SET value = 0 WHERE name = 'indexed_number'").rowcount == 1
    index = TantivyIndex(tmp_path / "index")
    there += stories(600, 1)
    index.add(there[-1:])
    index.refresh()
    assert asked(index, "most", "week") == counted(there, "most", "week")
    index.close()
    assert differences == ["counted"]


def test_more_domains_than_can_be_counted_at_once_are_counted_as_they_are(index, differences):
    there = [story(f"n{n}", text="all", canonical_domain=f"d{n % 80}.example") for n in range(200)]
    index.add(there)
    index.refresh()
    rows = index.top_over_time(parse_query("all"), "canonical_domain", "week", 50)
    expected = counted(there, "all", "week")
    assert len(rows) == 50
    assert all(expected[domain, week] == count for domain, week, count in rows)
    assert differences == ["not counted"]
