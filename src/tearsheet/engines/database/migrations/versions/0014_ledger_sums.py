"""The ledger knows stories by their links, keeps the tries before the last, and keeps its sums up to date with every row.

The daily sums used to have only the rows that were folded into them; now they have all rows.
"""

import sqlalchemy as sa
from alembic import op

from tearsheet.engines.database.sql import UtcDateTime

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_ADD_ROWS_TO_DAYS = """
INSERT INTO outcome_days (day, stage, status, reason, source_id, feed_id, domain, stories)
SELECT day, stage, status, reason, COALESCE(source_id, 0), COALESCE(feed_id, 0), domain, COUNT(*) FROM outcomes
WHERE true GROUP BY 1, 2, 3, 4, 5, 6, 7
ON CONFLICT (day, stage, status, reason, source_id, feed_id, domain)
DO UPDATE SET stories = outcome_days.stories + excluded.stories
"""
_ADD_DAYS_TO_TOTALS = """
INSERT INTO outcome_totals (stage, status, reason, stories, recorded)
SELECT stage, status, reason, SUM(stories), SUM(stories) FROM outcome_days GROUP BY 1, 2, 3
"""


def upgrade() -> None:
    """Add the columns and tables, and fill the sums."""
    _create_tables()
    op.execute(_ADD_ROWS_TO_DAYS)
    op.execute(_ADD_DAYS_TO_TOTALS)
    op.drop_index("outcomes_by_day", "outcomes")
    op.execute("ALTER TABLE outcomes DROP COLUMN day")
    op.add_column("outcomes", sa.Column("link", sa.String(2048), nullable=False, server_default=""))
    op.add_column("outcomes", sa.Column("tries", sa.Integer, nullable=False, server_default="1"))
    op.create_index("outcomes_by_reason", "outcomes", ["reason", "happened_at"])
    known = sa.text("link != ''")
    op.create_index("outcomes_by_link", "outcomes", ["link"], sqlite_where=known, postgresql_where=known)
    op.create_index("outcome_days_by_domain", "outcome_days", ["domain", "day"])


def _create_tables() -> None:
    op.create_table(
        "earlier_outcomes",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("story_id", sa.String(36), nullable=False),
        sa.Column("stage", sa.String(40), nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("reason", sa.String(80), nullable=False),
        sa.Column("detail", sa.String(500), nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("happened_at", UtcDateTime, nullable=False),
    )
    op.create_index("earlier_outcomes_by_story", "earlier_outcomes", ["story_id"])
    op.create_index("earlier_outcomes_by_time", "earlier_outcomes", ["happened_at"])
    op.create_table(
        "outcome_totals",
        sa.Column("stage", sa.String(40), primary_key=True),
        sa.Column("status", sa.String(12), primary_key=True),
        sa.Column("reason", sa.String(80), primary_key=True),
        sa.Column("stories", sa.BigInteger, nullable=False),
        sa.Column("recorded", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "stage_times",
        sa.Column("stage", sa.String(40), primary_key=True),
        sa.Column("at_most", sa.String(10), primary_key=True),
        sa.Column("stories", sa.BigInteger, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
    )
