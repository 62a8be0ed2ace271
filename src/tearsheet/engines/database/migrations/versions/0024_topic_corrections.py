"""Topics that people correct: their decisions, sources merged in a topic only, and what need not be found out twice."""

import sqlalchemy as sa
from alembic import op

from tearsheet.engines.database.sql import UtcDateTime

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_MOVED = "moved from "


def upgrade() -> None:
    """Add the tables and columns, and give stories that were moved to another source back to their own."""
    op.add_column("topics", sa.Column("corrected", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("topics", sa.Column("alive_until", sa.Float, nullable=False, server_default="0"))
    op.add_column("topic_stories", sa.Column("mined", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("topic_stories", sa.Column("relevant", sa.Boolean))
    op.add_column("topic_stories", sa.Column("judged_by", sa.String(64)))
    op.create_table(
        "topic_merged_media_map",
        sa.Column("topics_id", _ID, primary_key=True),
        sa.Column("source_media_id", sa.String(255), primary_key=True),
        sa.Column("target_media_id", sa.String(255), nullable=False),
    )
    op.create_table(
        "topic_decisions",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("topics_id", _ID, nullable=False, index=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("decided_at", UtcDateTime, nullable=False),
        sa.Column("undone_at", UtcDateTime),
        sqlite_autoincrement=True,
    )
    _move_back()


def _move_back() -> None:
    """A story has its own source again; the topics that had moved it keep the move in a map of their own."""
    connection = op.get_bind()
    names = ("topics_id", "source_stories_id", "target_stories_id", "reason")
    moves = sa.table("topic_merged_stories_map", *map(sa.column, names))
    stories = sa.table("web_stories", *map(sa.column, ("stories_id", "media_id")))
    media = sa.table("topic_merged_media_map", *map(sa.column, ("topics_id", "source_media_id", "target_media_id")))
    of_a_source = sa.and_(moves.c.source_stories_id == moves.c.target_stories_id, moves.c.reason.like(f"{_MOVED}%"))
    targets: dict[tuple[int, str], str] = {}
    for topic, story, _, reason in connection.execute(sa.select(moves).where(of_a_source)).all():
        own, _, target = reason.removeprefix(_MOVED).partition(" to ")
        targets[topic, own] = target
        connection.execute(sa.update(stories).where(stories.c.stories_id == story).values(media_id=own))
    rows = [{"topics_id": topic, "source_media_id": own, "target_media_id": to} for (topic, own), to in targets.items()]
    if rows:
        connection.execute(sa.insert(media), rows)
    connection.execute(sa.delete(moves).where(of_a_source))
