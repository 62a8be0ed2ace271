"""Topics: their seeds, stories, links, merges and snapshots."""

import sqlalchemy as sa
from alembic import op

from tearsheet.engines.database.sql import UtcDateTime

revision = "0006"
down_revision = "0005"

Id = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "topics",
        sa.Column("id", Id, primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("start_date", sa.String(10)),
        sa.Column("end_date", sa.String(10)),
        sa.Column("domains", sa.Text, nullable=False),
        sa.Column("max_iterations", sa.Integer, nullable=False),
        sa.Column("max_stories", sa.Integer, nullable=False),
        sa.Column("seconds_per_media_fetch", sa.Float, nullable=False),
        sa.Column("foci", sa.Text, nullable=False),
        sa.Column("timespans", sa.Text, nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("run", sa.String(40), nullable=False),
        sa.Column("seeded", sa.Boolean, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "topic_seed_urls",
        sa.Column("topics_id", Id, primary_key=True),
        sa.Column("url_key", sa.String(64), primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("stories_id", sa.String(64)),
        sa.Column("source", sa.String(40), nullable=False),
        sa.Column("assume_match", sa.Boolean, nullable=False),
        sa.Column("processed", sa.Boolean, nullable=False),
    )
    op.create_table(
        "media",
        sa.Column("media_id", sa.String(255), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("dup_media_id", sa.String(255)),
    )
    op.create_table(
        "media_fetches",
        sa.Column("media_id", sa.String(255), primary_key=True),
        sa.Column("fetched_at", sa.Float, nullable=False),
    )
    op.create_table(
        "web_stories",
        sa.Column("stories_id", sa.String(64), primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("media_id", sa.String(255), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("title_method", sa.String(40), nullable=False),
        sa.Column("publish_date", sa.String(10)),
        sa.Column("date_method", sa.String(40), nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("text", sa.LargeBinary, nullable=False),
        sa.Column("page", sa.LargeBinary),
        sa.Column("charset", sa.String(80)),
    )
    op.create_table(
        "story_urls",
        sa.Column("url_key", sa.String(64), primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("stories_id", sa.String(64), nullable=False),
    )
    op.create_index("story_urls_story", "story_urls", ["stories_id"])
    op.create_table(
        "topic_stories",
        sa.Column("topics_id", Id, primary_key=True),
        sa.Column("stories_id", sa.String(64), primary_key=True),
        sa.Column("iteration", sa.Integer, nullable=False),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("spidered", sa.Boolean, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("assume_match", sa.Boolean, nullable=False),
        sa.Column("link_mine_error", sa.Text),
    )
    op.create_index("topic_stories_state", "topic_stories", ["topics_id", "state", "iteration"])
    op.create_table(
        "topic_links",
        sa.Column("topics_id", Id, primary_key=True),
        sa.Column("stories_id", sa.String(64), primary_key=True),
        sa.Column("url_key", sa.String(64), primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("fetched", sa.Boolean, nullable=False),
        sa.Column("ref_stories_id", sa.String(64)),
    )
    op.create_index("topic_links_url", "topic_links", ["topics_id", "url_key"])
    op.create_table(
        "topic_fetch_urls",
        sa.Column("topics_id", Id, primary_key=True),
        sa.Column("url_key", sa.String(64), primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("iteration", sa.Integer, nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("code", sa.Integer),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("stories_id", sa.String(64)),
        sa.Column("assume_match", sa.Boolean, nullable=False),
    )
    op.create_index("topic_fetch_urls_state", "topic_fetch_urls", ["topics_id", "state", "iteration"])
    op.create_table(
        "topic_sentences",
        sa.Column("topics_id", Id, primary_key=True),
        sa.Column("stories_id", sa.String(64), primary_key=True),
        sa.Column("fingerprint", sa.BigInteger, primary_key=True),
        sa.Column("media_id", sa.String(255), nullable=False),
        sa.Column("week", sa.String(10), nullable=False),
        sa.Column("iteration", sa.Integer, nullable=False),
    )
    op.create_index("topic_sentences_use", "topic_sentences", ["topics_id", "media_id", "week", "fingerprint"])
    op.create_table(
        "story_statistics",
        sa.Column("stories_id", sa.String(64), primary_key=True),
        sa.Column("facebook_share_count", sa.BigInteger),
        sa.Column("facebook_comment_count", sa.BigInteger),
        sa.Column("facebook_reaction_count", sa.BigInteger),
        sa.Column("facebook_collected_at", UtcDateTime),
        sa.Column("facebook_error", sa.Text),
    )
    op.create_table(
        "topic_merged_stories_map",
        sa.Column("topics_id", Id, primary_key=True),
        sa.Column("source_stories_id", sa.String(64), primary_key=True),
        sa.Column("target_stories_id", sa.String(64), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
    op.create_table(
        "topic_snapshots",
        sa.Column("id", Id, primary_key=True),
        sa.Column("topics_id", Id, nullable=False, index=True),
        sa.Column("run", sa.String(40), nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("inputs", sa.LargeBinary, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sqlite_autoincrement=True,
    )
