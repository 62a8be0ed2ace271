"""The tables of the ledger: what stories met last, what they met before, and sums that are kept up to date with every row.

Each sum is changed in the transaction that changes the rows it counts, so a question about sums reads no rows.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table

from tearsheet.engines.database import UtcDateTime, metadata, partial_index

outcomes = Table(
    "outcomes",
    metadata,
    Column("story_id", String(36), primary_key=True),
    Column("stage", String(40), primary_key=True),
    Column("status", String(12), nullable=False),
    Column("reason", String(80), nullable=False),
    Column("detail", String(500), nullable=False),
    Column("source_id", BigInteger),
    Column("feed_id", BigInteger),
    Column("domain", String(255), nullable=False),
    Column("url", String(2048), nullable=False),
    Column("link", String(2048), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("happened_at", UtcDateTime, nullable=False),
    Index("outcomes_by_time", "happened_at"),
    Index("outcomes_by_reason", "reason", "happened_at"),
    Index("outcomes_by_url", "url"),
)
"""What a story last met at a stage. `link`, as it was queued, is empty where it is the same as `url`."""
partial_index("outcomes_by_link", outcomes.c.link, where=outcomes.c.link != "")

earlier_outcomes = Table(
    "earlier_outcomes",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("story_id", String(36), nullable=False),
    Column("stage", String(40), nullable=False),
    Column("status", String(12), nullable=False),
    Column("reason", String(80), nullable=False),
    Column("detail", String(500), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("happened_at", UtcDateTime, nullable=False),
    Index("earlier_outcomes_by_story", "story_id"),
    Index("earlier_outcomes_by_time", "happened_at"),
)
"""What a later outcome at the same stage replaced: the tries before the last one."""

outcome_days = Table(
    "outcome_days",
    metadata,
    Column("day", String(10), primary_key=True),
    Column("stage", String(40), primary_key=True),
    Column("status", String(12), primary_key=True),
    Column("reason", String(80), primary_key=True),
    Column("source_id", BigInteger, primary_key=True),
    Column("feed_id", BigInteger, primary_key=True),
    Column("domain", String(255), primary_key=True),
    Column("stories", BigInteger, nullable=False),
    Index("outcome_days_by_domain", "domain", "day"),
)
"""Stories by their last outcome, for each day: of the rows in `outcomes`, and of those that are there no longer."""

outcome_totals = Table(
    "outcome_totals",
    metadata,
    Column("stage", String(40), primary_key=True),
    Column("status", String(12), primary_key=True),
    Column("reason", String(80), primary_key=True),
    Column("stories", BigInteger, nullable=False),
    Column("recorded", BigInteger, nullable=False),
)
"""The same for all days: `stories` that ended so, and how often an outcome was `recorded`, which never falls."""

UNKNOWN = 0
"""Stands for "no source" and "no feed" in the daily sums, whose key columns cannot be empty."""
