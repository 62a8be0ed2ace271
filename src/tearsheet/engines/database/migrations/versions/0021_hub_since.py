"""Since when a hub tells of a feed's news."""

import sqlalchemy as sa
from alembic import op

from tearsheet.engines.database.sql import UtcDateTime

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("feed_subscriptions", sa.Column("active_since", UtcDateTime))
