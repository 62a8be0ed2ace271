from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.engines.broker.port import Message, Output
from tearsheet.work.journey import DUE, RETRIES, WHAT, WHEN, WHO, RetryRule, fate_of, forwarded, replayed, tries_before
from tearsheet.work.outcomes import Drop, Quarantine, Requeue, Retry, Skipped
from tearsheet.work.queues import message_summary

RULE = RetryRule(max_retries=3, first_seconds=10, longest_seconds=60)
MESSAGE = Message(b"story", {"kept": "yes"}, "host.example", b"page")


def test_a_drop_ends_the_journey_with_its_reason():
    fate = fate_of("parser", MESSAGE, Drop("too-short", "12 characters"), RULE, 1.0)
    assert (fate.outputs, fate.status, fate.reason, fate.detail) == ((), "dropped", "too-short", "12 characters")


def test_a_requeue_does_not_count_and_changes_nothing():
    fate = fate_of("fetcher", MESSAGE, Requeue("busy", after=7), RULE, 1.0)
    assert fate.outputs == (Output("fetcher-in", MESSAGE, 7),)
    assert fate.status is None


def test_a_retry_counts_and_says_who_and_what():
    fate = fate_of("fetcher", MESSAGE, Retry("http-5xx", "503"), RULE, 1.0)
    (output,) = fate.outputs
    assert output.queue == "fetcher-in"
    assert 9 <= output.delay <= 11
    assert output.message.headers[RETRIES] == 1
    assert output.message.headers[WHO] == "fetcher"
    assert output.message.headers[WHAT] == "http-5xx: 503"
    assert output.message.headers["kept"] == "yes"
    assert fate.status == "retrying"


def test_after_the_last_retry_a_story_is_dropped_or_kept_aside():
    tired = Message(b"story", {RETRIES: 3})
    assert fate_of("fetcher", tired, Retry("noconn"), RULE, 1.0).status == "dropped"
    kept = fate_of("fetcher", tired, Retry("noconn", keep=True), RULE, 1.0)
    assert kept.status == "quarantined"
    assert kept.outputs[0].queue == "fetcher-quar"


def test_a_try_that_was_skipped_does_not_hide_the_cause_of_the_one_before():
    skipped = Skipped("skipped", "the host could not be reached lately")
    message = MESSAGE
    for outcome in (Retry("noconn", "bad certificate"), skipped, skipped):
        fate = fate_of("fetcher", message, outcome, RULE, 1.0)
        assert (fate.status, fate.reason) == ("retrying", outcome.reason)
        message = fate.outputs[0].message
        assert message.headers[WHAT] == "noconn: bad certificate"
    last = fate_of("fetcher", message, skipped, RULE, 1.0)
    assert (last.status, last.reason) == ("dropped", "noconn")
    assert last.detail == "bad certificate; then the host could not be reached lately"
    never_tried = fate_of("fetcher", Message(b"s", {RETRIES: 3}), skipped, RULE, 1.0)
    assert (never_tried.status, never_tried.reason) == ("dropped", "skipped")


def test_a_defect_is_retried_and_then_kept_aside():
    first = fate_of("parser", MESSAGE, ZeroDivisionError("oh"), RULE, 1.0)
    assert (first.status, first.reason, first.detail) == ("retrying", "error", "ZeroDivisionError: oh")
    last = fate_of("parser", Message(b"s", {RETRIES: 3}), ZeroDivisionError("oh"), RULE, 1.0)
    assert last.status == "quarantined"


def test_quarantine_keeps_the_story_and_its_page():
    (output,) = fate_of("parser", MESSAGE, Quarantine("crash"), RULE, 1.0).outputs
    assert (output.queue, output.delay) == ("parser-quar", 0)
    assert output.message.body is MESSAGE.body
    assert output.message.page is MESSAGE.page


def test_the_next_stage_starts_with_no_retries_and_so_does_a_replay():
    tried = Message(b"s", {RETRIES: 2, WHO: "fetcher", "kept": "yes"})
    assert forwarded(tried, b"t", b"", "h").headers == {"kept": "yes"}
    assert replayed(tried).headers[RETRIES] == 0


@given(st.integers(1, 200), st.floats(0, 1), st.one_of(st.none(), st.floats(0, 1e6)))
def test_delays_grow_are_bounded_and_never_less_than_asked_for(retries, chance, at_least):
    delay = RULE.delay(retries, at_least, chance)
    assert delay >= (at_least or 0)
    assert delay <= max(RULE.longest_seconds * 1.1, at_least or 0)
    assert RULE.delay(retries + 1, at_least, chance) >= delay


@pytest.mark.parametrize("odd", ["abc", "", "9" * 5_000, -5, 1e300, math.inf, math.nan, "\0"])
def test_headers_that_others_made_up_end_no_worker(odd):
    """A dumped queue can be loaded from anyone's file; one message must not stop all who read its queue."""
    message = Message(b"story", dict.fromkeys((RETRIES, WHEN, DUE, WHAT, WHO), odd))
    assert 0 <= tries_before(message) <= 1_000_000
    assert fate_of("parser", message, Retry("later"), RULE, 5.0).status in ("retrying", "dropped")
    assert fate_of("parser", message, Drop("why"), RULE, 5.0).status == "dropped"
    assert message_summary(message)["retries"] == tries_before(message)
