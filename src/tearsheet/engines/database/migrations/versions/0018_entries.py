"""Entries keep what they say, and are found by their guids; the last document of a feed that could not be read is kept."""

import sqlalchemy as sa
from alembic import op

from tearsheet.engines.database import UtcDateTime

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

_LONGEST = 255


def upgrade() -> None:
    """Add the columns and the table. Longer guids than the index takes, which are few, are found by it from now on only."""
    op.add_column("stories", sa.Column("guid_key", sa.String(_LONGEST)))
    op.add_column("stories", sa.Column("details", sa.Text))
    stories = sa.table("stories", sa.column("guid", sa.Text), sa.column("guid_key", sa.String))
    op.execute(stories.update().where(sa.func.length(stories.c.guid) <= _LONGEST).values(guid_key=stories.c.guid))
    op.create_index("stories_guid_key", "stories", ["guid_key", "feed_id"])
    op.create_table(
        "feed_documents",
        sa.Column("feed_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=False),
        sa.Column("received_at", UtcDateTime, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
