"""Stories as JSON lines, CSV and Parquet."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from typing import Any

import pyarrow.parquet
import pytest

from tearsheet.engines.index.port import IndexedStory
from tearsheet.index.export import COLUMNS, csv_lines, jsonl_lines, write_parquet
from tearsheet.tables import BOM


def make(n: int, **more) -> IndexedStory:
    fields: dict[str, Any] = {
        "id": f"{n:064}",
        "story_id": str(n),
        "url": f"https://example.com/{n}",
        "canonical_domain": "example.com",
        "indexed_date": 1_700_000_000_123_456_789 + n,
        "article_title": f"Title, “{n}”",
        "text_content": "Two\nlines; 東京",
        "publication_date": "2024-01-05",
        "source_id": 3,
        "extra": {"authors": ["A"], "id": "not this one"},
    }
    return IndexedStory(**(fields | more))


def test_json_lines():
    (line,) = jsonl_lines([make(1)])
    row = json.loads(line)
    assert row["indexed_date"] == "2023-11-14T22:13:20.123456790Z"
    assert (row["id"], row["authors"], row["text_content"]) == (f"{1:064}", ["A"], "Two\nlines; 東京")


def test_csv():
    text = b"".join(csv_lines([make(1), make(2, publication_date=None, source_id=None)], bom=True))
    assert text.startswith(BOM)
    rows = list(csv.DictReader(io.StringIO(text.decode("utf-8-sig"), newline="")))
    assert list(rows[0]) == list(COLUMNS)
    assert rows[0]["text_content"] == "Two\nlines; 東京" and rows[0]["article_title"] == "Title, “1”"
    assert (rows[1]["publication_date"], rows[1]["source_id"]) == ("", "")


@pytest.mark.parametrize("title", ["=1+1", "+x", "-x", "@x", "\tx"])
def test_csv_holds_no_formula(title):
    text = b"".join(csv_lines([make(1, article_title=title)])).decode()
    assert next(csv.DictReader(io.StringIO(text, newline="")))["article_title"] == "'" + title


def test_parquet(tmp_path):
    stories = [make(n, publication_date=None if n % 2 else "2024-01-05") for n in range(4500)]
    assert write_parquet(iter(stories), tmp_path / "x.parquet") == 4500
    file = pyarrow.parquet.ParquetFile(tmp_path / "x.parquet")
    assert file.metadata.num_row_groups == 3
    table = file.read()
    assert table.column_names == list(COLUMNS)
    assert table["indexed_date"].cast("int64")[7].as_py() == stories[7].indexed_date
    assert table["publication_date"][1].as_py() is None and str(table["publication_date"][2]) == "2024-01-05"


def test_parquet_of_nothing(tmp_path):
    assert write_parquet([], tmp_path / "x.parquet") == 0
    assert pyarrow.parquet.read_table(tmp_path / "x.parquet").num_rows == 0


def test_memory_does_not_grow_with_the_number_of_stories():
    def stream():
        return (make(n, text_content="x" * 10_000) for n in range(3000))

    tracemalloc.start()
    for lines in (jsonl_lines(stream()), csv_lines(stream())):
        for _ in lines:
            pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000
