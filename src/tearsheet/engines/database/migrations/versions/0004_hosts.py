"""What the fetcher knows of each host, and the robots.txt files it has read."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "hosts",
        sa.Column("host", sa.String(255), primary_key=True),
        sa.Column("average", sa.Float, nullable=False),
        sa.Column("next_start", sa.Float, nullable=False),
        sa.Column("blocked_until", sa.Float, nullable=False),
        sa.Column("throttle", sa.Float, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("failed_until", sa.Float, nullable=False),
        sa.Column("crawl_delay", sa.Float, nullable=False),
        sa.Column("updated", sa.Float, nullable=False, index=True),
    )
    op.create_table(
        "robots",
        sa.Column("origin", sa.String(300), primary_key=True),
        sa.Column("text", sa.LargeBinary, nullable=False),
        sa.Column("fetched_at", sa.Float, nullable=False, index=True),
    )
