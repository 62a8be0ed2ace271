"""Feeds, their fetch events, the stories seen in them; sources and collections."""

import sqlalchemy as sa
from alembic import op

from tearsheet.engines.database.sql import UtcDateTime

revision = "0002"
down_revision = "0001"

Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "sources",
        sa.Column("id", Id, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("domain", sa.String(255), nullable=False),
        sa.Column("homepage", sa.Text),
        sa.Column("created_at", UtcDateTime, nullable=False),
    )
    op.create_index("sources_domain", "sources", ["domain"])
    op.create_table(
        "collections",
        sa.Column("id", Id, primary_key=True),
        sa.Column("name", sa.String(500), nullable=False, unique=True),
        sa.Column("created_at", UtcDateTime, nullable=False),
    )
    op.create_table(
        "collection_sources",
        sa.Column("collection_id", Id, sa.ForeignKey("collections.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("source_id", Id, sa.ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True),
    )
    op.create_index("collection_sources_source", "collection_sources", ["source_id"])
    op.create_table(
        "feeds",
        sa.Column("id", Id, primary_key=True),
        sa.Column("sources_id", Id),
        sa.Column("name", sa.Text),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False, server_default=sa.true()),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("last_fetch_attempt", UtcDateTime),
        sa.Column("last_fetch_success", UtcDateTime),
        sa.Column("last_fetch_hash", sa.String(32)),
        sa.Column("last_fetch_failures", sa.Float, nullable=False, server_default=sa.text("0")),
        sa.Column("http_etag", sa.Text),
        sa.Column("http_last_modified", sa.Text),
        sa.Column("next_fetch_attempt", UtcDateTime),
        sa.Column("queued", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("system_enabled", sa.Boolean, nullable=False, server_default=sa.true()),
        sa.Column("update_minutes", sa.Integer),
        sa.Column("http_304", sa.Boolean),
        sa.Column("system_status", sa.Text),
        sa.Column("last_new_stories", UtcDateTime),
        sa.Column("rss_title", sa.Text),
        sa.Column("poll_minutes", sa.Integer),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("due_at", UtcDateTime, nullable=False),
        sa.Column("lease", sa.String(40)),
        sa.Column("admin_minutes", sa.Integer),
        sa.Column("next_fetch_reason", sa.Text),
        sa.Column("entries_hash", sa.String(32)),
        sa.Column("last_full_fetch", UtcDateTime),
        sa.Column("http_lies", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("redirect_url", sa.Text),
        sa.Column("redirect_seen", sa.Integer, nullable=False, server_default=sa.text("0")),
        sa.Column("gone_seen", sa.Integer, nullable=False, server_default=sa.text("0")),
        sa.Column("former_url", sa.Text),
        sa.Column("skip_times", sa.String(200)),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "feeds_due",
        "feeds",
        ["due_at"],
        sqlite_where=sa.text("active AND system_enabled"),
        postgresql_where=sa.text("active AND system_enabled"),
    )
    op.create_index("feeds_sources_id", "feeds", ["sources_id"])
    op.create_index("feeds_host", "feeds", ["host"])
    op.create_index("feeds_url", "feeds", ["url"])
    op.create_table(
        "feed_paces",
        sa.Column("key", sa.String(300), primary_key=True),
        sa.Column("next_start", UtcDateTime, nullable=False),
        sa.Column("tail", UtcDateTime, nullable=False),
        sa.Column("owner", sa.String(40)),
        sa.Column("owner_until", UtcDateTime),
    )
    op.create_table(
        "fetch_events",
        sa.Column("id", Id, primary_key=True),
        sa.Column("feed_id", Id, nullable=False),
        sa.Column("event", sa.String(20), nullable=False),
        sa.Column("note", sa.Text),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("counts", sa.Text),
        sqlite_autoincrement=True,
    )
    op.create_index("fetch_events_feed", "fetch_events", ["feed_id", "id"])
    op.create_index("fetch_events_created_at", "fetch_events", ["created_at"])
    op.create_table(
        "stories",
        sa.Column("id", Id, primary_key=True),
        sa.Column("feed_id", Id),
        sa.Column("sources_id", Id),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("normalized_url", sa.Text, nullable=False),
        sa.Column("guid", sa.Text),
        sa.Column("published_at", UtcDateTime),
        sa.Column("fetched_at", UtcDateTime, nullable=False),
        sa.Column("domain", sa.String(255)),
        sa.Column("title", sa.Text),
        sa.Column("normalized_title", sa.Text),
        sa.Column("normalized_title_hash", sa.String(32)),
        sa.Column("seen_at", UtcDateTime, nullable=False),
        sa.Column("queued_at", UtcDateTime),
        sqlite_autoincrement=True,
    )
    op.create_index("stories_normalized_url", "stories", ["normalized_url"], unique=True)
    op.create_index("stories_title", "stories", ["normalized_title_hash", "sources_id"])
    op.create_index("stories_sources_id", "stories", ["sources_id", "fetched_at"])
    op.create_index("stories_feed_id", "stories", ["feed_id", "fetched_at"])
    op.create_index("stories_fetched_at", "stories", ["fetched_at"])
    op.create_index("stories_published_at", "stories", ["published_at"])
    op.create_index("stories_seen_at", "stories", ["seen_at"])
    op.create_index(
        "stories_unqueued",
        "stories",
        ["id"],
        sqlite_where=sa.text("queued_at IS NULL"),
        postgresql_where=sa.text("queued_at IS NULL"),
    )
