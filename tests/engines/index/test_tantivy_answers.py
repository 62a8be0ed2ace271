"""What comes back from a process for expensive questions is data, of the type that the question returns, and nothing else."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.engines.index.tantivy_answers import pack_answer, unpack_answer
from tearsheet.engines.index.tantivy_counts import Figures
from tearsheet.engines.index.tantivy_reader import WordReader
from tearsheet.errors import EngineError, NotFoundError, StorageError, TearsheetError
from tearsheet.query import QueryError

ANSWERS: list[tuple[Callable[..., Any], Any]] = [
    (WordReader.count, 40),
    (WordReader.page, ([3, 2**40], "token")),
    (WordReader.page, ([], None)),
    (WordReader.sample, [1, 2]),
    (WordReader.over_time, [("2026-11-15", 3)]),
    (WordReader.top, [("a.example", 3)]),
    (WordReader.top_over_time, [("a.example", "2026-11-09", 3)]),
    (WordReader.survey, (([1], None), Figures(1, [("2026-11-15", 1)], [("a.example", 1)], [("en", 1)]))),
]


@pytest.mark.parametrize(("question", "answer"), ANSWERS, ids=lambda value: getattr(value, "__name__", ""))
def test_every_answer_comes_back_as_it_was(question, answer):
    assert unpack_answer(pack_answer(answer), question) == answer


@pytest.mark.parametrize("error", [QueryError("no such field"), EngineError("gone"), StorageError("full")])
def test_an_error_is_raised_by_whoever_asked(error):
    with pytest.raises(type(error), match=str(error)):
        unpack_answer(pack_answer(error), WordReader.count)


def test_an_error_of_another_kind_is_one_of_the_engine():
    with pytest.raises(EngineError, match="nothing there"):
        unpack_answer(pack_answer(NotFoundError("nothing there")), WordReader.count)


class Malice:
    def __reduce__(self):
        return (exec, ("raise SystemExit('taken over')",))


@pytest.mark.parametrize(
    "data", [pickle.dumps(Malice()), pickle.dumps(40), b"", pack_answer("forty"), pack_answer([40])]
)
def test_nonsense_is_an_error_and_is_never_run(data):
    with pytest.raises(EngineError, match="nonsense"):
        unpack_answer(data, WordReader.count)


@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.integers(-5, 2**40) | st.text(), st.lists).map(msgspec.msgpack.encode)
)
def test_no_bytes_break_the_reader(data):
    for question, _ in ANSWERS:
        with suppress(TearsheetError):
            unpack_answer(data, question)
