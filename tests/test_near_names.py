import time

import pytest

from tearsheet.near_names import MOST_COMPARED, did_you_mean, near_names

PAPERS = ["harbour-herald.example", "lighthouse-ledger.example", "Local press", "parser-quar", "parser-in", "Floods"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("harbor-herald.example", ["harbour-herald.example"]),
        ("harbor.example", ["harbour-herald.example"]),
        ("local press", ["Local press"]),
        ("parser-qar", ["parser-quar"]),
        ("flods", ["Floods"]),
        ("ledger", ["lighthouse-ledger.example"]),
        ("herald", ["harbour-herald.example"]),
        ("nothing like it", []),
        ("in", []),
        ("", []),
        ("  Floods ", ["Floods"]),
    ],
)
def test_the_name_that_was_meant_is_found(written: str, meant: list[str]):
    assert near_names(written, PAPERS) == meant


def test_no_more_than_asked_for_and_the_likeliest_first():
    assert near_names("floods", ["moods", "flood", "floors", "blood"], most=2) == ["flood", "floors"]


def test_the_advice_is_given_where_nothing_is_near():
    assert did_you_mean("flods", PAPERS, "`tearsheet topic list` shows them") == "did you mean Floods?"
    assert did_you_mean("xyz", PAPERS, "`tearsheet topic list` shows them") == "`tearsheet topic list` shows them"
    assert did_you_mean("parser", ["parser-in", "parser-quar"], "") == "did you mean parser-in or parser-quar?"


def test_a_long_list_takes_no_longer_than_its_beginning():
    names = [f"paper-{number:07d}.example" for number in range(20 * MOST_COMPARED)]
    started = time.process_time()
    assert near_names("paper-0000001.exampel", names)
    assert time.process_time() - started < 5
