"""What came of asking hubs to tell of feeds' news, as commands show it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tearsheet.clock import utc_now
from tearsheet.engines.database import Database
from tearsheet.feeds import polling
from tearsheet.masking import shown_url

HUB_LIST = {
    "id": "id", "url": "address", "hub": "hub", "hub_state": "state", "hub_since": "since", "hub_until": "until",
    "hub_last_push": "last push", "hub_says": "what came of it",
}  # fmt: skip


def with_hubs(database: Database, feeds: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """These feeds, each with its hub, its state, since and until when it tells of news, and why the feed is polled if it is."""
    found, now = polling.subscriptions_of(database, [feed["id"] for feed in feeds]), utc_now()
    rows = []
    for feed in feeds:
        one = found.get(feed["id"])
        hub = {
            "hub": one and shown_url(one.hub),
            "hub_state": one and one.state,
            "hub_since": one and one.active_since,
            "hub_until": one and one.lease_until,
            "hub_last_push": one and one.pushed_at,
            "hub_says": one and polling.hub_text(one, now),
        }
        rows.append(feed | hub)
    return rows
