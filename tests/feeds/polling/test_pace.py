"""Per-host and per-source pace and concurrency: the booking, the gate, and fifty thousand feeds due at once."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from tearsheet.feeds.polling import poller, store
from tearsheet.feeds.polling.pace import Booking, Gate, assign_starts
from tearsheet.feeds.polling.poller import Poller
from tearsheet.feeds.tables import feeds
from tearsheet.fetch import FetchRequest, FetchResponse
from tearsheet.fetch.hosts import MemoryRecord
from tearsheet.fetch.turns import HostTurns
from tearsheet.settings import FeedSettings, FetchSettings
from tearsheet.work import ThreadReader
from tests.support.feed_fakes import NOW, FakeClient, new_database, response, rss
from tests.support.virtual_loop import clock, run_virtually

GAP = timedelta(seconds=5)
keys = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), max_size=40)


@given(keys, st.none() | st.integers(0, 60).map(lambda s: timedelta(seconds=s)))
def test_turns_keep_their_distance(wanted, horizon) -> None:
    booking = Booking({}, {})
    turns = assign_starts(wanted, booking, NOW, GAP, horizon)
    for key in "abcxyz":
        taken = [turn.at for own, turn in zip(wanted, turns, strict=True) if key in own and turn.taken]
        assert all(later - sooner >= GAP for sooner, later in pairwise(taken))
    for turn in turns:
        assert turn.at >= NOW
        assert turn.taken == (horizon is None or turn.at <= NOW + horizon) or not turn.taken


@given(st.lists(st.sampled_from("abc").map(lambda key: (key,)), max_size=60))
def test_those_that_are_put_off_stand_in_line(wanted) -> None:
    turns = assign_starts(wanted, Booking({}, {}), NOW, GAP, timedelta(seconds=10))
    for key in "abc":
        line = [turn.at for own, turn in zip(wanted, turns, strict=True) if own == (key,)]
        assert line == [NOW + number * GAP for number in range(len(line))]


def test_a_short_line_does_not_inherit_a_long_one() -> None:
    wanted = [("huge", "s")] * 100 + [("busy", "s")] * 3 + [("busy", "t")] * 3
    turns = assign_starts(wanted, Booking({}, {}), NOW, GAP, timedelta(seconds=4))
    assert max(turn.at for turn in turns[-3:]) <= NOW + 6 * GAP


def test_bookings_of_other_pollers_count() -> None:
    booking = Booking({"a": NOW + timedelta(seconds=12)}, {})
    turns = assign_starts([("a",), ("b",)], booking, NOW, GAP, timedelta(seconds=30))
    assert [(turn.at - NOW).total_seconds() for turn in turns] == [12, 0]
    assert booking.free["a"] == NOW + timedelta(seconds=17)


def test_the_gate_counts_and_waits() -> None:
    gate = Gate(limit=2, gap=5)
    gate.start(["h"], 100)
    assert (gate.blocked_by(["h"]), gate.earliest(["h"]), gate.earliest(["other"])) == (None, 105, 0)
    gate.start(["h"], 105)
    assert gate.blocked_by(["h", "s"]) == "h"
    gate.finish(["h"])
    assert gate.blocked_by(["h"]) is None


def now() -> float:
    return NOW.timestamp() + clock()


class SlowWeb:
    """Every host answers after a while; what ran at the same time and how soon after another is remembered.

    A source is asked when the poller asks for it, a host when it is its turn.
    """

    def __init__(self, source_of: dict[str, str]) -> None:
        self.source_of = source_of
        self.running: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.starts: dict[str, list[float]] = defaultdict(list)
        self.polls = 0

    @contextmanager
    def asked(self, key: str) -> Iterator[None]:
        self.running[key] += 1
        self.most[key] = max(self.most[key], self.running[key])
        self.starts[key].append(asyncio.get_running_loop().time())
        try:
            yield
        finally:
            self.running[key] -= 1


class PoliteVisitor:
    """A poller's own way to the slow web, at the turns of its hosts; what is known of these is shared."""

    def __init__(self, web: SlowWeb, turns: HostTurns) -> None:
        self.web = web
        self.turns = turns

    async def fetch(self, request: FetchRequest) -> FetchResponse:
        host = request.url.split("/")[2]
        seconds = random.Random(request.url).choice([0.05, 0.3, 2.0, 20.0])
        with self.web.asked(self.web.source_of[request.url]):
            turn = await self.turns.take(host)
            with self.web.asked(host):
                await asyncio.sleep(seconds)
            turn.answered(200, seconds)
            turn.end()
        self.web.polls += 1
        return response(rss(), url=request.url)


