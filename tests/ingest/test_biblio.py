"""Dates and identifiers as pages write them."""

from __future__ import annotations

import pytest

from tearsheet.ingest.biblio import clean_doi, clean_isbn13, clean_issn, release_time


@pytest.mark.parametrize(
    ("values", "day", "year"),
    [
        (["2020"], None, 2020),
        (["2020-9"], None, 2020),
        (["", "2020/09/10"], "2020-09-10", 2020),
        (["20200115"], "2020-01-15", 2020),
        (["2019/13/40"], None, 2019),
        (["yesterday"], None, None),
        (["Jul-Aug 2002"], None, 2002),
        (["0020"], None, None),
    ],
)
def test_release_time(values, day, year):
    assert release_time(values) == (day, year)


def test_identifiers():
    assert clean_doi("DOI: 10.1234/Ab.c).") == "10.1234/ab.c"
    assert clean_doi("10.12/x") is None
    assert clean_issn("ISSN 1234567x") == "1234-567X"
    assert clean_isbn13("978-0-306-40615-7") == "9780306406157"
    assert clean_isbn13("978-0-306-40615-8") is None
