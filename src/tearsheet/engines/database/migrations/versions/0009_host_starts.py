"""One record per host: all share when its last request started, and pollers keep no separate pace for it."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, delete the paces of hosts."""
    op.add_column("hosts", sa.Column("started", sa.Float, nullable=False, server_default="0"))
    op.execute("DELETE FROM feed_paces WHERE key NOT LIKE 'source:%'")
