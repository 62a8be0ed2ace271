"""Status, weight and detail of a poll that failed, by what went wrong."""

from __future__ import annotations

from tearsheet.feeds.formats import EMPTY, HTML, NO_VERSION, TOO_LARGE
from tearsheet.feeds.polling.schedule import SOFT
from tearsheet.feeds.polling.statuses import FETCH_ERRORS, PARSE_ERROR
from tearsheet.fetch import FetchError
from tearsheet.work import Quarantine


def failure_of(error: FetchError) -> tuple[str, float, str]:
    """Of a request without an answer."""
    status, weight = FETCH_ERRORS[error.kind]
    return status, weight, f"{error.kind}: {error.detail}"


def unreadable(error: Quarantine) -> tuple[str, float, str]:
    """Of a document that was refused, or exceeded a limit while it was read."""
    if error.reason == TOO_LARGE:
        status, weight = FETCH_ERRORS["too-large"]
        return status, weight, f"too-large: {error.detail}"
    detail = error.detail if error.reason in (EMPTY, HTML, NO_VERSION) else f"{error.reason}: {error.detail}"
    return PARSE_ERROR, SOFT, detail
