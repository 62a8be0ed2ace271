"""What was erased: the addresses that stay away, what shows that an erasure took place, and the copies still to be replaced."""

import sqlalchemy as sa
from alembic import op

from tearsheet.engines.database.sql import UtcDateTime

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "erasures",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("reason", sa.String(500), nullable=False),
        sa.Column("started_at", UtcDateTime, nullable=False),
        sa.Column("finished_at", UtcDateTime),
    )
    op.create_table(
        "erased_addresses",
        sa.Column("url_key", sa.String(64), primary_key=True),
        sa.Column("erasure_id", sa.Integer, sa.ForeignKey("erasures.id"), nullable=False, index=True),
        sa.Column("url", sa.Text),
    )
    op.create_table(
        "tombstones",
        sa.Column("file", sa.String(255), primary_key=True),
        sa.Column("story_id", sa.String(64), primary_key=True),
        sa.Column("erasure_id", sa.Integer, sa.ForeignKey("erasures.id"), nullable=False, index=True),
        sa.Column("url_key", sa.String(64), nullable=False, index=True),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("captured_at", UtcDateTime, nullable=False),
    )
    op.create_table(
        "stale_copies",
        sa.Column("file_id", sa.Integer, sa.ForeignKey("archive_files.id"), primary_key=True),
        sa.Column("store", sa.String(200), primary_key=True),
    )
