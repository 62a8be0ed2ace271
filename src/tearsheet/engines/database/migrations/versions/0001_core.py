"""The outcome ledger and the workers that announce themselves."""

import sqlalchemy as sa
from alembic import op

from tearsheet.engines.database.sql import UtcDateTime

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "outcomes",
        sa.Column("story_id", sa.String(36), primary_key=True),
        sa.Column("stage", sa.String(40), primary_key=True),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("reason", sa.String(80), nullable=False),
        sa.Column("detail", sa.String(500), nullable=False),
        sa.Column("source_id", sa.BigInteger),
        sa.Column("feed_id", sa.BigInteger),
        sa.Column("domain", sa.String(255), nullable=False),
        sa.Column("url", sa.String(2048), nullable=False),
        sa.Column("happened_at", UtcDateTime, nullable=False),
    )
    op.create_index("outcomes_by_day", "outcomes", ["day", "stage", "status", "reason"])
    op.create_index("outcomes_by_time", "outcomes", ["happened_at"])
    op.create_index("outcomes_by_url", "outcomes", ["url"])
    op.create_table(
        "outcome_days",
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("stage", sa.String(40), primary_key=True),
        sa.Column("status", sa.String(12), primary_key=True),
        sa.Column("reason", sa.String(80), primary_key=True),
        sa.Column("source_id", sa.BigInteger, primary_key=True),
        sa.Column("feed_id", sa.BigInteger, primary_key=True),
        sa.Column("domain", sa.String(255), primary_key=True),
        sa.Column("stories", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.String(80), primary_key=True),
        sa.Column("stage", sa.String(40), nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("started_at", UtcDateTime, nullable=False),
        sa.Column("seen_at", UtcDateTime, nullable=False),
        sa.Column("settled", sa.BigInteger, nullable=False),
        sa.Column("per_second", sa.Float, nullable=False),
    )
