"""What becomes of a story by status and error, in the words of the original."""

import pytest

from tearsheet.fetch import FetchError
from tearsheet.fetch.model import ERROR_KINDS
from tearsheet.pipeline.fetcher import outcome_of_error, outcome_of_status, status_counter
from tearsheet.story import Exchange
from tearsheet.work.outcomes import Drop, Retry

HOP = [Exchange("http://a.example/", 302)]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 522, 524])
def test_retried_statuses(status):
    outcome = outcome_of_status(status, "x", 120.0)
    assert isinstance(outcome, Retry)
    assert (outcome.reason, outcome.after, outcome.keep) == (status_counter(status), 120.0, False)


@pytest.mark.parametrize(
    ("status", "reason"),
    [(201, "http-2xx"), (204, "http-2xx"), (304, "http-3xx"), (400, "http-4xx"), (401, "http-4xx"), (403, "http-403"),
     (404, "http-404"), (410, "http-4xx"), (451, "http-4xx"), (501, "http-5xx"), (520, "http-5xx"), (999, "http-9xx"),
     (302, "badredir")],
)  # fmt: skip
def test_dropped_statuses(status, reason):
    outcome = outcome_of_status(status, "x", None)
    assert isinstance(outcome, Drop) and outcome.reason == reason


def test_only_200_goes_on():
    assert outcome_of_status(200, "OK", None) is None
    assert [status_counter(status) for status in (429, 503)] == ["http-429", "http-5xx"]


@pytest.mark.parametrize(
    ("kind", "exchanges", "outcome", "reason"),
    [
        ("content-type", [], Drop, "not-text"),
        ("too-large", [], Drop, "oversized"),
        ("too-many-redirects", HOP, Drop, "maxredir"),
        ("bad-url", [], Drop, "bad-url"),
        ("bad-url", HOP, Drop, "badredir"),
        ("forbidden-address", [], Drop, "bad-host"),
        ("forbidden-address", HOP, Drop, "badredir"),
        *((kind, [], Retry, "noconn") for kind in ("unknown-host", "dns", "connect", "connect-timeout", "ssl")),
        *((kind, HOP, Retry, "noconn") for kind in ("read-timeout", "timeout", "protocol")),
    ],
)
def test_errors(kind, exchanges, outcome, reason):
    got = outcome_of_error(FetchError(kind, "detail", exchanges=exchanges))
    assert type(got) is outcome and got.reason == reason
    assert not isinstance(got, Retry) or not got.keep


def test_every_kind_of_error_has_an_outcome():
    for kind in ERROR_KINDS:
        assert isinstance(outcome_of_error(FetchError(kind, "")), (Drop, Retry))
