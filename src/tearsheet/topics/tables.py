"""The tables of topics. Migrations repeat them on purpose. Stories and pages are known by the hash of their normalised address."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, LargeBinary, String, Table, Text, false

from tearsheet.engines.database import UtcDateTime, metadata

Id = BigInteger().with_variant(Integer, "sqlite")

topics = Table(
    "topics",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("query", Text, nullable=False),
    Column("start_date", String(10)),
    Column("end_date", String(10)),
    Column("domains", Text, nullable=False),
    Column("max_iterations", Integer, nullable=False),
    Column("max_stories", Integer, nullable=False),
    Column("seconds_per_media_fetch", Float, nullable=False),
    Column("foci", Text, nullable=False),
    Column("timespans", Text, nullable=False),
    Column("state", String(20), nullable=False),
    Column("message", Text, nullable=False),
    Column("run", String(40), nullable=False),
    Column("seeded", Boolean, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("collections", Text, nullable=False, server_default="[]"),
    Column("corrected", Boolean, nullable=False, server_default=false()),
    Column("platforms", Boolean, nullable=False, server_default=false()),
    sqlite_autoincrement=True,
)

topic_posts = Table(
    "topic_posts",
    metadata,
    Column("topics_id", Id, primary_key=True),
    Column("post_id", String(200), primary_key=True),
    Column("author", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("publish_date", String(10), nullable=False),
    Column("content", Text, nullable=False),
)

topic_post_urls = Table(
    "topic_post_urls",
    metadata,
    Column("topics_id", Id, primary_key=True),
    Column("post_id", String(200), primary_key=True),
    Column("url_key", String(64), primary_key=True),
    Column("url", Text, nullable=False),
    Index("topic_post_urls_url", "topics_id", "url_key"),
)

topic_seed_urls = Table(
    "topic_seed_urls",
    metadata,
    Column("topics_id", Id, primary_key=True),
    Column("url_key", String(64), primary_key=True),
    Column("url", Text, nullable=False),
    Column("stories_id", String(64)),
    Column("source", String(40), nullable=False),
    Column("assume_match", Boolean, nullable=False),
    Column("processed", Boolean, nullable=False),
    Column("place", Integer, nullable=False, server_default="0"),
)

media_fetches = Table(
    "media_fetches",
    metadata,
    Column("media_id", String(255), primary_key=True),
    Column("fetched_at", Float, nullable=False),
)

web_stories = Table(
    "web_stories",
    metadata,
    Column("stories_id", String(64), primary_key=True),
    Column("url", Text, nullable=False),
    Column("media_id", String(255), nullable=False),
    Column("title", Text, nullable=False),
    Column("title_method", String(40), nullable=False),
    Column("publish_date", String(10)),
    Column("date_method", String(40), nullable=False),
    Column("description", Text, nullable=False),
    Column("language", String(8), nullable=False),
    Column("text", LargeBinary, nullable=False),
    Column("page", LargeBinary),
    Column("charset", String(80)),
)

unarchived_pages = Table(
    "unarchived_pages",
    metadata,
    Column("stories_id", String(64), primary_key=True),
    Column("fetched", LargeBinary, nullable=False),
)
"""How the pages in `web_stories` were fetched that are not in the archive yet. Once they are, they are nowhere else."""

story_urls = Table(
    "story_urls",
    metadata,
    Column("url_key", String(64), primary_key=True),
    Column("url", Text, nullable=False),
    Column("stories_id", String(64), nullable=False),
    Index("story_urls_story", "stories_id"),
)

topic_stories = Table(
    "topic_stories",
    metadata,
    Column("topics_id", Id, primary_key=True),
    Column("stories_id", String(64), primary_key=True),
    Column("iteration", Integer, nullable=False),
    Column("state", String(12), nullable=False),
    Column("spidered", Boolean, nullable=False),
    Column("why", Text, nullable=False),
    Column("assume_match", Boolean, nullable=False),
    Column("link_mine_error", Text),
    Column("found", Integer),
    Column("self_linked", Boolean, nullable=False, server_default=false()),
    Column("mined", Boolean, nullable=False, server_default=false()),
    Index("topic_stories_state", "topics_id", "state", "iteration"),
)

topic_links = Table(
    "topic_links",
    metadata,
    Column("topics_id", Id, primary_key=True),
    Column("stories_id", String(64), primary_key=True),
    Column("url_key", String(64), primary_key=True),
    Column("url", Text, nullable=False),
    Column("kind", String(10), nullable=False),
    Column("fetched", Boolean, nullable=False),
    Column("ref_stories_id", String(64)),
    Column("place", Integer, nullable=False, server_default="0"),
    Column("sentence", Text, nullable=False, server_default=""),
    Index("topic_links_url", "topics_id", "url_key"),
)

topic_fetch_urls = Table(
    "topic_fetch_urls",
    metadata,
    Column("topics_id", Id, primary_key=True),
    Column("url_key", String(64), primary_key=True),
    Column("url", Text, nullable=False),
    Column("iteration", Integer, nullable=False),
    Column("state", String(20), nullable=False),
    Column("code", Integer),
    Column("message", Text, nullable=False),
    Column("stories_id", String(64)),
    Column("assume_match", Boolean, nullable=False),
    Index("topic_fetch_urls_state", "topics_id", "state", "iteration"),
)

topic_jobs = Table(
    "topic_jobs",
    metadata,
    Column("topics_id", Id, primary_key=True),
    Column("job", String(40), primary_key=True),
    Column("item", String(64), primary_key=True),
    Column("run", String(40), nullable=False),
    Column("holder", String(40), nullable=False),
    Column("held_until", Float, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("turn", Float, nullable=False),
    Column("put_off", Boolean, nullable=False, server_default=false()),
    Index("topic_jobs_holder", "holder"),
)
"""Items that were offered to the workers or are held by one. The other tables say what is to be done."""

topic_sentences = Table(
    "topic_sentences",
    metadata,
    Column("topics_id", Id, primary_key=True),
    Column("stories_id", String(64), primary_key=True),
    Column("fingerprint", BigInteger, primary_key=True),
    Column("media_id", String(255), nullable=False),
    Column("week", String(10), nullable=False),
    Column("iteration", Integer, nullable=False),
    Index("topic_sentences_use", "topics_id", "media_id", "week", "fingerprint"),
)

story_statistics = Table(
    "story_statistics",
    metadata,
    Column("stories_id", String(64), primary_key=True),
    Column("facebook_share_count", BigInteger),
    Column("facebook_comment_count", BigInteger),
    Column("facebook_reaction_count", BigInteger),
    Column("facebook_collected_at", UtcDateTime),
    Column("facebook_error", Text),
)

topic_merged_stories_map = Table(
    "topic_merged_stories_map",
    metadata,
    Column("topics_id", Id, primary_key=True),
    Column("source_stories_id", String(64), primary_key=True),
    Column("target_stories_id", String(64), nullable=False),
    Column("reason", Text, nullable=False),
)

topic_decisions = Table(
    "topic_decisions",
    metadata,
    Column("id", Id, primary_key=True),
    Column("topics_id", Id, nullable=False, index=True),
    Column("kind", String(20), nullable=False),
    Column("subject", Text, nullable=False),
    Column("key", String(255), nullable=False),
    Column("target", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("decided_at", UtcDateTime, nullable=False),
    Column("undone_at", UtcDateTime),
    sqlite_autoincrement=True,
)
"""What people decided about a topic. `key` is that of an address, or a source; a decision on the same one takes its place."""

topic_snapshots = Table(
    "topic_snapshots",
    metadata,
    Column("id", Id, primary_key=True),
    Column("topics_id", Id, nullable=False, index=True),
    Column("run", String(40), nullable=False),
    Column("note", Text, nullable=False),
    Column("inputs", LargeBinary, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    sqlite_autoincrement=True,
)

topic_judgements = Table(
    "topic_judgements",
    metadata,
    Column("id", Id, primary_key=True),
    Column("topics_id", Id, nullable=False, index=True),
    Column("stories_id", String(64), nullable=False, index=True),
    Column("belongs", Boolean),
    Column("judged_at", UtcDateTime, nullable=False),
    sqlite_autoincrement=True,
)
"""What people judged of the matches of a topic: whether a story belongs to it, or that they could not tell."""

topic_snapshot_records = Table(
    "topic_snapshot_records",
    metadata,
    Column("snapshots_id", Id, primary_key=True, autoincrement=False),
    Column("topics_id", Id, nullable=False, index=True),
    Column("record", LargeBinary, nullable=False),
)
"""How a topic had come about when a snapshot was taken: definition, counts, decisions."""
