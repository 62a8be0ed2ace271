"""When a feed publishes, learned from the times of its entries, and the best moment to ask it again. Pure functions.

A poll costs a request, and a story that waits to be found costs its wait. The next poll is at the moment at which both together,
for each story that is then to be expected, are the least: often while a feed publishes, soon after a burst that comes at its
hour, and hardly ever in the hours and on the days on which it rests.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

HALF_LIFE = timedelta(days=14)
"""What was seen two weeks ago counts half: a paper that changes its hours is understood within weeks."""
HISTORY = timedelta(days=28)
"""How far back the first document is believed to tell of the feed's habits: of older stories it may have dropped some."""
SHORTEST_HISTORY = timedelta(hours=3)
"""Stories that all bear the time of one moment, such as that of a rebuilt site, are not taken for the pace of a day."""
KNOWN_STORIES, KNOWN_DAYS = 3.0, 3.0
"""From so many stories, or after so many days of watching, a rhythm is trusted."""
STORY_MINUTES = 300.0
"""How many minutes of one story's waiting a request is worth, at eagerness 1."""
HOUR_PRIOR, DAY_PRIOR = 6.0, 7.0
"""As many stories as these, spread evenly, are assumed beside those seen: a few stories make no habit."""
HOURS_AFTER, WEEKDAYS_AFTER = 2.0, 10.0
"""Days of watching before the hours, and the days of the week, are believed: one on which nobody looked is not silent."""
MAX_WEIGHT = 10.0
"""For how many stories one that was seen may stand at most, where others came and went unseen."""
SAFE_SHARE = 0.33
"""A poll comes before this share of a document is expected to be new, so that nothing leaves it unseen."""
_DAY_MINUTES = 1440.0


@dataclass(slots=True, frozen=True)
class Rhythm:
    """How much a feed published, and when; older observations count less."""

    at: datetime
    """Up to when it was watched."""
    stories: float
    days: float
    """How long it was watched."""
    hours: tuple[float, ...]
    """Stories by hour of the day, UTC."""
    weekdays: tuple[float, ...]
    """Stories by day of the week, Monday first, UTC."""
    room: int = 0
    """How many entries its last document had; 0 when that is not known."""

    @property
    def is_known(self) -> bool:
        """Whether enough was seen to go by it."""
        return self.stories >= KNOWN_STORIES or self.days >= KNOWN_DAYS

    @property
    def stories_a_day(self) -> float:
        """How many stories to expect in a day. A feed that has shown none for a while may still publish one."""
        return (self.stories + 0.5) / (self.days + 1.0)


def learn(before: Rhythm | None, dates: Sequence[datetime], added: int, room: int, now: datetime) -> Rhythm:
    """What is known after a poll of a document with `room` entries, of which `added` are new, and some bear these dates.

    Dates count that lie between the last look and now; of the first document, those of the last weeks.
    """
    at = before.at if before else _first_look(dates, now)
    fresh = sorted(date for date in dates if at < date <= now)
    weight = _unseen_weight(fresh, added, room, at, now) if before else 1.0
    kept = 0.5 ** ((now - at) / HALF_LIFE) if before else 1.0
    hours = [count * kept for count in (before.hours if before else (0.0,) * 24)]
    weekdays = [count * kept for count in (before.weekdays if before else (0.0,) * 7)]
    for date in (date.astimezone(UTC) for date in fresh):
        weekdays[date.weekday()] += weight
        if date.hour or date.minute or date.second:  # else only the day was stated
            hours[date.hour] += weight
    # What is new and bears no date, or one of long ago, was published at some time since the last look.
    count = max(len(fresh), added) if before else len(fresh)
    return Rhythm(
        at=now,
        stories=(before.stories if before else 0.0) * kept + count * weight,
        days=(before.days if before else 0.0) * kept + (now - at) / timedelta(days=1),
        hours=tuple(hours),
        weekdays=tuple(weekdays),
        room=room or (before.room if before else 0),
    )


def _unseen_weight(fresh: Sequence[datetime], added: int, room: int, at: datetime, now: datetime) -> float:
    """For how many stories each new one stands. If all of a document is new, others came and went before its oldest entry."""
    if added < room or not room:
        return 1.0
    if len(fresh) < added:
        return 2.0
    return min(max((now - at) / max(now - fresh[0], timedelta(minutes=1)), 1.0), MAX_WEIGHT)


