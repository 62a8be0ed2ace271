"""How often a topic fetches from one source. The manners towards hosts are `fetch`'s; this is the topic's own limit on top."""

from __future__ import annotations


def wait_for_media(last_fetch: float | None, now: float, seconds_per_media_fetch: float) -> float:
    """Seconds until a source may be fetched from again; 0 when it may be now."""
    if last_fetch is None:
        return 0.0
    return max(0.0, last_fetch + seconds_per_media_fetch - now)