def end_leases(database, results, settings, dice, owner, freed) -> Counter[str]:
    """What is found does not matter here, only when it is asked for: each feed is put off, and its lease is over."""
    polled = feeds.update().where(feeds.c.id.in_([result.feed.id for result in results]))
    with database.begin() as connection:
        held = store.still_leased(connection, [result.feed for result in results])
        connection.execute(
            polled.values(due_at=NOW + timedelta(days=365), last_fetch_attempt=NOW, lease=None, queued=False)
        )
        store.free_sources(connection, owner, freed)
    return Counter({"feeds.lost": len(results) - len(held)})


@pytest.mark.parametrize("count", [1_000, pytest.param(50_000, marks=[pytest.mark.slow, pytest.mark.timeout(600)])])
def test_feeds_due_at_once_never_exceed_the_limits(tmp_path: Path, monkeypatch, count: int) -> None:
    """Of all feeds, a fifth are on a hundred busy hosts, a seventeenth on one; two pollers share them on a clock that jumps."""
    monkeypatch.setattr(poller, "LINGER_SECONDS", 3.0)  # larger transactions, so that hours pass in seconds
    monkeypatch.setattr(poller, "record_polls", end_leases)
    database = new_database(tmp_path)
    dice = random.Random(5)
    rows = []
    source_of = {}
    huge, busy = 6 * count // 100, 26 * count // 100
    for number in range(count):
        host = (
            f"h{number}.example"
            if number >= busy
            else "huge.example"
            if number < huge
            else f"busy{number % 100}.example"
        )
        source = dice.randrange(2 * count // 5)
        url = f"http://{host}/{number}"
        source_of[url] = f"source:{source}"
        rows.append(
            {"url": url, "host": host, "sources_id": source, "created_at": NOW, "due_at": NOW - timedelta(hours=1)}
        )
    with database.begin() as connection:
        connection.execute(feeds.insert(), rows)
    web = SlowWeb(source_of)
    settings = FeedSettings(concurrency=400, per_host=2, interval_seconds=5.0)
    hours = 1.0

    async def run() -> list[Poller]:
        record = MemoryRecord(now)
        fetching = FetchSettings(concurrency=400, interval_seconds=5.0)
        visitors = [PoliteVisitor(web, HostTurns(fetching, record, clock=now)) for _ in range(2)]
        pollers = [Poller(database, one, ThreadReader(), settings, clock=now, random=lambda: 0.5) for one in visitors]
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(hours * 3600, stop.set)
        await asyncio.gather(*(one.run(stop) for one in pollers))
        return pollers

    pollers = run_virtually(run())
    for key, starts in web.starts.items():  # hosts and sources
        assert min((later - sooner for sooner, later in pairwise(starts)), default=9) >= 5.0 - 0.01, key
        # A source belongs to one poller; of a host, each poller asks for so many feeds at once.
        assert web.most[key] <= settings.per_host * (1 if key.startswith("source:") else 2)
    assert web.polls > 0.9 * count
    assert len(web.starts["huge.example"]) > min(0.95 * huge, 0.7 * hours * 3600 / 5)  # and busy hosts are kept busy
    with database.read() as connection:
        never = connection.execute(select(feeds.c.host).where(feeds.c.last_fetch_attempt.is_(None))).scalars().all()
    assert set(never) <= {"huge.example"} | {f"busy{number}.example" for number in range(100)}
    assert sum(one.counters["feeds.lost"] for one in pollers) == 0
    database.close()


def test_an_idle_poller_sleeps(tmp_path: Path, monkeypatch) -> None:
    """Nothing is due for ten minutes: it looks every few seconds, and does nothing in between."""
    database = new_database(tmp_path)
    looks = 0
    naps = 0

    def look(*terms):
        nonlocal looks
        looks += 1
        return [], 0

    async def run() -> None:
        nonlocal naps
        one = Poller(database, FakeClient(lambda _: response()), ThreadReader(), FeedSettings(), clock=now)
        pause = one._pause

        async def counted(once: bool) -> None:
            nonlocal naps
            naps += 1
            await pause(once)

        monkeypatch.setattr(one, "_pause", counted)
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(600, stop.set)
        await one.run(stop)

    monkeypatch.setattr(store, "lease_due", look)
    run_virtually(run())
    assert 100 <= looks <= 122
    assert naps <= 3 * looks
    database.close()
