"""Tables as CSV, JSON lines and Parquet."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from datetime import UTC, date, datetime
from itertools import count, islice
from pathlib import Path

import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tearsheet.tables
from tearsheet.tables import BOM, csv_lines, guarded, jsonl_lines, unguarded, write_parquet

FORMULAS = [
    "=1+1", "+x", "-x", "@x", "\tx", "\rx", "\nx", " =1+1", "\n =1+1", "\r\n=1", "\xa0=1", "\u3000=1", "\ufeff=1", "\u200b=1",
    "\u202e=1", "\x01=1", "\x1b=1", "\x9b=1", "\xad=1", "\uff1dA1", "\uff0bA1", "\uff0dA1", "\uff20A1", " \u200b\uff1dA1",
    "\ufe66A1", "\ufe62A1", "\ufe63A1", "\ufe6bA1", "\u207cA1", "''=1",
]  # fmt: skip


def read(lines: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(lines.decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula(text):
    assert read(b"".join(csv_lines(["a"], [[text]]))) == [["a"], ["'" + text]]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("x;=1+1", "x;'=1+1"),
        ("x\t=1+1", "x\t'=1+1"),
        ("x; \u200b+1;y;@z", "x;' \u200b+1;y;'@z"),
        ("=1;'=1", "'=1;''=1"),
        (" \t=1", "' \t'=1"),
    ],
)
def test_no_part_of_a_cell_is_a_formula_where_others_see_a_cell_end(text, written):
    assert guarded(text) == written and unguarded(written) == text


@given(st.text("';\t =+x\u200b\n", max_size=12))
def test_a_guard_can_be_taken_off_wherever_it_is(text):
    found = guarded(text)
    assert unguarded(found) == text
    assert not any(re.match(r"[\s\u200b]*[=+]", cell) for cell in re.split("[;\t]", found)), found


@pytest.mark.parametrize(
    "text", ["", "'", "a=1", "1+1", "\u200bx", " x", "it's =", "\u2013 x", "http://a.example/?a=b"]
)
def test_other_texts_are_left_alone(text):
    assert guarded(text) == text


def test_every_sign_that_a_program_may_fold_into_a_formula_is_guarded():
    for number in range(0x110000):
        if unicodedata.normalize("NFKC", chr(number))[:1] in {"=", "+", "-", "@"}:
            assert guarded(f"{chr(number)}A1") == f"'{chr(number)}A1", f"{number:x}"


def test_tables_are_written_in_one_place():
    """Nothing else in the program writes CSV, so nothing can forget the guard."""
    writing = re.compile(r"csv\w*\.(?:writer|DictWriter)\(|\.to_csv\(|write_csv\(")
    sources = Path(tearsheet.tables.__file__).parent
    assert [path.name for path in sources.rglob("*.py") if writing.search(path.read_text("utf-8"))] == ["tables.py"]


def test_numbers_and_plain_texts_are_as_they_were():
    lines = b"".join(csv_lines(["a", "b", "c", "d"], [[-1, None, "it's", 0.5]]))
    assert lines == b"a,b,c,d\r\n-1,,it's,0.5\r\n"
    assert b"".join(csv_lines(["a"], [["x"]], bom=True, line_end="\n")) == BOM + b"a\nx\n"


@given(st.one_of(st.text(), st.text("'=+-@\t\rx", max_size=5)))
def test_the_guard_can_be_undone(text):
    assert unguarded(guarded(text)) == text
    assert not guarded(text).startswith(tuple("=+-@\t\r"))


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=2, max_size=2)))
def test_csv_holds_every_cell(rows):
    found = read(b"".join(csv_lines(["a", "b"], rows)))
    assert [[unguarded(cell) for cell in row] for row in found[1:]] == rows


def test_half_characters_do_no_harm():
    assert b"".join(csv_lines(["a"], [["x\ud800"]])) == b"a\r\nx?\r\n"
    assert b"".join(jsonl_lines([{"a": "x\ud800"}], spaced=True)) == b'{"a": "x?"}\n'


def test_json_lines_have_two_spellings():
    records = [{"a": 1, "b": ["é", None]}, {}]
    assert b"".join(jsonl_lines(records)) == '{"a":1,"b":["é",null]}\n{}\n'.encode()
    assert b"".join(jsonl_lines(records, spaced=True)) == '{"a": 1, "b": ["é", null]}\n{}\n'.encode()
    moment = datetime(2026, 11, 15, tzinfo=UTC)
    assert json.loads(next(jsonl_lines([{"at": moment}], spaced=True))) == {"at": "2026-11-15 00:00:00+00:00"}


def test_rows_are_asked_for_as_they_are_written():
    endless = csv_lines(["n"], ([n] for n in count()))
    assert list(islice(endless, 3)) == [b"n\r\n", b"0\r\n", b"1\r\n"]
    assert list(islice(jsonl_lines({"n": n} for n in count()), 2)) == [b'{"n":0}\n', b'{"n":1}\n']


def test_parquet_keeps_the_types_that_are_named():
    file = io.BytesIO()
    rows = ([n, date(2026, 11, 15), None, "x", 0.5] for n in range(5000))
    types = {"n": "number", "day": "day", "at": "moment", "text": "text", "share": "real"}
    assert write_parquet(list(types), rows, file, types) == 5000
    found = pyarrow.parquet.ParquetFile(file)
    assert found.metadata.num_row_groups == 3
    assert [str(kind) for kind in found.schema_arrow.types] == [
        "int64",
        "date32[day]",
        "timestamp[ns, tz=UTC]",
        "string",
        "double",
    ]
    last = {"n": 4999, "day": date(2026, 11, 15), "at": None, "text": "x", "share": 0.5}
    assert found.read().to_pylist()[4999] == last
