"""The tables of feeds, their fetch events and the stories seen; sources and collections. Migrations repeat them on purpose."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    false,
    text,
    true,
)

from tearsheet.engines.database import UtcDateTime, metadata, partial_index

Id = BigInteger().with_variant(Integer, "sqlite")

QUEUED = "queued"
FETCH_SUCCEEDED = "fetch_succeeded"
FETCH_FAILED = "fetch_failed"
FETCH_DISABLED = "fetch_disabled"
EVENTS = (QUEUED, FETCH_SUCCEEDED, FETCH_FAILED, FETCH_DISABLED)

sources = Table(
    "sources",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False),
    Column("domain", String(255), nullable=False),
    Column("homepage", Text),
    Column("created_at", UtcDateTime, nullable=False),
    Index("sources_domain", "domain"),
)

collections = Table(
    "collections",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(500), nullable=False, unique=True),
    Column("created_at", UtcDateTime, nullable=False),
)

collection_sources = Table(
    "collection_sources",
    metadata,
    Column("collection_id", Id, ForeignKey("collections.id", ondelete="CASCADE"), primary_key=True),
    Column("source_id", Id, ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True),
    Index("collection_sources_source", "source_id"),
)

feeds = Table(
    "feeds",
    metadata,
    # Set by an administrator.
    Column("id", Id, primary_key=True),
    Column("sources_id", Id),
    Column("name", Text),
    Column("url", Text, nullable=False),
    Column("active", Boolean, nullable=False, server_default=true()),
    Column("created_at", UtcDateTime, nullable=False),
    # Found by polling.
    Column("last_fetch_attempt", UtcDateTime),
    Column("last_fetch_success", UtcDateTime),
    Column("last_fetch_hash", String(32)),
    Column("last_fetch_failures", Float, nullable=False, server_default=text("0")),
    Column("http_etag", Text),
    Column("http_last_modified", Text),
    Column("next_fetch_attempt", UtcDateTime),
    Column("queued", Boolean, nullable=False, server_default=false()),
    Column("system_enabled", Boolean, nullable=False, server_default=true()),
    Column("update_minutes", Integer),
    Column("http_304", Boolean),
    Column("system_status", Text),
    Column("last_new_stories", UtcDateTime),
    Column("rss_title", Text),
    Column("poll_minutes", Integer),
    # Our own.
    Column("host", String(255), nullable=False),
    Column("due_at", UtcDateTime, nullable=False),
    Column("lease", String(40)),
    Column("admin_minutes", Integer),
    Column("next_fetch_reason", Text),
    Column("entries_hash", String(32)),
    Column("last_full_fetch", UtcDateTime),
    Column("http_lies", Boolean, nullable=False, server_default=false()),
    Column("redirect_url", Text),
    Column("redirect_seen", Integer, nullable=False, server_default=text("0")),
    Column("gone_seen", Integer, nullable=False, server_default=text("0")),
    Column("former_url", Text),
    Column("skip_times", String(200)),
    # Set by an administrator, too, or by the directory that the feed is from.
    Column("folders", Text),
    Column("homepage", Text),
    Column("user_agent", Text),
    Column("ignore_validators", Boolean, nullable=False, server_default=false()),
    Column("directory", String(500)),
    Column("modified_at", UtcDateTime),
    Column("rhythm", Text),
    Column("sitemaps", Text),
    Column("redirect_since", UtcDateTime),
    Column("moved_at", UtcDateTime),
    Column("former_checked", UtcDateTime),
    # Every feed that may be polled, by the time at which it is due: leasing the next thousand reads a thousand rows.
    partial_index("feeds_due", "due_at", where=text("active AND system_enabled")),
    Index("feeds_sources_id", "sources_id"),
    Index("feeds_host", "host"),
    Index("feeds_url", "url"),
    sqlite_autoincrement=True,
)

feed_secrets = Table(
    "feed_secrets",
    metadata,
    Column("feed_id", Id, primary_key=True, autoincrement=False),
    Column("origin", String(300), nullable=False),
    Column("username", Text),
    Column("password", Text),
    Column("token", Text),
    Column("cookie", Text),
    # Pairs of name and value, as JSON.
    Column("headers", Text),
)

feed_directories = Table(
    "feed_directories",
    metadata,
    Column("name", String(500), primary_key=True),
    Column("synced_at", UtcDateTime, nullable=False),
)

feed_sums = Table(
    "feed_sums",
    metadata,
    # What became of polls (`polls`) and of the entries in them (`stories`), since the database was made.
    Column("what", String(20), primary_key=True),
    Column("reason", String(100), primary_key=True),
    Column("count", BigInteger, nullable=False),
)

feed_id_marks = Table(
    "feed_id_marks",
    metadata,
    # The highest id that `feeds` or `sources` ever had, so that none is given twice, also after the highest was removed.
    Column("kind", String(20), primary_key=True),
    Column("highest", BigInteger, nullable=False),
)

feed_subscriptions = Table(
    "feed_subscriptions",
    metadata,
    Column("feed_id", Id, primary_key=True, autoincrement=False),
    Column("hub", Text, nullable=False),
    Column("topic", Text, nullable=False),
    # The last part of the address that the hub calls, and what it signs with. Nobody but the hub is told either.
    Column("token", String(64), nullable=False, unique=True),
    Column("secret", String(64), nullable=False),
    Column("state", String(20), nullable=False),
    Column("ask_at", UtcDateTime, nullable=False),
    Column("asked", Integer, nullable=False, server_default=text("0")),
    Column("lease_until", UtcDateTime),
    Column("pushed_at", UtcDateTime),
    Column("note", Text),
    Column("active_since", UtcDateTime),
)

feed_paces = Table(
    "feed_paces",
    metadata,
    # A source as `source:ID`. Shared by every poller of this database; the pace of hosts is in the table `hosts`.
    Column("key", String(300), primary_key=True),
    Column("next_start", UtcDateTime, nullable=False),
    Column("tail", UtcDateTime, nullable=False),
    Column("owner", String(40)),
    Column("owner_until", UtcDateTime),
)

fetch_events = Table(
    "fetch_events",
    metadata,
    Column("id", Id, primary_key=True),
    Column("feed_id", Id, nullable=False),
    Column("event", String(20), nullable=False),
    Column("note", Text),
    Column("created_at", UtcDateTime, nullable=False),
    Column("counts", Text),
    Index("fetch_events_feed", "feed_id", "id"),
    Index("fetch_events_created_at", "created_at"),
    sqlite_autoincrement=True,
)

feed_documents = Table(
    "feed_documents",
    metadata,
    # The last document of a feed that could not be read.
    Column("feed_id", Id, primary_key=True, autoincrement=False),
    Column("received_at", UtcDateTime, nullable=False),
    Column("note", Text, nullable=False),
    Column("size", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

stories = Table(
    "stories",
    metadata,
    Column("id", Id, primary_key=True),
    Column("feed_id", Id),
    Column("sources_id", Id),
    Column("url", Text, nullable=False),
    Column("normalized_url", Text, nullable=False),
    Column("guid", Text),
    Column("published_at", UtcDateTime),
    Column("fetched_at", UtcDateTime, nullable=False),
    Column("domain", String(255)),
    Column("title", Text),
    Column("normalized_title", Text),
    Column("normalized_title_hash", String(32)),
    Column("seen_at", UtcDateTime, nullable=False),
    Column("queued_at", UtcDateTime),
    # Our own: the guid as stories are found by it, and what else the entry said (see `polling/details`).
    Column("guid_key", String(255)),
    Column("details", Text),
    Index("stories_guid_key", "guid_key", "feed_id"),
    Index("stories_normalized_url", "normalized_url", unique=True),
    Index("stories_title", "normalized_title_hash", "sources_id"),
    Index("stories_sources_id", "sources_id", "fetched_at"),
    Index("stories_feed_id", "feed_id", "fetched_at"),
    Index("stories_fetched_at", "fetched_at"),
    Index("stories_published_at", "published_at"),
    Index("stories_seen_at", "seen_at"),
    partial_index("stories_unqueued", "id", where=text("queued_at IS NULL")),
    sqlite_autoincrement=True,
)
