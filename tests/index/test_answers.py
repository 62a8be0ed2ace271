"""Every question, against counts that were made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tearsheet.engines.index.deadline import seconds_left
from tearsheet.engines.index.port import Page, Survey
from tearsheet.engines.index.tantivy import TantivyIndex
from tearsheet.errors import UsageError
from tearsheet.index import answers
from tearsheet.index.question import Question
from tearsheet.query import Query, QueryError, parse_query
from tearsheet.query.tree import Wildcard
from tests.support.index_stories import START, story

CLIMATE = parse_query("climate")


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    index = TantivyIndex(tmp_path_factory.mktemp("index"))
    index.add(
        [
            story("1", text="climate law", publication_date="2024-01-05"),
            story("2", text="climate policy climate", publication_date="2024-01-07", canonical_domain="b.example",
                  indexed_date=START + 2),
            story("3", text="football", publication_date="2024-01-05", indexed_date=START + 3),
            story("4", text="tennis", publication_date="2024-01-16", indexed_date=START + 4),
            story("5", title="Climate", text="東京で", publication_date="2024-03-01", language="ja", indexed_date=START + 5),
            story("6", text="climate undated", publication_date=None, indexed_date=START + 6),
        ]
    )  # fmt: skip
    index.refresh()
    yield index
    index.close()


def test_count(index):
    total = answers.count(index, CLIMATE)
    assert (total.count, total.total, round(total.share, 3)) == (4, 6, 0.667)
    assert answers.Total(0, 0).share == 0


def test_attention_has_no_gaps(index):
    days = answers.attention(index, CLIMATE)
    assert (days[0].date, days[-1].date, len(days)) == ("2024-01-05", "2024-03-01", 57)
    assert [(day.date, day.count, day.total) for day in days if day.total] == [
        ("2024-01-05", 1, 2), ("2024-01-07", 1, 1), ("2024-01-16", 0, 1), ("2024-03-01", 1, 1),
    ]  # fmt: skip
    assert days[0].share == 0.5 and days[1].share == 0
    months = answers.attention(index, CLIMATE, "month")
    assert [(month.date, month.count) for month in months] == [("2024-01-01", 2), ("2024-02-01", 0), ("2024-03-01", 1)]
    assert len(answers.attention(index, CLIMATE, "week")) == 9
    assert answers.attention(index, CLIMATE, "day", parse_query("nothing")) == []


def test_top(index):
    assert answers.top_sources(index, CLIMATE) == [("example.com", 3), ("b.example", 1)]
    assert answers.languages(index, CLIMATE, 1) == [("en", 3)]


def test_sources_over_time(index):
    rows = answers.sources_over_time(index, parse_query("law OR policy"))
    assert sorted((row.source, row.date, row.count, row.total, row.share) for row in rows) == [
        ("b.example", "2024-01-01", 1, 1, 1.0), ("example.com", "2024-01-01", 1, 2, 0.5),
    ]  # fmt: skip
    assert answers.sources_over_time(index, parse_query("nothing")) == []


def test_words(index):
    words = answers.words(index, CLIMATE)
    assert (words[0].word, words[0].count, words[0].stories, words[0].looked_at) == ("climate", 5, 4, 4)
    assert "東京" in {word.word for word in words} and "で" not in {word.word for word in words}


def test_stories(index):
    page = answers.stories(index, CLIMATE, limit=2)
    assert [one.url[-1] for one in page.stories] == ["5", "2"]
    rest = answers.stories(index, CLIMATE, limit=20, token=page.next_token)
    assert [one.url[-1] for one in rest.stories] == ["1", "6"], "without a day, last"
    assert [one.url[-1] for one in answers.all_stories(index, CLIMATE, text=False)] == ["5", "2", "1", "6"]
    by_indexing = answers.all_stories(index, CLIMATE, text=False, order="indexed-newest")
    assert [one.url[-1] for one in by_indexing] == ["6", "5", "2", "1"]
    assert {one.url[-1] for one in answers.sample(index, CLIMATE, 10)} == set("6521")


def test_an_order_by_relevance_never_ends_in_silence(index, monkeypatch):
    monkeypatch.setattr(answers, "MAX_OFFSET", 3)
    with pytest.raises(UsageError, match="relevance ends after 3 stories"):
        answers.all_stories(index, CLIMATE, order="relevance")
    with pytest.raises(UsageError):
        answers.all_stories(index, CLIMATE, order="relevance", limit=4)
    assert len(list(answers.all_stories(index, CLIMATE, order="relevance", limit=3))) == 3
    assert len(list(answers.all_stories(index, CLIMATE, limit=3))) == 3
    monkeypatch.setattr(answers, "MAX_OFFSET", 4)
    assert len(list(answers.all_stories(index, CLIMATE, order="relevance"))) == 4


@pytest.mark.parametrize("interval", ["day", "week", "month"])
@pytest.mark.parametrize("text", ["climate", "*", "nothing"])
def test_an_outline_says_what_each_question_by_itself_says(index, text, interval):
    question = Question(text, languages=("en",), limit=2)
    asked = question.ask(lambda *names: (set(), set()))
    found = answers.outline(index, question, asked, 5)
    assert found.attention(interval) == answers.attention(index, asked.query, interval, asked.everything)
    assert found.total == answers.count(index, asked.query, asked.everything)
    assert found.sources == answers.top_sources(index, asked.query, 5)
    assert found.languages == answers.languages(index, asked.query, 5)
    assert found.page == answers.stories(index, asked.query, limit=2)
    assert found.undated == index.count(parse_query(f"({text}) AND NOT publication_date:* AND language:en"))


def test_errors_come_before_the_first_story(tmp_path):
    empty = TantivyIndex(tmp_path)
    too_long = Query("too long", Wildcard("url", "?" * 100_000))
    with pytest.raises(QueryError):
        answers.all_stories(empty, too_long)  # and nobody asked for a story yet
    empty.close()


class SlowIndex:
    """Each question takes most of the time that is allowed for one; it remembers how much was left for each."""

    def __init__(self, clock: list[float]) -> None:
        self.left: list[float] = []
        self._clock = clock

    def _take(self) -> None:
        self.left.append(seconds_left(2))
        self._clock[0] += 1.5

    def count(self, query):
        self._take()
        return 1

    def over_time(self, query, interval):
        self._take()
        return [("2024-01-05", 1)]

    def search(self, query, **how):
        self._take()
        return Page([story("1")], "more" if len(self.left) < 3 else None)

    def survey(self, query, **how):
        self._take()
        return Survey(Page([]), 1, [("2024-01-05", 1)], [], [])

    def top_over_time(self, query, field, interval, limit):
        self._take()
        return [("example.com", "2024-01-05", 1)]


ASKED = Question("climate").ask(lambda *_: (set(), set()))


@pytest.mark.parametrize(
    "ask",
    [
        lambda index: answers.count(index, ASKED.query),
        lambda index: answers.attention(index, ASKED.query),
        lambda index: answers.outline(index, Question("climate"), ASKED, 5),
        lambda index: answers.sources_over_time(index, ASKED.query),
    ],
    ids=["count", "attention", "outline", "sources over time"],
)
def test_the_questions_for_one_answer_have_the_time_of_one(monkeypatch, ask):
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    slow = SlowIndex(now)
    ask(slow)
    assert slow.left == [2, 0.5]


def test_each_page_of_an_export_has_its_own_time_and_the_first_shares_it_with_the_count(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    slow: Any = SlowIndex(now)
    assert len(list(answers.all_stories(slow, ASKED.query, order="relevance"))) == 2
    assert slow.left == [2, 0.5, 2]


def test_words_of_stories_as_long_as_books_are_counted_up_to_a_point():
    text = "climate " * 100_000

    class Books:
        def sample(self, query, limit):
            return [story(str(n), text=text) for n in range(1000)]

    books: Any = Books()
    word = answers.words(books, CLIMATE)[0]
    assert word.word == "climate"
    assert 100 <= word.looked_at < 1000 and word.count * len("climate ") < 5_000_000
