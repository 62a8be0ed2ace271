"""The figures that identify a result."""

import hashlib
from datetime import date
from random import Random

from tearsheet.index.citation import Citation, Result, describe, sentence
from tests.support.index_stories import story


def test_the_digest_is_that_of_the_ids_whatever_their_order():
    stories = [
        story(f"s{n}", canonical_domain=f"{n % 3}.example", publication_date=f"2026-05-0{n + 1}") for n in range(7)
    ]
    expected = hashlib.sha256("".join(one.id + "\n" for one in sorted(stories, key=lambda one: one.id)).encode())
    result = describe(stories)
    assert result == Result(7, 3, "2026-05-01", "2026-05-07", expected.hexdigest())
    Random(1).shuffle(stories)
    assert describe(stories) == result
    assert describe(stories[1:]).sha256 != result.sha256


def test_nothing_found_and_no_dates_can_be_cited_too():
    assert describe([]) == Result(0, 0, None, None, hashlib.sha256(b"").hexdigest())
    assert describe([story("s", publication_date=None)]).first_day is None


def test_the_sentence_has_all_that_a_reader_needs():
    citation = Citation(
        "flood", "…", {"as_of": "2026-11-15T08:00:00Z"}, Result(3, 2, "2026-05-01", "2026-05-07", "ab12"), "…", "1.0"
    )
    text = sentence(citation, date(2026, 11, 16))
    for part in (
        "3 stories of 2 sources",
        "2026-05-01 to 2026-05-07",
        "“flood”",
        "1.0",
        "2026-11-15T08:00:00Z",
        "2026-11-16",
        "ab12",
    ):
        assert part in text
