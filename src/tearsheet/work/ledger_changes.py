"""What recording outcomes changes: which rows are new, which are replaced, and by how much each sum moves. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tearsheet.work.ledger_entry import LedgerEntry
from tearsheet.work.ledger_tables import UNKNOWN

Key = tuple[str, str]
"""A story and a stage."""
Row = dict[str, Any]
DayKey = tuple[str, str, str, str, int, int, str]
"""The day, stage, status, reason, source, feed and domain of a daily sum."""
TotalKey = tuple[str, str, str]
"""The stage, status and reason of a total."""


@dataclass(slots=True)
class Changes:
    """What one transaction writes."""

    new: list[Row] = field(default_factory=list)
    replaced: list[Row] = field(default_factory=list)
    earlier: list[Mapping[str, Any]] = field(default_factory=list)
    """The rows that give way to a different outcome."""
    days: Counter[DayKey] = field(default_factory=Counter)
    stories: Counter[TotalKey] = field(default_factory=Counter)
    recorded: Counter[TotalKey] = field(default_factory=Counter)


def rows_of(entries: Iterable[LedgerEntry], now: datetime) -> dict[Key, Row]:
    """The rows for some entries, of which the last one of each story and stage counts.

    In the order of their keys: whoever locks rows locks them in this order, so that no two wait for each other.
    """
    unique = {(entry.story_id, entry.stage): entry for entry in entries}
    return {key: unique[key].as_row() | {"happened_at": now} for key in sorted(unique)}


def changes(rows: Mapping[Key, Row], present: Mapping[Key, Mapping[str, Any]]) -> Changes:
    """What it means to record `rows` where `present` is what the ledger has about the same stories and stages.

    The same outcome of the same try again is a message that was delivered twice: it is not counted again.
    """
    found = Changes()
    for key, row in rows.items():
        before = present.get(key)
        if before is None:
            found.new.append(row)
        else:
            found.replaced.append(row)
            found.days[_day_key(before)] -= 1
            found.stories[_total_key(before)] -= 1
        if before is None or _differs(before, row):
            found.recorded[_total_key(row)] += 1
            if before is not None:
                found.earlier.append(before)
        found.days[_day_key(row)] += 1
        found.stories[_total_key(row)] += 1
    return found


def _differs(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return any(one[name] != other[name] for name in ("status", "reason", "tries"))


def _day_key(row: Mapping[str, Any]) -> DayKey:
    day = row["happened_at"].date().isoformat()
    source, feed = row["source_id"], row["feed_id"]
    return (
        day,
        row["stage"],
        row["status"],
        row["reason"],
        UNKNOWN if source is None else source,
        UNKNOWN if feed is None else feed,
        row["domain"],
    )


def _total_key(row: Mapping[str, Any]) -> TotalKey:
    return row["stage"], row["status"], row["reason"]