def _first_look(dates: Sequence[datetime], now: datetime) -> datetime:
    past = [date for date in dates if date <= now]
    if not past:
        return now
    return max(now - HISTORY, min(min(past), now - SHORTEST_HISTORY))


def typical_minutes(rhythm: Rhythm, eagerness: float) -> float:
    """The interval between polls of a feed that published its stories evenly."""
    per_minute = rhythm.stories_a_day / _DAY_MINUTES
    return float((2 * _price(eagerness) / per_minute) ** 0.5)


def best_minutes(
    rhythm: Rhythm, now: datetime, shortest: float, longest: float, wished: float = 0.0, eagerness: float = 1.0
) -> float:
    """In how many minutes to poll again, between `shortest` and `longest`.

    It is the moment with the least cost for each story expected until then: the price of the request, and the time for which
    the stories will have waited. The publisher's wish to be left alone for a while is granted, unless too much of its document
    is expected to be new by then.
    """
    price = _price(eagerness)
    hours = _shares(_smoothed(rhythm.hours) if rhythm.days >= HOURS_AFTER else [0.0] * 24, HOUR_PRIOR)
    days = _shares(rhythm.weekdays if rhythm.days >= WEEKDAYS_AFTER else [0.0] * 7, DAY_PRIOR)
    a_minute = rhythm.stories_a_day / _DAY_MINUTES * 7 * 24
    enough = max(1.0, rhythm.room * SAFE_SHARE) if rhythm.room else math.inf
    best, least = float(longest), math.inf
    stories = waited = begin = 0.0
    hour = now.weekday() * 24 + now.hour
    end = 60.0 - now.minute - now.second / 60
    while begin < longest:
        end, rate = min(end, longest), a_minute * days[hour // 24 % 7] * hours[hour % 24]
        full = begin + (enough - stories) / rate
        if full <= end:  # by then so much of the document is new that some may be missed
            end = longest = max(full, shortest)
        low = max(begin, shortest, min(wished, longest))
        if low <= end:
            moment = min(max(_cheapest(price, waited, stories, rate) + begin, low), end)
            cost = _cost(price, waited, stories, rate, moment - begin)
            if cost < least:
                best, least = moment, cost
        waited += stories * (end - begin) + rate * (end - begin) ** 2 / 2
        stories += rate * (end - begin)
        begin, end, hour = end, end + 60.0, hour + 1
    return min(best, longest)


def _cost(price: float, waited: float, stories: float, rate: float, minutes: float) -> float:
    """What a poll after these further minutes costs for each story, at a steady rate."""
    return (price + waited + stories * minutes + rate * minutes * minutes / 2) / (stories + rate * minutes)


def _cheapest(price: float, waited: float, stories: float, rate: float) -> float:
    """The minutes after which that cost is the least: where its derivative is zero."""
    grown = 2 * rate * (price + waited) - stories * stories
    return (math.sqrt(grown) - stories) / rate if grown > 0 else 0.0


def _price(eagerness: float) -> float:
    """What a request is worth. Polls grow with the root of what they save, so that twice the eagerness is twice the polls."""
    return STORY_MINUTES / max(eagerness, 0.01) ** 2


def _shares(counts: Sequence[float], prior: float) -> list[float]:
    total = sum(counts) + prior
    return [(count + prior / len(counts)) / total for count in counts]


def _smoothed(hours: Sequence[float]) -> list[float]:
    """Each hour with some of its neighbours: what comes at ten to eight may come at ten past."""
    return [hours[hour - 1] / 4 + hours[hour] / 2 + hours[(hour + 1) % 24] / 4 for hour in range(24)]


# ------------------------------------------------------------------------------------------------- in the database


def rhythm_text(rhythm: Rhythm) -> str:
    """A rhythm as one string for the database."""
    numbers = [
        round(number, 3) for number in (rhythm.stories, rhythm.days, rhythm.room, *rhythm.hours, *rhythm.weekdays)
    ]
    return json.dumps([rhythm.at.isoformat(timespec="seconds"), *numbers], separators=(",", ":"))


def read_rhythm(text: str | None) -> Rhythm | None:
    """The reverse of `rhythm_text`; None for anything else."""
    if not text:
        return None
    try:
        at, stories, days, room, *counts = json.loads(text)
        return Rhythm(datetime.fromisoformat(at), stories, days, tuple(counts[:24]), tuple(counts[24:31]), room)
    except (ValueError, TypeError):
        return None
