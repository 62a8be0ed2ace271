"""Tokens that expire, and tokens for some collections only."""

import sqlalchemy as sa
from alembic import op

from tearsheet.engines.database.sql import UtcDateTime

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; tokens that exist keep their rights."""
    op.add_column("tokens", sa.Column("expires_at", UtcDateTime))
    op.add_column("tokens", sa.Column("collections", sa.JSON(none_as_null=True)))
