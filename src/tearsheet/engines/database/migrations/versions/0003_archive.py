"""The archive: files, where each story is stored in them, and the outbox of uploads."""

import sqlalchemy as sa
from alembic import op

from tearsheet.engines.database.sql import UtcDateTime

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "archive_files",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("name", sa.String(255), nullable=False, unique=True),
        sa.Column("key", sa.String(400), nullable=False),
        sa.Column("path", sa.Text),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("stories", sa.Integer, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False, index=True),
        sa.Column("local", sa.Boolean, nullable=False),
    )
    op.create_table(
        "captures",
        sa.Column("story_id", sa.String(64), primary_key=True),
        sa.Column("index_id", sa.String(64), nullable=False, index=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("file_id", sa.Integer, sa.ForeignKey("archive_files.id"), nullable=False, index=True),
        sa.Column("offset", sa.BigInteger, nullable=False),
        sa.Column("length", sa.BigInteger, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("captured_at", UtcDateTime, nullable=False),
    )
    op.create_table(
        "archive_uploads",
        sa.Column("file_id", sa.Integer, sa.ForeignKey("archive_files.id"), primary_key=True),
        sa.Column("store", sa.String(200), primary_key=True),
        sa.Column("done", sa.Boolean, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("next_at", UtcDateTime, nullable=False),
        sa.Column("proved_at", UtcDateTime),
        sa.Column("error", sa.String(500), nullable=False),
    )
    op.create_index("archive_uploads_due", "archive_uploads", ["done", "next_at"])
