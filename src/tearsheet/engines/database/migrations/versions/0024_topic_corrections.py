"""Topics that people correct: what they decide, and what need not be read again. Sources are merged within a topic only."""

from collections.abc import Mapping

import sqlalchemy as sa
from alembic import op

from tearsheet.clock import utc_now
from tearsheet.engines.database.sql import UtcDateTime

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_MOVED = "moved from "
_REASON = "a duplicate, as was said for all topics"


def upgrade() -> None:
    """Add the table and columns. What was said of sources in all topics is from now on decided in each that there is."""
    op.add_column("topics", sa.Column("corrected", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("topic_stories", sa.Column("mined", sa.Boolean, nullable=False, server_default=sa.false()))
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
    connection = op.get_bind()
    duplicates = _duplicates(connection)
    _decide(connection, {**_moved_back(connection), **_in_every_topic(connection, duplicates)})
    _give_back(connection, duplicates)
    op.drop_table("media")


def _table(name: str, *columns: str) -> sa.TableClause:
    return sa.table(name, *map(sa.column, columns))


def _duplicates(connection: sa.Connection) -> dict[str, str]:
    media = _table("media", "media_id", "dup_media_id")
    return dict(connection.execute(sa.select(media).where(media.c.dup_media_id.is_not(None))).all())


def _in_every_topic(connection: sa.Connection, duplicates: Mapping[str, str]) -> dict[tuple[int, str], str]:
    topics = connection.execute(sa.select(_table("topics", "id"))).scalars().all()
    return {(topic, source): target for topic in topics for source, target in duplicates.items()}


def _moved_back(connection: sa.Connection) -> dict[tuple[int, str], str]:
    """A story that was moved to another source has its own again; returns in which topic what was moved to where."""
    moves = _table("topic_merged_stories_map", "topics_id", "source_stories_id", "target_stories_id", "reason")
    stories = _table("web_stories", "stories_id", "media_id")
    of_a_source = sa.and_(moves.c.source_stories_id == moves.c.target_stories_id, moves.c.reason.like(f"{_MOVED}%"))
    targets: dict[tuple[int, str], str] = {}
    for topic, story, _, reason in connection.execute(sa.select(moves).where(of_a_source)).all():
        own, _, target = reason.removeprefix(_MOVED).partition(" to ")
        targets[topic, own] = target
        connection.execute(sa.update(stories).where(stories.c.stories_id == story).values(media_id=own))
    connection.execute(sa.delete(moves).where(of_a_source))
    return targets


def _decide(connection: sa.Connection, targets: Mapping[tuple[int, str], str]) -> None:
    columns = ("topics_id", "kind", "subject", "key", "target", "reason")
    decided = sa.table("topic_decisions", *map(sa.column, columns), sa.column("decided_at", UtcDateTime))
    rows = [
        {"topics_id": topic, "kind": "merge", "subject": own, "key": own, "target": target, "reason": _REASON,
         "decided_at": utc_now()}
        for (topic, own), target in sorted(targets.items())
    ]  # fmt: skip
    if rows:
        connection.execute(sa.insert(decided), rows)


def _give_back(connection: sa.Connection, duplicates: Mapping[str, str]) -> None:
    """Stories that came when their source was a duplicate already were never moved: their addresses tell whose they are."""
    stories = _table("web_stories", "url", "media_id")
    for own in duplicates:
        target, seen = duplicates[own], {own}
        while target in duplicates and target not in seen:
            seen.add(target)
            target = duplicates[target]
        of_own = sa.or_(stories.c.url.like(f"http%://{own}/%"), stories.c.url.like(f"http%://%.{own}/%"))
        connection.execute(sa.update(stories).where(stories.c.media_id == target, of_own).values(media_id=own))
