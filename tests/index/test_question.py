"""One question, whoever asks: read, checked and put to the index in one way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tearsheet.cli import filters
from tearsheet.errors import NotFoundError, UsageError
from tearsheet.index import question as question_module
from tearsheet.index.question import ORDERS, Question, read_day, read_question
from tearsheet.query import QueryError, parse_query
from tearsheet.query.tree import Range, conjunction
from tearsheet.web.api.asking import SearchParameters
from tearsheet.web.asking import SearchForm

MEMBERS = {"Press": ({"b.example", "c.example"}, {2, 3}), "Empty": (set[str](), set[int]())}


class Catalogue:
    """Some sources: 1 is a.example, and so on; counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(
        self, source_ids: Sequence[int], collections: Sequence[str], collection_ids: Sequence[int]
    ) -> tuple[set[str], set[int]]:
        self.asked += 1
        names = [*collections, *(list(MEMBERS)[number - 1] for number in collection_ids)]
        if unknown := set(names) - set(MEMBERS):
            raise NotFoundError(f"there is no collection {unknown}")
        domains, ids = {f"{'abc'[number - 1]}.example" for number in source_ids}, set(source_ids)
        for name in names:
            domains, ids = domains | MEMBERS[name][0], ids | MEMBERS[name][1]
        return domains, ids


def found(question: Question) -> str:
    """Which of the stories a to d the question finds."""
    asked = question.ask(Catalogue())
    return "".join(
        name
        for number, name in enumerate("abcd", 1)
        if asked.query.matches(title="climate", canonical_domain=f"{name}.example", source_id=number)
    )


# ------------------------------------------------------------------------------------------ the same question everywhere

WORDS = st.sampled_from(["climate", "climate AND (policy OR law*)", '"sea wall"~5', "*", "港町", "title:a NOT b"])
DAYS = st.dates(date(1990, 1, 1), date(2030, 1, 1))
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))


@st.composite
def questions(draw: st.DrawFn) -> Question:
    days = sorted(draw(st.lists(DAYS, min_size=2, max_size=2)))
    start, end = (draw(st.sampled_from([None, day])) for day in days)
    some = st.lists(st.sampled_from(["a.example", "b.example"]), max_size=1).map(tuple)
    return Question(
        draw(WORDS), start, end, draw(some), collections=draw(st.sampled_from([(), ("Press",), ("Empty & odd=1",)])),
        languages=draw(st.sampled_from([(), ("en",), ("pt-br",)])), order=draw(st.sampled_from(sorted(ORDERS))),
        as_of=draw(st.none() | MOMENTS),
    )  # fmt: skip


def by_address(question: Question) -> Question:
    return SearchForm(**dict(parse_qsl(urlsplit(question.address()).query))).question()


def by_command(question: Question) -> Question:
    """The question that a command line with these words asks, read by typer as `tearsheet search` reads it."""
    read: list[Question] = []
    app = typer.Typer()

    @app.command()
    def search(
        query: filters.QueryArgument,
        start: filters.FromOption = "",
        end: filters.ToOption = "",
        source: filters.SourceOption = None,
        collection: filters.CollectionOption = None,
        language: filters.LanguageOption = None,
        as_of: filters.AsOfOption = "",
        order: str = "newest",
    ) -> None:
        read.append(
            filters.question_of(
                query,
                start=start,
                end=end,
                sources=source,
                collections=collection,
                languages=language,
                as_of=as_of,
                order=order,
            )
        )

    words = [question.text, *question.options(), "--order", question.order]
    assert CliRunner().invoke(app, words).exit_code == 0
    return read[0]


@given(questions())
def test_command_line_address_and_api_ask_the_same_question(question: Question) -> None:
    assert by_address(question) == question
    assert by_command(question) == question
    assert read_question(question.text, **question.filters(), order=question.order) == question
    start, end = (day.isoformat() if day else "" for day in (question.start, question.end))
    of_api = SearchParameters(question.text, start, end, as_of=question.filters()["as_of"]).question()
    assert of_api == Question(question.text, question.start, question.end, as_of=question.as_of)


@pytest.mark.parametrize(("ss", "cs", "sources", "collections"), [
    ("1", "", ["a.example"], []), ("", "1", [], ["Press"]), ("", "2", [], ["Empty"]), ("2,3", "", ["b.example", "c.example"], []),
])  # fmt: skip
def test_ids_mean_the_sources_that_names_mean(ss: str, cs: str, sources: list[str], collections: list[str]) -> None:
    by_name = read_question("climate", sources=sources, collections=collections)
    assert found(SearchParameters("climate", ss=ss, cs=cs).question()) == found(by_name)


# --------------------------------------------------------------------------------------------------------- what is refused

SENTENCE = r"the period would end \(2026-01-31\) before it starts \(2026-02-01\)"


@pytest.mark.parametrize("ask", [
    lambda start, end: SearchForm("x", start, end).question(),
    lambda start, end: SearchParameters("x", start, end).question(),
    lambda start, end: filters.question_of("x", start=start, end=end),
    lambda start, end: Question("x", date.fromisoformat(start), date.fromisoformat(end)),
])  # fmt: skip
def test_an_end_before_its_start_is_refused_everywhere_in_one_sentence(ask) -> None:
    with pytest.raises(UsageError, match=SENTENCE):
        ask("2026-02-01", "2026-01-31")
    assert ask("2026-02-01", "2026-02-01").start == date(2026, 2, 1)


