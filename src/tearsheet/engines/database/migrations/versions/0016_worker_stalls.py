"""Workers say how long their process was blocked or not let run."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("workers", sa.Column("stalled_seconds", sa.Float, nullable=False, server_default="0"))
