CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0028');
CREATE TABLE archive_files (
	id INTEGER NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	"key" VARCHAR(400) NOT NULL, 
	path TEXT, 
	size BIGINT NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	stories INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	local BOOLEAN NOT NULL, addresses_known BOOLEAN DEFAULT 0 NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
CREATE TABLE archive_stores (
	name VARCHAR(200) NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	PRIMARY KEY (name)
);
CREATE TABLE archive_uploads (
	file_id INTEGER NOT NULL, 
	store VARCHAR(200) NOT NULL, 
	done BOOLEAN NOT NULL, 
	attempts INTEGER NOT NULL, 
	next_at DATETIME NOT NULL, 
	proved_at DATETIME, 
	error VARCHAR(500) NOT NULL, 
	PRIMARY KEY (file_id, store), 
	FOREIGN KEY(file_id) REFERENCES archive_files (id)
);
CREATE TABLE capture_addresses (
	url_key VARCHAR(64) NOT NULL, 
	story_id VARCHAR(64) NOT NULL, 
	url TEXT NOT NULL, 
	PRIMARY KEY (url_key, story_id), 
	FOREIGN KEY(story_id) REFERENCES captures (story_id) ON DELETE CASCADE
);
CREATE TABLE captures (
	story_id VARCHAR(64) NOT NULL, 
	index_id VARCHAR(64) NOT NULL, 
	url TEXT NOT NULL, 
	file_id INTEGER NOT NULL, 
	"offset" BIGINT NOT NULL, 
	length BIGINT NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	captured_at DATETIME NOT NULL, 
	PRIMARY KEY (story_id), 
	FOREIGN KEY(file_id) REFERENCES archive_files (id)
);
CREATE TABLE cdx (
	url TEXT NOT NULL, 
	datetime VARCHAR(14) NOT NULL, 
	surt TEXT NOT NULL, 
	sha1hex VARCHAR(40) NOT NULL, 
	mimetype VARCHAR(200) NOT NULL, 
	status_code INTEGER NOT NULL, 
	warc_path TEXT, 
	warc_csize BIGINT, 
	warc_offset BIGINT, 
	row_created DATETIME NOT NULL, 
	hide BOOLEAN NOT NULL, 
	PRIMARY KEY (url, datetime)
);
CREATE TABLE collection_sources (
	collection_id INTEGER NOT NULL, 
	source_id INTEGER NOT NULL, 
	PRIMARY KEY (collection_id, source_id), 
	FOREIGN KEY(collection_id) REFERENCES collections (id) ON DELETE CASCADE, 
	FOREIGN KEY(source_id) REFERENCES sources (id) ON DELETE CASCADE
);
CREATE TABLE collections (
	id INTEGER NOT NULL, 
	name VARCHAR(500) NOT NULL, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
CREATE TABLE earlier_outcomes (
	id INTEGER NOT NULL, 
	story_id VARCHAR(36) NOT NULL, 
	stage VARCHAR(40) NOT NULL, 
	status VARCHAR(12) NOT NULL, 
	reason VARCHAR(80) NOT NULL, 
	detail VARCHAR(500) NOT NULL, 
	tries INTEGER NOT NULL, 
	happened_at DATETIME NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE erased_addresses (
	url_key VARCHAR(64) NOT NULL, 
	erasure_id INTEGER NOT NULL, 
	url TEXT, 
	PRIMARY KEY (url_key), 
	FOREIGN KEY(erasure_id) REFERENCES erasures (id)
);
CREATE TABLE erasures (
	id INTEGER NOT NULL, 
	reason VARCHAR(500) NOT NULL, 
	started_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	PRIMARY KEY (id)
);
CREATE TABLE feed_directories (
	name VARCHAR(500) NOT NULL, 
	synced_at DATETIME NOT NULL, 
	PRIMARY KEY (name)
);
CREATE TABLE feed_documents (
	feed_id INTEGER NOT NULL, 
	received_at DATETIME NOT NULL, 
	note TEXT NOT NULL, 
	size INTEGER NOT NULL, 
	body BLOB NOT NULL, 
	PRIMARY KEY (feed_id)
);
CREATE TABLE feed_id_marks (
	kind VARCHAR(20) NOT NULL, 
	highest BIGINT NOT NULL, 
	PRIMARY KEY (kind)
);
CREATE TABLE feed_paces (
	"key" VARCHAR(300) NOT NULL, 
	next_start DATETIME NOT NULL, 
	tail DATETIME NOT NULL, 
	owner VARCHAR(40), 
	owner_until DATETIME, 
	PRIMARY KEY ("key")
);
CREATE TABLE feed_secrets (
	feed_id INTEGER NOT NULL, 
	origin VARCHAR(300) NOT NULL, 
	username TEXT, 
	password TEXT, 
	token TEXT, 
	cookie TEXT, 
	headers TEXT, 
	PRIMARY KEY (feed_id)
);
CREATE TABLE feed_subscriptions (
	feed_id INTEGER NOT NULL, 
	hub TEXT NOT NULL, 
	topic TEXT NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	secret VARCHAR(64) NOT NULL, 
	state VARCHAR(20) NOT NULL, 
	ask_at DATETIME NOT NULL, 
	asked INTEGER DEFAULT '0' NOT NULL, 
	lease_until DATETIME, 
	pushed_at DATETIME, 
	note TEXT, active_since DATETIME, 
	PRIMARY KEY (feed_id), 
	UNIQUE (token)
);
CREATE TABLE feed_sums (
	what VARCHAR(20) NOT NULL, 
	reason VARCHAR(100) NOT NULL, 
	count BIGINT NOT NULL, 
	PRIMARY KEY (what, reason)
);
CREATE TABLE feeds (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	sources_id INTEGER, 
	name TEXT, 
	url TEXT NOT NULL, 
	active BOOLEAN DEFAULT 1 NOT NULL, 
	created_at DATETIME NOT NULL, 
	last_fetch_attempt DATETIME, 
	last_fetch_success DATETIME, 
	last_fetch_hash VARCHAR(32), 
	last_fetch_failures FLOAT DEFAULT 0 NOT NULL, 
	http_etag TEXT, 
	http_last_modified TEXT, 
	next_fetch_attempt DATETIME, 
	queued BOOLEAN DEFAULT 0 NOT NULL, 
	system_enabled BOOLEAN DEFAULT 1 NOT NULL, 
	update_minutes INTEGER, 
	http_304 BOOLEAN, 
	system_status TEXT, 
	last_new_stories DATETIME, 
	rss_title TEXT, 
	poll_minutes INTEGER, 
	host VARCHAR(255) NOT NULL, 
	due_at DATETIME NOT NULL, 
	lease VARCHAR(40), 
	admin_minutes INTEGER, 
	next_fetch_reason TEXT, 
	entries_hash VARCHAR(32), 
	last_full_fetch DATETIME, 
	http_lies BOOLEAN DEFAULT 0 NOT NULL, 
	redirect_url TEXT, 
	redirect_seen INTEGER DEFAULT 0 NOT NULL, 
	gone_seen INTEGER DEFAULT 0 NOT NULL, 
	former_url TEXT, 
	skip_times VARCHAR(200)
, folders TEXT, homepage TEXT, user_agent TEXT, ignore_validators BOOLEAN DEFAULT 0 NOT NULL, directory VARCHAR(500), modified_at DATETIME, rhythm TEXT, sitemaps TEXT, redirect_since DATETIME, moved_at DATETIME, former_checked DATETIME);
CREATE TABLE fetch_events (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	feed_id INTEGER NOT NULL, 
	event VARCHAR(20) NOT NULL, 
	note TEXT, 
	created_at DATETIME NOT NULL, 
	counts TEXT
);
CREATE TABLE file_meta (
	sha1hex VARCHAR(40) NOT NULL, 
	sha256hex VARCHAR(64) NOT NULL, 
	md5hex VARCHAR(32) NOT NULL, 
	size_bytes BIGINT NOT NULL, 
	mimetype VARCHAR(200) NOT NULL, 
	PRIMARY KEY (sha1hex)
);
CREATE TABLE hosts (
	host VARCHAR(255) NOT NULL, 
	average FLOAT NOT NULL, 
	next_start FLOAT NOT NULL, 
	blocked_until FLOAT NOT NULL, 
	throttle FLOAT NOT NULL, 
	failures INTEGER NOT NULL, 
	failed_until FLOAT NOT NULL, 
	crawl_delay FLOAT NOT NULL, 
	updated FLOAT NOT NULL, started FLOAT DEFAULT '0' NOT NULL, 
	PRIMARY KEY (host)
);
CREATE TABLE html_meta (
	sha1hex VARCHAR(40) NOT NULL, 
	updated DATETIME NOT NULL, 
	status VARCHAR(100) NOT NULL, 
	scope VARCHAR(40), 
	has_teixml BOOLEAN NOT NULL, 
	has_thumbnail BOOLEAN NOT NULL, 
	word_count INTEGER, 
	biblio JSON, 
	resources JSON, 
	PRIMARY KEY (sha1hex)
);
CREATE TABLE ingest_file_result (
	ingest_type VARCHAR(20) NOT NULL, 
	base_url TEXT NOT NULL, 
	updated DATETIME NOT NULL, 
	hit BOOLEAN NOT NULL, 
	status VARCHAR(100) NOT NULL, 
	terminal_url TEXT, 
	terminal_dt VARCHAR(14), 
	terminal_status_code INTEGER, 
	terminal_sha1hex VARCHAR(40), 
	PRIMARY KEY (ingest_type, base_url)
);
CREATE TABLE ingest_outbox (
	id INTEGER NOT NULL, 
	topic VARCHAR(200) NOT NULL, 
	"key" TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE media_fetches (
	media_id VARCHAR(255) NOT NULL, 
	fetched_at FLOAT NOT NULL, 
	PRIMARY KEY (media_id)
);
CREATE TABLE outcome_days (
	day VARCHAR(10) NOT NULL, 
	stage VARCHAR(40) NOT NULL, 
	status VARCHAR(12) NOT NULL, 
	reason VARCHAR(80) NOT NULL, 
	source_id BIGINT NOT NULL, 
	feed_id BIGINT NOT NULL, 
	domain VARCHAR(255) NOT NULL, 
	stories BIGINT NOT NULL, 
	PRIMARY KEY (day, stage, status, reason, source_id, feed_id, domain)
);
CREATE TABLE outcome_totals (
	stage VARCHAR(40) NOT NULL, 
	status VARCHAR(12) NOT NULL, 
	reason VARCHAR(80) NOT NULL, 
	stories BIGINT NOT NULL, 
	recorded BIGINT NOT NULL, 
	PRIMARY KEY (stage, status, reason)
);
CREATE TABLE outcomes (
	story_id VARCHAR(36) NOT NULL, 
	stage VARCHAR(40) NOT NULL, 
	status VARCHAR(12) NOT NULL, 
	reason VARCHAR(80) NOT NULL, 
	detail VARCHAR(500) NOT NULL, 
	source_id BIGINT, 
	feed_id BIGINT, 
	domain VARCHAR(255) NOT NULL, 
	url VARCHAR(2048) NOT NULL, 
	happened_at DATETIME NOT NULL, link VARCHAR(2048) DEFAULT '' NOT NULL, tries INTEGER DEFAULT '1' NOT NULL, 
	PRIMARY KEY (story_id, stage)
);
CREATE TABLE robots (
	origin VARCHAR(300) NOT NULL, 
	text BLOB NOT NULL, 
	fetched_at FLOAT NOT NULL, 
	PRIMARY KEY (origin)
);
CREATE TABLE sources (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	domain VARCHAR(255) NOT NULL, 
	homepage TEXT, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE stage_times (
	stage VARCHAR(40) NOT NULL, 
	at_most VARCHAR(10) NOT NULL, 
	stories BIGINT NOT NULL, 
	seconds FLOAT NOT NULL, 
	PRIMARY KEY (stage, at_most)
);
CREATE TABLE stale_copies (
	file_id INTEGER NOT NULL, 
	store VARCHAR(200) NOT NULL, 
	PRIMARY KEY (file_id, store), 
	FOREIGN KEY(file_id) REFERENCES archive_files (id)
);
CREATE TABLE stories (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	feed_id INTEGER, 
	sources_id INTEGER, 
	url TEXT NOT NULL, 
	normalized_url TEXT NOT NULL, 
	guid TEXT, 
	published_at DATETIME, 
	fetched_at DATETIME NOT NULL, 
	domain VARCHAR(255), 
	title TEXT, 
	normalized_title TEXT, 
	normalized_title_hash VARCHAR(32), 
	seen_at DATETIME NOT NULL, 
	queued_at DATETIME
, guid_key VARCHAR(255), details TEXT);
CREATE TABLE story_statistics (
	stories_id VARCHAR(64) NOT NULL, 
	facebook_share_count BIGINT, 
	facebook_comment_count BIGINT, 
	facebook_reaction_count BIGINT, 
	facebook_collected_at DATETIME, 
	facebook_error TEXT, 
	PRIMARY KEY (stories_id)
);
CREATE TABLE story_urls (
	url_key VARCHAR(64) NOT NULL, 
	url TEXT NOT NULL, 
	stories_id VARCHAR(64) NOT NULL, 
	PRIMARY KEY (url_key)
);
CREATE TABLE tokens (
	id INTEGER NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	rights VARCHAR(10) NOT NULL, 
	created_at DATETIME NOT NULL, 
	last_used_at DATETIME, expires_at DATETIME, collections JSON, 
	PRIMARY KEY (id), 
	UNIQUE (name), 
	UNIQUE (digest)
);
CREATE TABLE tombstones (
	file VARCHAR(255) NOT NULL, 
	story_id VARCHAR(64) NOT NULL, 
	erasure_id INTEGER NOT NULL, 
	url_key VARCHAR(64) NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	captured_at DATETIME NOT NULL, 
	PRIMARY KEY (file, story_id), 
	FOREIGN KEY(erasure_id) REFERENCES erasures (id)
);
CREATE TABLE topic_decisions (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	topics_id INTEGER NOT NULL, 
	kind VARCHAR(20) NOT NULL, 
	subject TEXT NOT NULL, 
	"key" VARCHAR(255) NOT NULL, 
	target TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	decided_at DATETIME NOT NULL, 
	undone_at DATETIME
);
CREATE TABLE topic_fetch_urls (
	topics_id INTEGER NOT NULL, 
	url_key VARCHAR(64) NOT NULL, 
	url TEXT NOT NULL, 
	iteration INTEGER NOT NULL, 
	state VARCHAR(20) NOT NULL, 
	code INTEGER, 
	message TEXT NOT NULL, 
	stories_id VARCHAR(64), 
	assume_match BOOLEAN NOT NULL, 
	PRIMARY KEY (topics_id, url_key)
);
CREATE TABLE topic_jobs (
	topics_id INTEGER NOT NULL, 
	job VARCHAR(40) NOT NULL, 
	item VARCHAR(64) NOT NULL, 
	run VARCHAR(40) NOT NULL, 
	holder VARCHAR(40) NOT NULL, 
	held_until FLOAT NOT NULL, 
	tries INTEGER NOT NULL, 
	turn FLOAT NOT NULL, put_off BOOLEAN DEFAULT 0 NOT NULL, 
	PRIMARY KEY (topics_id, job, item)
);
CREATE TABLE topic_judgements (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	topics_id INTEGER NOT NULL, 
	stories_id VARCHAR(64) NOT NULL, 
	belongs BOOLEAN, 
	judged_at DATETIME NOT NULL
);
CREATE TABLE topic_links (
	topics_id INTEGER NOT NULL, 
	stories_id VARCHAR(64) NOT NULL, 
	url_key VARCHAR(64) NOT NULL, 
	url TEXT NOT NULL, 
	kind VARCHAR(10) NOT NULL, 
	fetched BOOLEAN NOT NULL, 
	ref_stories_id VARCHAR(64), place INTEGER DEFAULT '0' NOT NULL, sentence TEXT DEFAULT '' NOT NULL, 
	PRIMARY KEY (topics_id, stories_id, url_key)
);
CREATE TABLE topic_merged_stories_map (
	topics_id INTEGER NOT NULL, 
	source_stories_id VARCHAR(64) NOT NULL, 
	target_stories_id VARCHAR(64) NOT NULL, 
	reason TEXT NOT NULL, 
	PRIMARY KEY (topics_id, source_stories_id)
);
CREATE TABLE topic_post_urls (
	topics_id INTEGER NOT NULL, 
	post_id VARCHAR(200) NOT NULL, 
	url_key VARCHAR(64) NOT NULL, 
	url TEXT NOT NULL, 
	PRIMARY KEY (topics_id, post_id, url_key)
);
CREATE TABLE topic_posts (
	topics_id INTEGER NOT NULL, 
	post_id VARCHAR(200) NOT NULL, 
	author TEXT NOT NULL, 
	channel TEXT NOT NULL, 
	publish_date VARCHAR(10) NOT NULL, 
	content TEXT NOT NULL, 
	PRIMARY KEY (topics_id, post_id)
);
CREATE TABLE topic_seed_urls (
	topics_id INTEGER NOT NULL, 
	url_key VARCHAR(64) NOT NULL, 
	url TEXT NOT NULL, 
	stories_id VARCHAR(64), 
	source VARCHAR(40) NOT NULL, 
	assume_match BOOLEAN NOT NULL, 
	processed BOOLEAN NOT NULL, place INTEGER DEFAULT '0' NOT NULL, 
	PRIMARY KEY (topics_id, url_key)
);
CREATE TABLE topic_sentences (
	topics_id INTEGER NOT NULL, 
	stories_id VARCHAR(64) NOT NULL, 
	fingerprint BIGINT NOT NULL, 
	media_id VARCHAR(255) NOT NULL, 
	week VARCHAR(10) NOT NULL, 
	iteration INTEGER NOT NULL, 
	PRIMARY KEY (topics_id, stories_id, fingerprint)
);
CREATE TABLE topic_snapshot_records (
	snapshots_id INTEGER NOT NULL, 
	topics_id INTEGER NOT NULL, 
	record BLOB NOT NULL, 
	PRIMARY KEY (snapshots_id)
);
CREATE TABLE topic_snapshots (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	topics_id INTEGER NOT NULL, 
	run VARCHAR(40) NOT NULL, 
	note TEXT NOT NULL, 
	inputs BLOB NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	created_at DATETIME NOT NULL
);
CREATE TABLE topic_stories (
	topics_id INTEGER NOT NULL, 
	stories_id VARCHAR(64) NOT NULL, 
	iteration INTEGER NOT NULL, 
	state VARCHAR(12) NOT NULL, 
	spidered BOOLEAN NOT NULL, 
	why TEXT NOT NULL, 
	assume_match BOOLEAN NOT NULL, 
	link_mine_error TEXT, found INTEGER, self_linked BOOLEAN DEFAULT 0 NOT NULL, mined BOOLEAN DEFAULT 0 NOT NULL, 
	PRIMARY KEY (topics_id, stories_id)
);
CREATE TABLE topics (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name VARCHAR(200) NOT NULL, 
	"query" TEXT NOT NULL, 
	start_date VARCHAR(10), 
	end_date VARCHAR(10), 
	domains TEXT NOT NULL, 
	max_iterations INTEGER NOT NULL, 
	max_stories INTEGER NOT NULL, 
	seconds_per_media_fetch FLOAT NOT NULL, 
	foci TEXT NOT NULL, 
	timespans TEXT NOT NULL, 
	state VARCHAR(20) NOT NULL, 
	message TEXT NOT NULL, 
	run VARCHAR(40) NOT NULL, 
	seeded BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, collections TEXT DEFAULT '[]' NOT NULL, corrected BOOLEAN DEFAULT 0 NOT NULL, platforms BOOLEAN DEFAULT 0 NOT NULL, 
	UNIQUE (name)
);
CREATE TABLE unarchived_pages (
	stories_id VARCHAR(64) NOT NULL, 
	fetched BLOB NOT NULL, 
	PRIMARY KEY (stories_id)
);
CREATE TABLE web_stories (
	stories_id VARCHAR(64) NOT NULL, 
	url TEXT NOT NULL, 
	media_id VARCHAR(255) NOT NULL, 
	title TEXT NOT NULL, 
	title_method VARCHAR(40) NOT NULL, 
	publish_date VARCHAR(10), 
	date_method VARCHAR(40) NOT NULL, 
	description TEXT NOT NULL, 
	language VARCHAR(8) NOT NULL, 
	text BLOB NOT NULL, 
	page BLOB, 
	charset VARCHAR(80), 
	PRIMARY KEY (stories_id)
);
CREATE TABLE workers (
	id VARCHAR(80) NOT NULL, 
	stage VARCHAR(40) NOT NULL, 
	host VARCHAR(255) NOT NULL, 
	pid INTEGER NOT NULL, 
	started_at DATETIME NOT NULL, 
	seen_at DATETIME NOT NULL, 
	settled BIGINT NOT NULL, 
	per_second FLOAT NOT NULL, stalled_seconds FLOAT DEFAULT '0' NOT NULL, 
	PRIMARY KEY (id)
);
CREATE INDEX archive_uploads_due ON archive_uploads (done, next_at);
CREATE INDEX cdx_surt ON cdx (surt, datetime);
CREATE INDEX collection_sources_source ON collection_sources (source_id);
CREATE INDEX earlier_outcomes_by_story ON earlier_outcomes (story_id);
CREATE INDEX earlier_outcomes_by_time ON earlier_outcomes (happened_at);
CREATE INDEX feeds_due ON feeds (due_at) WHERE active AND system_enabled;
CREATE INDEX feeds_host ON feeds (host);
CREATE INDEX feeds_sources_id ON feeds (sources_id);
CREATE INDEX feeds_url ON feeds (url);
CREATE INDEX fetch_events_created_at ON fetch_events (created_at);
CREATE INDEX fetch_events_feed ON fetch_events (feed_id, id);
CREATE INDEX ix_archive_files_created_at ON archive_files (created_at);
CREATE INDEX ix_capture_addresses_story_id ON capture_addresses (story_id);
CREATE INDEX ix_captures_file_id ON captures (file_id);
CREATE INDEX ix_captures_index_id ON captures (index_id);
CREATE INDEX ix_cdx_sha1hex ON cdx (sha1hex);
CREATE INDEX ix_erased_addresses_erasure_id ON erased_addresses (erasure_id);
CREATE INDEX ix_hosts_updated ON hosts (updated);
CREATE INDEX ix_ingest_file_result_status ON ingest_file_result (status);
CREATE INDEX ix_ingest_file_result_terminal_sha1hex ON ingest_file_result (terminal_sha1hex);
CREATE INDEX ix_robots_fetched_at ON robots (fetched_at);
CREATE INDEX ix_tombstones_erasure_id ON tombstones (erasure_id);
CREATE INDEX ix_tombstones_url_key ON tombstones (url_key);
CREATE INDEX ix_topic_decisions_topics_id ON topic_decisions (topics_id);
CREATE INDEX ix_topic_judgements_stories_id ON topic_judgements (stories_id);
CREATE INDEX ix_topic_judgements_topics_id ON topic_judgements (topics_id);
CREATE INDEX ix_topic_snapshot_records_topics_id ON topic_snapshot_records (topics_id);
CREATE INDEX ix_topic_snapshots_topics_id ON topic_snapshots (topics_id);
CREATE INDEX outcome_days_by_domain ON outcome_days (domain, day);
CREATE INDEX outcomes_by_link ON outcomes (link) WHERE link != '';
CREATE INDEX outcomes_by_reason ON outcomes (reason, happened_at);
CREATE INDEX outcomes_by_time ON outcomes (happened_at);
CREATE INDEX outcomes_by_url ON outcomes (url);
CREATE INDEX sources_domain ON sources (domain);
CREATE INDEX stories_feed_id ON stories (feed_id, fetched_at);
CREATE INDEX stories_fetched_at ON stories (fetched_at);
CREATE INDEX stories_guid_key ON stories (guid_key, feed_id);
CREATE INDEX stories_published_at ON stories (published_at);
CREATE INDEX stories_seen_at ON stories (seen_at);
CREATE INDEX stories_sources_id ON stories (sources_id, fetched_at);
CREATE INDEX stories_title ON stories (normalized_title_hash, sources_id);
CREATE INDEX stories_unqueued ON stories (id) WHERE queued_at IS NULL;
CREATE INDEX story_urls_story ON story_urls (stories_id);
CREATE INDEX topic_fetch_urls_state ON topic_fetch_urls (topics_id, state, iteration);
CREATE INDEX topic_jobs_holder ON topic_jobs (holder);
CREATE INDEX topic_links_url ON topic_links (topics_id, url_key);
CREATE INDEX topic_post_urls_url ON topic_post_urls (topics_id, url_key);
CREATE INDEX topic_sentences_use ON topic_sentences (topics_id, media_id, week, fingerprint);
CREATE INDEX topic_stories_state ON topic_stories (topics_id, state, iteration);
CREATE UNIQUE INDEX stories_normalized_url ON stories (normalized_url);
