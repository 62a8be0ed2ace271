"""What a feed's hub does for it, or why the feed is polled all the same, as a sentence."""

from __future__ import annotations

from datetime import datetime

from tearsheet.counts import how_many
from tearsheet.feeds.polling.websub import ACTIVE, ASKED, ENDING, TRUSTED_FOR, WANTED, is_relied_on
from tearsheet.feeds.polling.websub_store import Subscription

_POLLED = "the feed is polled as if it had no hub"


def hub_text(subscription: Subscription, now: datetime) -> str:
    """What became of a subscription."""
    one = subscription
    if one.state == ENDING:
        return f"The subscription is being ended; {_POLLED}."
    if one.lease_until and one.lease_until > now and one.state in (ACTIVE, ASKED):
        since = f" since {_day(one.active_since)}" if one.active_since else ""
        told = f"Subscribed{since} until {_day(one.lease_until)}"
        if one.pushed_at is None:
            return f"{told}; its hub has not told of any news so far, so {_POLLED}."
        if not is_relied_on(one.state, one.lease_until, one.pushed_at, now):
            return f"{told}; its hub has told of no news for {TRUSTED_FOR.days} days ({_day(one.pushed_at)}), so {_POLLED}."
        return f"{told}; its hub told of news on {_day(one.pushed_at)}, so polls are only to make sure."
    if one.state == WANTED:
        return f"Its hub is to be asked at the next occasion; until then {_POLLED}."
    why = f" ({one.note})" if one.note else ""
    again = f"it is asked again on {_day(one.ask_at)}; {_POLLED}."
    if one.state in (ASKED, ACTIVE):
        ended = f"The subscription ended on {_day(one.lease_until)}. " if one.lease_until else ""
        return f"{ended}Its hub was asked {how_many(one.asked, 'time')} and has not agreed{why}; {again}"
    return f"Its hub does not tell of news{why or ': it never called back'}; {again}"


def _day(time: datetime | None) -> str:
    return f"{time:%Y-%m-%d %H:%M}" if time else "?"
