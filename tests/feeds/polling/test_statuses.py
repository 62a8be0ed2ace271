"""Which failures weigh how much, and the strings that others read."""

from __future__ import annotations

import pytest

from tearsheet.feeds.polling.schedule import HARD, SOFT
from tearsheet.feeds.polling.statuses import FETCH_ERRORS, WORKING, added_note, http_status_text, http_weight, note
from tearsheet.fetch.model import ERROR_KINDS


@pytest.mark.parametrize("code", [404, 408, 425, 429, 500, 503, 599])
def test_codes_that_often_pass_are_soft(code):
    assert http_weight(code) == SOFT


@pytest.mark.parametrize("code", [400, 401, 403, 405, 410, 451])
def test_other_codes_are_hard(code):
    assert http_weight(code) == HARD


def test_every_kind_of_fetch_error_has_a_status_and_a_weight():
    assert set(FETCH_ERRORS) == set(ERROR_KINDS)


def test_the_status_has_the_servers_own_phrase_or_the_standard_one():
    assert http_status_text(404, "Nothing   here") == "HTTP 404 Nothing here"
    assert http_status_text(404, "") == "HTTP 404 Not Found"
    assert http_status_text(799, "") == "HTTP 799"
    assert len(http_status_text(500, "x" * 1000)) == 120


def test_a_note_names_the_status_unless_all_is_well():
    assert note(WORKING, added_note(2, 3)) == "2 skipped / 3 added"
    assert note("read timeout", "30 s") == "read timeout; 30 s"
    assert note("parse error") == "parse error"
    assert "\0" not in note("parse error", "a\0b")
