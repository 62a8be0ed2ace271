from __future__ import annotations

import io
import random

import pytest

from tearsheet.pipeline.queuers.csv_rows import csv_rows, separator_of
from tearsheet.pipeline.queuers.rows import Problem, Unreadable
from tests.support.growth import assert_linear

TABLE = [["url", "title"], ["http://a.example/1", 'one, "two"\nthree; four'], ["http://a.example/2", ""]]


def rows(data: bytes) -> list[list[str] | str]:
    found = csv_rows(io.BytesIO(data), ["url"])
    return [row.reason if isinstance(row, Problem) else row for _, row in found]


def written(separator: str) -> str:
    return "".join(separator.join('"' + cell.replace('"', '""') + '"' for cell in row) + "\r\n" for row in TABLE)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_files_of_spreadsheets(separator, encoding):
    text = written(separator)
    bom = "\ufeff" if encoding == "utf-16-be" else ""
    assert rows(f"{bom}{text}".encode(encoding)) == [[cell.replace("\n", "\n") for cell in row] for row in TABLE]


def test_a_quote_that_is_never_closed_spoils_one_row():
    assert rows(b'url,title\na,"b\nc,d\ne,f\n') == [["url", "title"], "bad-row", ["c", "d"], ["e", "f"]]
    swallowing = b'url,title\na,"b\nc,d\ne,"f"\ng,h\n'
    assert rows(swallowing) == [["url", "title"], "bad-row", ["c", "d"], ["e", "f"], ["g", "h"]]


@pytest.mark.parametrize("line", ["sep=;", "SEP=;", '"sep=;"', "\ufeffsep=;"])
def test_a_line_above_the_rows_names_the_separator(line):
    assert rows(f"{line}\r\nhttp://a.example/1,2;x\r\n".encode()) == [["http://a.example/1,2", "x"]]


def test_the_separator_may_be_one_that_we_would_not_look_for():
    assert rows(b"sep=|\nurl|t\na|b\n") == [["url", "t"], ["a", "b"]]
    assert rows(b"sep=\t\nurl\tt\n") == [["url", "t"]]
    assert rows(b'sep="\nurl,t\n') == [['sep="'], ["url", "t"]]


def test_a_row_knows_its_first_line():
    found = list(csv_rows(io.BytesIO(b'url,t\na,"1\n2\n3"\nb,c\n'), ["url"]))
    assert [number for number, _ in found] == [1, 2, 5]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xff\xfe"])
def test_a_file_without_rows_is_not_read(data):
    with pytest.raises(Unreadable) as caught:
        rows(data)
    assert caught.value.problem.reason == "empty"


@pytest.mark.parametrize(
    ("first", "separator"),
    [
        ("id;url", ";"), ("id,url", ","), ("id\turl", "\t"), ("http://a.example/1;x", ","), ("http://a.example/1\tx", "\t"),
    ],
)  # fmt: skip
def test_the_separator(first, separator):
    assert separator_of(first, ["url"]) == separator


@pytest.mark.parametrize("line", ['a,"b\n', '"\n', '"",""\n', 'a,"b""\n'])
def test_time_grows_with_the_file(line):
    assert_linear(lambda data: list(csv_rows(io.BytesIO(data), ["url"])), lambda n: b"url,t\n" + line.encode() * n, 500)


def test_no_bytes_raise_anything_else():
    chance = random.Random(4)
    for _ in range(300):
        data = bytes(chance.choices(b'a,;"\n\r\t\0\xff\xfe', k=chance.randrange(60)))
        try:
            rows(data)
        except Unreadable:
            continue
