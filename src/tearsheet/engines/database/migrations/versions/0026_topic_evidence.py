"""Evidence of topics: the sentence around each link."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. Links that were found before have no sentence."""
    op.add_column("topic_links", sa.Column("sentence", sa.Text, nullable=False, server_default=""))
