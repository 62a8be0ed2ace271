"""A hundred and fifty feeds of every odd kind, polled by the real poller while the clock is moved.

No story is lost, none is there twice, every status and note is as it should be, and nobody is asked more often than the pace.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import func, select

from tearsheet.feeds.tables import FETCH_DISABLED, QUEUED, feeds, fetch_events, stories
from tearsheet.fetch import FetchRequest
from tearsheet.urls import normalize_url
from tests.support.feed_site import Answer, FeedSite
from tests.support.odd_feeds import START, OddFeed, every_odd_feed
from tests.support.poll_scene import PollScene
from tests.support.virtual_loop import run_virtually


class Month:
    """Feeds that are polled until a day is over."""

    def __init__(self, folder: Path, odd: Sequence[OddFeed]) -> None:
        self.scene = PollScene(folder, events_kept=10_000)
        self.odd = odd
        self.asked: dict[str, list[datetime]] = defaultdict(list)
        self.by_name = {feed.name: feed for feed in odd}
        self.site = FeedSite()
        self.site.client._answer = self._answer
        self.scene.add(*(feed.url for feed in odd))

    def _answer(self, request: FetchRequest):
        """Pass a request to the feed whose host it is; a redirect leads back here."""
        self.asked[request.url].append(self.scene.now)

        def said(inner: FetchRequest) -> Answer:
            host = inner.url.split("/")[2].removesuffix(".example")
            return self.by_name[host].answers(inner, self.scene.now) if host in self.by_name else 404

        class Everywhere(dict):  # type: ignore[type-arg]
            def get(self, url: str, _: object = None) -> Answer:
                return said(FetchRequest(url, headers=request.headers))

        self.site.answers = Everywhere()
        return self.site._answer(request)

    async def pass_by(self, days: float) -> None:
        """Poll what is due, moment by moment."""
        end = START + timedelta(days=days)
        while True:
            with self.scene.database.read() as connection:
                query = select(func.min(feeds.c.due_at)).where(feeds.c.active, feeds.c.system_enabled)
                due = connection.execute(query).scalar()
            if due is None or due > end:
                break
            self.scene.now = max(due + timedelta(minutes=20), self.scene.now)  # several feeds at once
            await self.scene.poll(self.site.client)
        self.scene.now = end

    def problems(self) -> list[str]:
        """What is not as it should be."""
        now = self.scene.now
        found: list[str] = []
        with self.scene.database.read() as connection:
            rows = {row.id: row for row in connection.execute(select(feeds))}
            notes = defaultdict(list)
            for event in connection.execute(select(fetch_events).where(fetch_events.c.event != QUEUED)):
                notes[event.feed_id].append(event)
            known = Counter(connection.execute(select(stories.c.normalized_url)).scalars())
        for number, feed in enumerate(self.odd, 1):
            found += [
                f"{feed.name}: {what}" for what in self._problems_of(feed, rows[number], notes[number], known, now)
            ]
        found += [f"{url} is there {count} times" for url, count in known.items() if count > 1]
        true = {normalize_url(story.link) for feed in self.odd for story in feed.stories(now)}
        found += [f"{url} is no story" for url in known if url not in true]
        return found

    def _problems_of(self, feed: OddFeed, row, events, known, now: datetime) -> list[str]:
        wrong = [event.note for event in events if not re.fullmatch(feed.notes, event.note or "")]
        found = [f"note {note!r}" for note in set(wrong)]
        if not re.fullmatch(feed.status, row.system_status or ""):
            found.append(f"status {row.system_status!r}")
        off = feed.gone or row.last_fetch_failures >= self.scene.settings.max_failures
        if row.system_enabled == off or (events[-1].event == FETCH_DISABLED) != off:
            found.append(f"enabled {row.system_enabled}, {events[-1].event}")
        # Those that had left the document before the feed was added are nobody's loss.
        there = feed.stories(START)[: -feed.window] if feed.window < 400 else []
        gone = {normalize_url(story.link) for story in there}
        expected = {normalize_url(s.link) for s in feed.stories(now - feed.within)} - gone if feed.finds else set()
        if feed.name.startswith("sitemap"):
            expected = {
                normalize_url(s.link) for s in feed.stories(now - feed.within) if s.at > START - timedelta(days=6)
            } - gone
        missing = [url for url in expected if url not in known]
        if missing:
            found.append(f"{len(missing)} of {len(expected)} stories lost, such as {min(missing)}")
        return found

    def pace_problems(self, least: timedelta) -> list[str]:
        """Addresses that were asked too often."""
        found = []
        for url, times in self.asked.items():
            closest = min((b - a for a, b in pairwise(times)), default=least)
            if closest < least:
                found.append(f"{url} was asked again after {closest}")
        return found


def polled(folder: Path, odd: Sequence[OddFeed], days: float) -> Month:
    month = Month(folder, odd)
    try:
        run_virtually(month.pass_by(days))
        assert month.problems() == []
        assert month.pace_problems(timedelta(minutes=10)) == []
    finally:
        month.scene.database.close()
    return month


def test_some_of_every_family_for_days(tmp_path: Path) -> None:
    odd = every_odd_feed()
    assert len(odd) >= 150
    polled(tmp_path, odd[::8], 3)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_all_of_them_for_a_month(tmp_path: Path) -> None:
    odd = every_odd_feed()
    month = polled(tmp_path, odd, 30)
    requests = sum(map(len, month.asked.values()))
    print(f"{len(odd)} feeds, 30 days: {requests} requests, {requests / len(odd) / 30:.1f} a feed and day")
    assert requests / len(odd) / 30 < 20
