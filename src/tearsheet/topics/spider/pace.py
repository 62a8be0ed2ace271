"""How often a topic fetches from one source. `fetch` is polite to hosts; this is the topic's own limit on top."""

from __future__ import annotations


def is_missed(turn: float, now: float, seconds_per_media_fetch: float) -> bool:
    """Whether a reserved turn was missed, as when the machine slept: others may have been missed too, and must not all be
    made up for at once.
    """
    return now - turn > seconds_per_media_fetch


def wait_for_media(last_fetch: float | None, now: float, seconds_per_media_fetch: float) -> float:
    """Seconds until a source may be fetched from again; 0 if it may be now."""
    if last_fetch is None:
        return 0.0
    return max(0.0, last_fetch + seconds_per_media_fetch - now)
