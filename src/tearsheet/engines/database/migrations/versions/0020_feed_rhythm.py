"""What polling remembers of feeds: their rhythm, the sitemaps of an index, since when they redirect, and subscriptions to hubs."""

import sqlalchemy as sa
from alembic import op

from tearsheet.engines.database.sql import UtcDateTime

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and the table."""
    op.add_column("feeds", sa.Column("rhythm", sa.Text))
    op.add_column("feeds", sa.Column("sitemaps", sa.Text))
    op.add_column("feeds", sa.Column("redirect_since", UtcDateTime))
    op.add_column("feeds", sa.Column("moved_at", UtcDateTime))
    op.add_column("feeds", sa.Column("former_checked", UtcDateTime))
    op.create_table(
        "feed_subscriptions",
        sa.Column("feed_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=False),
        sa.Column("hub", sa.Text, nullable=False),
        sa.Column("topic", sa.Text, nullable=False),
        sa.Column("token", sa.String(64), nullable=False, unique=True),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("ask_at", UtcDateTime, nullable=False),
        sa.Column("asked", sa.Integer, nullable=False, server_default="0"),
        sa.Column("lease_until", UtcDateTime),
        sa.Column("pushed_at", UtcDateTime),
        sa.Column("note", sa.Text),
    )