def test_what_is_wrong_is_called_by_its_name() -> None:
    with pytest.raises(UsageError, match="--from: 'yesterday' is not a day; write it as 2026-11-15"):
        filters.question_of("x", start="yesterday")
    with pytest.raises(UsageError, match="start: 'yesterday' is not a day"):
        SearchForm("x", "yesterday").question()
    with pytest.raises(UsageError, match="--as-of: 'now' is not a moment"):
        filters.question_of("x", as_of="now")
    for ask in (SearchForm, SearchParameters):
        with pytest.raises(UsageError, match="as_of: 'now' is not a moment; write it as 2026-11-15T08:00:00Z"):
            ask("x", as_of="now").question()
    with pytest.raises(UsageError, match="the query cannot be read"):
        filters.question_of('"lone')
    with pytest.raises(QueryError):
        SearchForm('"lone').question()
    with pytest.raises(
        UsageError, match="order: 'best' is not one of newest, oldest, relevance, indexed-newest, indexed-oldest"
    ):
        Question("x", order="best")
    with pytest.raises(UsageError, match="limit"):
        Question("x", limit=-1)
    with pytest.raises(UsageError, match="--source: an empty value"):
        filters.question_of("x", sources=[" "])


@pytest.mark.parametrize(("text", "first", "last"), [
    ("2026-11-15", "2026-11-15", "2026-11-15"), (" 2026-11-15 ", "2026-11-15", "2026-11-15"),
    ("2026-02", "2026-02-01", "2026-02-28"),
    ("2024", "2024-01-01", "2024-12-31"), ("20261115", "2026-11-15", "2026-11-15"), ("2026-1-5", "2026-01-05", "2026-01-05"),
    ("2026-11-15T23:30:00-05:00", "2026-11-15", "2026-11-15"), ("2026-11-15 08:00", "2026-11-15", "2026-11-15"),
])  # fmt: skip
def test_a_day_is_written_in_several_ways(text: str, first: str, last: str) -> None:
    assert read_day(text, "start") == date.fromisoformat(first)
    assert read_day(text, "end", last=True) == date.fromisoformat(last)


@pytest.mark.parametrize(
    "text", ["yesterday", "2026-W24", "2026-13", "2026-02-30", "2026-11-15Tea", "2026-11-15x", "-1", "99999", "\x00"]
)
def test_what_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"start: .* is not a day"):
        read_day(text, "start")


@given(st.text(max_size=30))
def test_no_text_breaks_the_reader(text: str) -> None:
    for read in (read_day, question_module.read_moment):
        try:
            assert (read(text, "start") is None) == (not text.strip())
        except UsageError:
            assert text.strip()


# ------------------------------------------------------------------------------------------------------ what the index gets


def test_sources_and_collections_narrow() -> None:
    assert found(Question("climate")) == "abcd"
    assert found(Question("climate", sources=("a.example", "b.example"))) == "ab"
    assert found(Question("climate", collections=("Press",))) == "bc"
    assert found(Question("climate", collections=("Empty",))) == ""
    assert found(Question("climate", sources=("a.example", "b.example"), collections=("Press",))) == "b"
    assert found(Question("climate", source_ids=(1,), collection_ids=(1,))) == "abc"
    with pytest.raises(NotFoundError):
        Question("climate", collections=("Nope",)).ask(Catalogue())


def test_everything_is_the_same_frame_without_the_query() -> None:
    frame: dict[str, Any] = {
        "start": date(2026, 1, 1),
        "end": date(2026, 2, 1),
        "languages": ("en",),
        "as_of": datetime(2026, 3, 1, tzinfo=UTC),
    }
    one = Question("climate", sources=("a.example",), collections=("Press",), **frame)
    other = replace(one, text="*")
    assert one.ask(Catalogue()).everything.tree == other.ask(Catalogue()).query.tree
    assert one.ask(Catalogue()).query.tree == parse_query("climate").within(
        start=date(2026, 1, 1), end=date(2026, 2, 1), domains={"a.example"}, languages=["en"],
        indexed_until=1_772_323_200_000_000_999,
    ).within(domains={"b.example", "c.example"}, sources={2, 3}).tree  # fmt: skip


@pytest.mark.parametrize(
    ("moment", "last"), [("0001-01-01", -1), ("1970-01-01", 999), ("9999-12-31T23:59:59.999999", 2**63 - 1)]
)
def test_a_moment_is_a_number_that_every_index_can_compare(moment: str, last: int) -> None:
    asked = read_question("*", as_of=moment).ask(Catalogue())
    assert asked.query.tree == conjunction([parse_query("*").tree, Range("indexed_date", None, last)])


def test_the_catalogue_is_asked_once_or_not_at_all() -> None:
    catalogue = Catalogue()
    Question("climate", sources=("a.example",)).ask(catalogue)
    assert catalogue.asked == 0
    Question("climate", source_ids=(1,), collections=("Press", "Empty"), collection_ids=(1,)).ask(catalogue)
    assert catalogue.asked == 1


def test_a_question_in_english() -> None:
    assert Question("*").explain() == "All stories"
    press = Question("climate", collections=("Press",))
    assert press.explain() == "Stories with “climate”, from sources of the collection “Press”"
    both = replace(press, sources=("a.example",))
    assert both.explain() == "Stories with “climate” and from a.example, from sources of the collection “Press”"


def test_an_address_has_what_differs() -> None:
    past = read_question("a", as_of="2026-11-15T09:00:00+01:00")
    assert past.address() == "/search?q=a&as_of=2026-11-15T08%3A00%3A00Z"
    assert past.plain().address() == "/search?q=a"
    question = read_question("a b", start="2026-11", languages=["EN"], token="x")
    assert question.address() == "/search?q=a+b&start=2026-11-01&language=en"
    assert question.address("/search.csv", language="", domain="a.example", by=None) == (
        "/search.csv?q=a+b&start=2026-11-01&domain=a.example"
    )
    assert question.plain().address() == "/search?q=a+b"
    with pytest.raises(ValueError, match="room for one"):
        Question("x", sources=("a.example", "b.example")).address()
