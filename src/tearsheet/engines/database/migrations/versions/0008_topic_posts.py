"""Topics that are seeded from collections and from posts."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Add the column and create the tables."""
    op.add_column("topics", sa.Column("collections", sa.Text, nullable=False, server_default="[]"))
    op.create_table(
        "topic_posts",
        sa.Column("topics_id", Id, primary_key=True),
        sa.Column("post_id", sa.String(200), primary_key=True),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("publish_date", sa.String(10), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
    )
    op.create_table(
        "topic_post_urls",
        sa.Column("topics_id", Id, primary_key=True),
        sa.Column("post_id", sa.String(200), primary_key=True),
        sa.Column("url_key", sa.String(64), primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
    )
    op.create_index("topic_post_urls_url", "topic_post_urls", ["topics_id", "url_key"])
