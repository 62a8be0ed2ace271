"""When the run of a topic is given up: after too many errors of our own, or when it makes no progress for too long."""

from __future__ import annotations

from tearsheet.topics.model import Progress

_LEAST_ERRORS = 10
"""How many errors are tolerated, however small the topic is."""


def why_given_up(progress: Progress, idle: float, *, max_error_share: float, stuck_seconds: float) -> str:
    """Why a run cannot go on that has made no progress for `idle` seconds; empty if it can."""
    allowed = max(_LEAST_ERRORS, max_error_share * (progress.links + progress.stories + 1))
    if progress.errors > allowed:
        return f"{progress.errors:,} errors of our own are more than the {allowed:,.0f} allowed"
    if idle > stuck_seconds and not progress.done:
        return f"no progress for {idle:,.0f} s, waiting for {progress.describe_waiting()}"
    return ""
