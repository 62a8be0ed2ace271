"""Pages that a spider fetched, on their way into the archive."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table. Of pages that are there already nobody knows when they were fetched, so they stay where they are."""
    op.create_table(
        "unarchived_pages",
        sa.Column("stories_id", sa.String(64), primary_key=True),
        sa.Column("fetched", sa.LargeBinary, nullable=False),
    )
