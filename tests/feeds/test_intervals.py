"""Intervals that people set."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.errors import UsageError
from tearsheet.feeds.intervals import LONGEST_MINUTES, checked_minutes, usable_minutes
from tearsheet.feeds.tables import feeds
from tests.support.feed_fakes import FakeClient, response, rss
from tests.support.poll_scene import PollScene

BAD = [-5, -(10**9), LONGEST_MINUTES + 1, 9_999_999_999, 2**62]


@given(st.integers())
def test_what_can_be_set_can_be_used(minutes: int) -> None:
    if 0 < minutes <= LONGEST_MINUTES:
        assert checked_minutes(minutes) == usable_minutes(minutes) == minutes
    else:
        assert usable_minutes(minutes) is None


@pytest.mark.parametrize("minutes", BAD)
def test_a_number_that_is_no_interval_is_refused_in_one_line(minutes: int) -> None:
    with pytest.raises(UsageError, match="is no interval: give 1 to"):
        checked_minutes(minutes)
    assert checked_minutes(0) == 0


@pytest.mark.parametrize("minutes", [*BAD, 0])
@pytest.mark.parametrize("fails", [False, True])
def test_a_bad_number_in_the_database_neither_stops_the_poller_nor_hurries_it(
    minutes: int, fails: bool, tmp_path: Path
) -> None:
    scene = PollScene(tmp_path)
    scene.add("http://a.example/rss")
    with scene.database.begin() as connection:
        connection.execute(feeds.update().values(admin_minutes=minutes))
    client = FakeClient(lambda _: response(status=500) if fails else response(rss("http://a.example/1")))
    asyncio.run(scene.poll(client))
    assert len(client.requests) == 1
    assert timedelta(minutes=10) <= scene.row().next_fetch_attempt - scene.now <= timedelta(days=1)
    scene.database.close()


@pytest.mark.parametrize("fails", [False, True])
def test_settings_that_contradict_each_other_hurry_no_poll(fails: bool, tmp_path: Path) -> None:
    scene = PollScene(tmp_path, min_minutes=100, max_minutes=5)
    scene.add("http://a.example/rss")
    client = FakeClient(lambda _: response(status=500) if fails else response(rss("http://a.example/1")))
    for _ in range(3):
        asyncio.run(scene.poll(client))
        assert scene.row().next_fetch_attempt - scene.now >= timedelta(minutes=100)
        scene.now = scene.row().next_fetch_attempt
    scene.database.close()
