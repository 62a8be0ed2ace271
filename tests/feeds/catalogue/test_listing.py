"""Lists of feeds: chosen, sorted, in pages."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tearsheet.feeds.catalogue.feed_choices import FeedSort, FeedState
from tearsheet.feeds.catalogue.listing import in_state, list_feeds
from tearsheet.feeds.tables import feeds
from tests.support.feed_fakes import NOW

LONG_AGO = NOW - timedelta(days=40)


def write(database, feed: int, **columns) -> None:
    with database.begin() as connection:
        connection.execute(feeds.update().where(feeds.c.id == feed).values(columns))


def ids(database, state: FeedState | None = None, **more) -> list[int]:
    condition = in_state(state, NOW) if state else None
    return [row["id"] for row in list_feeds(database, condition=condition, **more).rows]


@pytest.mark.parametrize(
    ("columns", "states"),
    [
        ({"name": "new"}, set()),
        ({"last_fetch_success": NOW, "last_fetch_attempt": NOW, "last_new_stories": NOW}, {"working"}),
        ({"last_fetch_success": NOW, "last_fetch_attempt": NOW, "last_new_stories": LONG_AGO}, {"working", "silent"}),
        ({"last_fetch_success": NOW, "last_fetch_attempt": NOW, "created_at": LONG_AGO}, {"working", "silent"}),
        ({"last_fetch_attempt": NOW, "last_fetch_failures": 1.0}, {"failing", "never-worked"}),
        ({"last_fetch_attempt": NOW, "last_fetch_success": LONG_AGO, "last_fetch_failures": 0.5}, {"failing"}),
        ({"active": False}, {"off"}),
        ({"system_enabled": False, "last_fetch_attempt": NOW, "last_fetch_failures": 30.0}, {"off", "never-worked"}),
    ],
)
def test_each_state_has_its_feeds(columns, states: set[str], database) -> None:
    write(database, 2, **columns)
    assert {str(state) for state in FeedState if 2 in ids(database, state)} == states


def test_they_are_sorted_and_come_in_pages(database) -> None:
    write(database, 1, last_fetch_failures=1.0, name="c", due_at=NOW + timedelta(days=3))
    write(database, 2, last_fetch_failures=3.0, name="b", last_new_stories=LONG_AGO, created_at=LONG_AGO)
    write(database, 3, last_fetch_failures=2.0, name="a", last_new_stories=NOW, due_at=NOW + timedelta(days=1))
    orders = {sort: ids(database, sort=sort) for sort in FeedSort}
    assert orders == {
        FeedSort.ID: [1, 2, 3], FeedSort.URL: [1, 2, 3], FeedSort.NAME: [3, 2, 1], FeedSort.FAILURES: [2, 3, 1],
        FeedSort.LAST_NEWS: [3, 2, 1], FeedSort.NEXT_POLL: [2, 3, 1], FeedSort.ADDED: [1, 3, 2],
    }  # fmt: skip
    assert ids(database, sort=FeedSort.NAME, limit=2) + ids(database, sort=FeedSort.NAME, limit=2, offset=2) == [
        3,
        2,
        1,
    ]
    assert list_feeds(database, limit=1).count == 3


def test_what_changed_since_then_is_found(database) -> None:
    write(database, 2, modified_at=NOW + timedelta(hours=1))
    write(database, 3, modified_at=None)
    assert ids(database, since=NOW + timedelta(minutes=1)) == [2]
    assert ids(database, before=NOW + timedelta(minutes=1)) == [1, 3]
