"""How a topic found its stories: the places of seeds and links, the number of each story, whether only its own source led to it."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. What was found before has no place of its own, and comes first by its address."""
    for table in ("topic_seed_urls", "topic_links"):
        op.add_column(table, sa.Column("place", sa.Integer, nullable=False, server_default="0"))
    op.add_column("topic_stories", sa.Column("found", sa.Integer))
    op.add_column("topic_stories", sa.Column("self_linked", sa.Boolean, nullable=False, server_default=sa.false()))
