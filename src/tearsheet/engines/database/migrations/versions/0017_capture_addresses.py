"""Every address by which a captured story is known stands beside its capture.

What the files that are registered already have to say is read from them later (`archive/known_by.py`): that may take hours.
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table, and mark the files whose addresses are not in it yet."""
    op.create_table(
        "capture_addresses",
        sa.Column("url_key", sa.String(64), primary_key=True),
        sa.Column(
            "story_id",
            sa.String(64),
            sa.ForeignKey("captures.story_id", ondelete="CASCADE"),
            primary_key=True,
            index=True,
        ),
        sa.Column("url", sa.Text, nullable=False),
    )
    op.add_column("archive_files", sa.Column("addresses_known", sa.Boolean, nullable=False, server_default=sa.false()))
