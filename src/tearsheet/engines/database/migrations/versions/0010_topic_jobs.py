"""What the workers of a topic were offered, and what each has in hand."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "topic_jobs",
        sa.Column("topics_id", Id, primary_key=True),
        sa.Column("job", sa.String(40), primary_key=True),
        sa.Column("item", sa.String(64), primary_key=True),
        sa.Column("run", sa.String(40), nullable=False),
        sa.Column("holder", sa.String(40), nullable=False),
        sa.Column("held_until", sa.Float, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("turn", sa.Float, nullable=False),
    )
    op.create_index("topic_jobs_holder", "topic_jobs", ["holder"])
