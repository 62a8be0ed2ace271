"""What a topic tries again later, and does not wait for."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("topic_jobs", sa.Column("put_off", sa.Boolean, nullable=False, server_default=sa.false()))
