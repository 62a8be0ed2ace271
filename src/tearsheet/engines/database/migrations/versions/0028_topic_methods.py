"""Methods of topics: what people judged of a topic's matches, and the record that a snapshot is described by."""

import sqlalchemy as sa
from alembic import op

from tearsheet.engines.database.sql import UtcDateTime

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Add the tables. Snapshots that were taken before have no record."""
    op.create_table(
        "topic_judgements",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("topics_id", _ID, nullable=False, index=True),
        sa.Column("stories_id", sa.String(64), nullable=False, index=True),
        sa.Column("belongs", sa.Boolean),
        sa.Column("judged_at", UtcDateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "topic_snapshot_records",
        sa.Column("snapshots_id", _ID, primary_key=True, autoincrement=False),
        sa.Column("topics_id", _ID, nullable=False, index=True),
        sa.Column("record", sa.LargeBinary, nullable=False),
    )
