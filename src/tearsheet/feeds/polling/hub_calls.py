"""What hubs say when they call: that they will tell of news, that they will not, and that there is some."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from tearsheet.engines.database import Database
from tearsheet.feeds.polling import websub_store
from tearsheet.feeds.polling.websub import (
    ACTIVE,
    ASKED,
    ENDING,
    MOST_CHALLENGE,
    REFUSED,
    REFUSED_FOR,
    granted_lease,
    is_signed,
    renew_at,
)


def confirm_subscription(database: Database, token: str, said: Mapping[str, str], now: datetime) -> str | None:
    """A hub asks whether we asked: returns its challenge if we did, an empty text when it only told us of a refusal, None if not.

    Only what is awaited is confirmed: a stranger can neither begin nor end nor prolong a subscription.
    """
    subscription = websub_store.by_token(database, token)
    mode, challenge = said.get("hub.mode", ""), said.get("hub.challenge", "")
    if subscription is None or said.get("hub.topic") != subscription.topic:
        return None
    if mode == "denied":
        reason = f"denied: {said.get('hub.reason', '')}"[:500]
        until = now + REFUSED_FOR
        websub_store.change(
            database,
            subscription,
            state=REFUSED,
            ask_at=until,
            asked=0,
            lease_until=None,
            note=reason,
            active_since=None,
        )
        return ""
    if not challenge or len(challenge) > MOST_CHALLENGE:
        return None
    if mode == "unsubscribe" and subscription.state == ENDING:
        websub_store.drop(database, subscription)
        return challenge
    if mode == "subscribe" and subscription.state in (ASKED, ACTIVE) and subscription.asked:
        lease = granted_lease(said.get("hub.lease_seconds"))
        goes_on = subscription.lease_until is not None and subscription.lease_until >= now
        websub_store.change(
            database,
            subscription,
            state=ACTIVE,
            asked=0,
            lease_until=now + lease,
            ask_at=renew_at(now, lease),
            note=None,
            active_since=subscription.active_since if goes_on and subscription.active_since else now,
        )
        return challenge
    return None


def take_push(
    database: Database, token: str, body: bytes, signature: str | None, now: datetime, apart: timedelta
) -> bool | None:
    """A hub tells of news: its feed is polled soon. None if nobody was told this token, False if it is not signed as agreed.

    Of what it sends nothing is believed but that there is something: what the feed says is read from the feed.
    """
    subscription = websub_store.by_token(database, token)
    if subscription is None or subscription.state not in (ASKED, ACTIVE):
        return None
    if not is_signed(subscription.secret, body, signature):
        return False
    websub_store.poll_soon(database, subscription, now, apart)
    return True
