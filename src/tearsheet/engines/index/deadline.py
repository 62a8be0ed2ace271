"""The deadline of a question to the index, and what is told when it has passed."""

from __future__ import annotations

from tearsheet.errors import TooSlow
from tearsheet.query import Query, expensive_part

QUERY_SECONDS = 2.0
"""The default of the setting `engines.query_seconds`."""
SETTING = "engines.query_seconds"


def too_slow(query: Query, seconds: float, why: str = "") -> TooSlow:
    """The error for a query that was stopped. `why` says what happened, if not that the time was up."""
    problem = why or f"took longer than {seconds:g} s ({SETTING}) and was stopped"
    return TooSlow(f"this query {problem}; it has {expensive_part(query.tree)}, or allow more time")
