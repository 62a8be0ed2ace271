"""The SQL of sums: what became of all polls, and of the entries in them, by reason. Kept for good, and by every poller together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sqlalchemy import Connection, select

from tearsheet.engines.database import Database
from tearsheet.feeds.tables import feed_sums

POLLS, ENTRIES = "polls", "stories"


def poll_reason(status: str, unchanged: str | None) -> str:
    """The reason that a poll is counted by. What a server adds to the number of its answer is left out."""
    if unchanged:
        return unchanged
    return " ".join(status.split()[:2]) if status.startswith("HTTP ") else status


def add_sums(database: Database, connection: Connection, polls: Iterable[str], entries: Counter[str]) -> None:
    """Add polls and entries, each by its reason."""
    more = {(POLLS, reason): number for reason, number in Counter(polls).items()}
    more |= {(ENTRIES, reason): number for reason, number in entries.items() if number}
    insert = database.insert(feed_sums)
    adding = insert.on_conflict_do_update(
        index_elements=["what", "reason"], set_={"count": feed_sums.c.count + insert.excluded["count"]}
    )
    # In one order by all pollers, so that none waits for another that waits for it.
    rows = [{"what": what, "reason": reason[:100], "count": number} for (what, reason), number in sorted(more.items())]
    if rows:
        connection.execute(adding, rows)


def read_sums(database: Database, what: str) -> list[tuple[str, int]]:
    """The sums of polls or of entries: reason and number, in order."""
    query = select(feed_sums.c.reason, feed_sums.c.count).where(feed_sums.c.what == what).order_by(feed_sums.c.reason)
    with database.read() as connection:
        return [(reason, int(count)) for reason, count in connection.execute(query)]
