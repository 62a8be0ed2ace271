"""Topics that follow links to platforms, and sources by account. Topics that exist leave platforms out, as they did."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_CHANNEL, _NEW_CHANNEL = "youtube.com/channel_id=", "youtube.com/channel/"
_USER, _NEW_USER = "youtube.com/user=", "youtube.com/user/"


def upgrade() -> None:
    """Add the column, tell the reason for what was refused, and give YouTube's channels the names that their pages have."""
    op.add_column("topics", sa.Column("platforms", sa.Boolean, nullable=False, server_default=sa.false()))
    connection = op.get_bind()
    fetches = sa.table("topic_fetch_urls", *map(sa.column, ("state", "message")))
    refused = sa.and_(fetches.c.state == "request failed", fetches.c.message.like("non-news%"))
    reason = "a platform or a site without news, which this topic leaves out (--no-platforms)"
    connection.execute(sa.update(fetches).where(refused).values(state="ignored", message=reason))
    sources = sa.table("sources", *map(sa.column, ("id", "domain")))
    for row in connection.execute(sa.select(sources).where(sources.c.domain.like("youtube.com/%=%"))).all():
        name = row.domain.replace(_CHANNEL, _NEW_CHANNEL, 1).replace(_USER, _NEW_USER, 1).lower()
        connection.execute(sa.update(sources).where(sources.c.id == row.id).values(domain=name))
