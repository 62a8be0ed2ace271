"""The list of all settings, section by section: each with its default and what it means."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tearsheet import __version__

_RELEASE = ".".join(__version__.split(".")[:2])
"""Major and minor version, as in `0.1`: servers need not know which patch release we run."""


def _setting(default: Any, help: str, *, secret: bool = False, place: bool = False) -> Any:
    secret = secret or place
    meta = {"help": help, "secret": secret, "place": place}
    if isinstance(default, (list, dict)):
        return field(default_factory=lambda: type(default)(default), metadata=meta, repr=not secret)
    return field(default=default, metadata=meta, repr=not secret)


@dataclass(slots=True)
class EngineSettings:
    """One path or URL for each engine. A path without a scheme is inside the data folder unless it is absolute."""

    database: str = _setting("tearsheet.db", "a file of SQLite or `postgresql://USER:PASSWORD@HOST/NAME`", place=True)
    broker: str = _setting("queues.db", "a file of SQLite or `amqp://USER:PASSWORD@HOST/VHOST`", place=True)
    index: str = _setting(
        "index",
        "a folder of tantivy, `opensearch://HOST:PORT/ALIAS` or `elasticsearch://HOST:PORT/ALIAS`",
        place=True,
    )
    blobs: str = _setting("blobs", "a folder or `s3://KEY:SECRET@HOST:PORT/BUCKET`", place=True)
    events: str = _setting("events", "a folder or `kafka://HOST:PORT`", place=True)
    patience_seconds: float = _setting(60.0, "how long a lost connection is waited out before the command gives up")
    query_seconds: float = _setting(
        2.0, "longest time for what one answer asks of the index, for each page of an export; 0 means no limit"
    )
    index_rollover_stories: int = _setting(
        200_000_000,
        "on a search server: stories in one index before a new one is started behind the alias; 0 means no limit",
    )
    index_rollover_bytes: int = _setting(0, "on a search server: size at which a new index is started; 0 means none")
    index_rollover_days: float = _setting(0.0, "on a search server: age at which a new index is started; 0 means none")
    index_keep_days: float = _setting(
        0.0, "on a search server: days after its last story that an old index is removed; 0 means never"
    )


@dataclass(slots=True)
class StorageSettings:
    """What of the data folder is kept, who may read it, and how full its disk may be."""

    group_reads: bool = _setting(
        False, "let your group read new files (0640) and folders (0750); otherwise only you can (0600, 0700)"
    )
    ledger_days: int = _setting(
        90,
        "days for which the ledger remembers what each story met; of earlier ones it has daily sums. 0 means for ever",
    )
    min_free_bytes: int = _setting(
        1_000_000_000, "free disk below which queuers pause until there is room again; 0 means none"
    )


@dataclass(slots=True)
class FetchSettings:
    """How pages and feeds are fetched."""

    user_agent: str = _setting(
        f"Mozilla/5.0 (compatible; Tearsheet/{_RELEASE}; news archive for research)",
        "how we introduce ourselves to servers",
    )
    timeout_seconds: float = _setting(60.0, "total time for one page, redirects included")
    max_bytes: int = _setting(10_000_000, "largest page, after decompression; counted while reading")
    max_redirects: int = _setting(15, "longest chain of redirects")
    concurrency: int = _setting(64, "pages fetched at the same time by one process")
    per_host: int = _setting(2, "requests to one host at the same time, by one process")
    interval_seconds: float = _setting(2.0, "shortest time between two requests to one host, by any process")
    obey_robots: bool = _setting(True, "fetch robots.txt and obey it")
    manners_off: dict[str, str] = _setting(
        {},
        "hosts you own, and what is switched off for them: `pace`, `robots`, `retry-after`, `failing` or `all`, "
        'as `{"paper.example" = "robots pace"}`',
    )
    allow_addresses: list[str] = _setting([], "private networks that may be fetched from, such as `127.0.0.0/8`")
    connect_to: dict[str, str] = _setting(
        {}, 'host names to connect to at another address: `{"name.example" = "127.0.0.1:8080"}`'
    )


@dataclass(slots=True)
class FeedSettings:
    """How feeds are polled."""

    interval_minutes: int = _setting(360, "time between two polls of a feed that says nothing about it")
    min_minutes: int = _setting(10, "shortest time between two polls of one feed")
    max_minutes: int = _setting(1440, "longest time between two polls of a feed that works")
    eagerness: float = _setting(
        1.0, "how eagerly feeds whose rhythm is known are polled: 2 is about twice as often, 0.5 half as often"
    )
    obey_max_age: bool = _setting(
        True,
        "leave a feed alone for as long as HTTP (`max-age`, `Expires`) says that it stays fresh, up to `max_minutes`",
    )
    max_failures: float = _setting(
        30.0, "failures in a row (hard 1, soft 0.5, temporary 0.25) after which a feed is disabled"
    )
    disable_failing: bool = _setting(
        True, "disable feeds past `max_failures`; otherwise they are tried ever more rarely"
    )
    callback_url: str = _setting(
        "",
        "our own address on the web, as `https://news.example.org`: hubs (WebSub) are then asked to tell of news there; "
        "empty means that feeds are only polled",
    )
    move_days: float = _setting(
        3.0, "days for which a feed must have redirected for good before its new address is taken"
    )
    gap_pages: int = _setting(
        5, "older pages of a feed that are read at most when nothing of its document is known, as after an outage"
    )
    concurrency: int = _setting(64, "feeds fetched at the same time by one process")
    per_host: int = _setting(2, "feeds fetched at the same time from one host by one process, and of one source by all")
    interval_seconds: float = _setting(
        5.0,
        "shortest time between two feeds of one source, and of one host in one process; `fetch.interval_seconds` applies too",
    )
    timeout_seconds: float = _setting(60.0, "total time for one feed, redirects included")
    max_bytes: int = _setting(
        15_000_000, "largest feed, after decompression, also of a gzip file; counted while reading"
    )
    max_stories: int = _setting(2_000, "stories taken from one document; the rest is counted as skipped")
    title_days: int = _setting(7, "days in which a source's second story of the same title is a duplicate")
    story_days: int = _setting(14, "days for which stories that left their feeds are remembered")
    events_kept: int = _setting(60, "fetch events kept for each feed")
    server_name: str = _setting("tearsheet", "our name in `via`, as in `123@tearsheet`")
    remote: str = _setting(
        "",
        "an rss-fetcher whose stories are taken instead of polling feeds here: `https://USER:PASSWORD@HOST`",
        secret=True,
    )
    directory_token: str = _setting(
        "", "token for the server of `tearsheet feeds sync`, sent as `Authorization: Token …`", secret=True
    )


@dataclass(slots=True)
class PipelineSettings:
    """How stages work on stories."""

    low_water: int = _setting(5_000, "queuers start again when the next queue is below this")
    high_water: int = _setting(20_000, "queuers and stages stop when the next queue has reached this")
    max_retries: int = _setting(10, "tries after the first before a story is given up")
    retry_seconds: float = _setting(60.0, "pause before the first retry; each further one is twice as long")
    max_retry_seconds: float = _setting(14_400.0, "longest pause between two tries")
    parser_processes: int = _setting(
        0, "processes that parse pages, and as many again that read feeds and documents; 0 means one for each core"
    )
    page_seconds: float = _setting(
        30.0, "longest time for reading one page, feed or document before its process is ended"
    )
    import_batch: int = _setting(500, "stories indexed at once")
    import_seconds: float = _setting(2.0, "longest wait for an import batch to fill")
    downloads: str = _setting(
        "",
        "blob store of the `historical` pipeline's pages, as `s3://KEY:SECRET@HOST/BUCKET`; empty means `engines.blobs`",
        place=True,
    )


@dataclass(slots=True)
class ArchiveSettings:
    """How captures are archived."""

    folder: str = _setting("archive", "folder of finished WARC files, inside the data folder unless absolute")
    profile: str = _setting(
        "mediacloud", "`mediacloud` (WARC 1.0 as Media Cloud writes it) or `full` (WARC 1.1, true headers)"
    )
    prefix: str = _setting("mc", "first part of the file names")
    max_stories: int = _setting(5_000, "stories in one file")
    max_seconds: float = _setting(900.0, "longest time that stories wait for their file to fill")
    max_bytes: int = _setting(1_000_000_000, "size at which a file is closed")
    stores: list[str] = _setting(
        [],
        "stores that every file is copied to: a folder (on another disk, as `file:///mnt/disk/copies`) or "
        "`s3://KEY:SECRET@HOST:PORT/BUCKET`",
        place=True,
    )
    remove_local: bool = _setting(False, "remove a file here once it has a proved copy in every store")
    local_days: float = _setting(7.0, "days that such a file stays here all the same")


@dataclass(slots=True)
class PagesSettings:
    """The dated page store, which can be written beside the archive."""

    active: bool = _setting(False, "store every story's page there too")
    folder: str = _setting("pages", "base folder of the store, inside the data folder unless absolute")


@dataclass(slots=True)
class TopicSettings:
    """How topics are spidered."""

    seconds_per_media_fetch: float = _setting(10.0, "shortest time between two fetches from one source by a topic")
    max_retries: int = _setting(3, "tries after the first before a link is given up")
    retry_seconds: float = _setting(30.0, "pause before the first retry of a link; each further one is twice as long")
    wait_seconds: float = _setting(
        5.0, "longest wait for a link's next try; one that must wait longer is put off, and nothing waits for it"
    )
    max_self_linked: int = _setting(200, "stories that one source may bring by links within itself")
    poll_seconds: float = _setting(1.0, "how often a running topic checks its progress")
    stuck_seconds: float = _setting(1_800.0, "time without any progress after which a topic fails")
    max_error_share: float = _setting(0.02, "share of links and stories that may fail through our own errors")
    archive: bool = _setting(True, "keep the pages that a topic takes in the archive; without it, only in the database")
    facebook_url: str = _setting("https://graph.facebook.com/v21.0", "base address of the Facebook Graph API")
    facebook_token: str = _setting("", "token of the Graph API; without one share counts are skipped", secret=True)
    facebook_wait_seconds: float = _setting(3_600.0, "longest wait for share counts after spidering")


@dataclass(slots=True)
class IngestSettings:
    """How single web documents are ingested."""

    deadline_seconds: float = _setting(600.0, "longest time for one document and everything that belongs to it")
    max_bytes: int = _setting(134_217_728, "largest document, after decompression; counted while reading")
    max_resources: int = _setting(200, "sub-resources above which a document is refused")
    resource_seconds: float = _setting(30.0, "longest time for one sub-resource")
    environment: str = _setting("prod", "middle of the topics' names, as in `sandcrawler-prod.html-teixml`")
    bucket: str = _setting(
        "sandcrawler", "bucket of `engines.blobs` that texts are kept in; a folder where that is a folder"
    )


@dataclass(slots=True)
class BackupSettings:
    """Where `tearsheet backup` keeps backups."""

    place: str = _setting(
        "",
        "where backups are kept when the command names no place: `/mnt/disk/backups` or `s3://KEY:SECRET@HOST/BUCKET`",
        place=True,
    )


@dataclass(slots=True)
class WebSettings:
    """The server of `tearsheet serve` and `tearsheet run`."""

    host: str = _setting("127.0.0.1", "address to listen on; other than loopback, every request needs a token")
    port: int = _setting(8700, "port to listen on")
    socket: str = _setting("", "Unix socket to listen on instead of host and port; only this user can open it")
    certificate: str = _setting("", "PEM file of the certificate, with its chain; with `web.key`, HTTPS is served")
    key: str = _setting("", "PEM file of the certificate's key, without a password")
    local_rights: str = _setting(
        "write",
        "what needs no token on loopback or a Unix socket: `write`, `read` or `none`; never what a proxy passed on",
    )
    open_rss: bool = _setting(
        True, "serve the daily files of entries (`/rss/mc-….rss.gz`) without a token, as an rss-fetcher does"
    )
    trusted_proxies: list[str] = _setting(
        [], "addresses or networks of proxies, or `unix`, that are believed when they say for whom they ask"
    )
    requests_per_minute: int = _setting(600, "requests a minute that one token may make; 0 means no limit")
    max_body_bytes: int = _setting(1_000_000, "largest body of a request; some routes take less")
    max_connections: int = _setting(1000, "connections at once; the one that waits longest makes room for the next")
    max_connections_per_address: int = _setting(
        100, "connections at once from one address, unless it is a trusted proxy"
    )
    head_seconds: float = _setting(10.0, "longest time for the head of a request to arrive, and for a TLS handshake")
    body_seconds: float = _setting(30.0, "longest time for the body of a request to arrive")
    idle_seconds: float = _setting(5.0, "how long a connection may be idle between two requests")
    reader_seconds: float = _setting(30.0, "how long a client may take nothing of an answer that is ready")
    request_seconds: float = _setting(120.0, "longest time until an answer begins, except `POST /ingest`")


@dataclass(slots=True)
class McpSettings:
    """The server for agents, `tearsheet mcp`: where it listens, and how much one client may see."""

    host: str = _setting(
        "127.0.0.1", "address that `--http` listens on; other than loopback, every request needs a token"
    )
    port: int = _setting(8701, "port that `--http` listens on; certificate, proxies and limits are those of `web`")
    calls: int = _setting(500, "calls that one client may make in a session; 0 means no limit")
    stories: int = _setting(2_000, "stories that one client is shown in a session; 0 means no limit")
    characters: int = _setting(500_000, "characters of answers that one client gets in a session; 0 means no limit")
    answer_characters: int = _setting(20_000, "characters of one answer; longer ones come in parts")
    session_hours: float = _setting(
        24.0, "hours from a client's first call until its budget starts afresh; on stdio it also ends with the process"
    )
    audit_bytes: int = _setting(
        10_000_000, "size at which the log of what agents saw is started afresh; the one before is kept beside it"
    )


@dataclass(slots=True)
class LogSettings:
    """What is written to stderr, and where errors are reported."""

    level: Literal["debug", "info", "warning", "error"] = _setting("info", "`debug`, `info`, `warning` or `error`")
    format: Literal["text", "json", "auto"] = _setting(
        "auto", "`text`, `json`, or `auto`: text on a terminal, JSON lines elsewhere"
    )
    sentry_dsn: str = _setting(
        "",
        "where errors are reported by Sentry's protocol, as `https://KEY@HOST/NUMBER`; empty means nowhere",
        secret=True,
    )


@dataclass(slots=True)
class Settings:
    """All settings of one data folder."""

    data: Path
    engines: EngineSettings = field(default_factory=EngineSettings)
    storage: StorageSettings = field(default_factory=StorageSettings)
    fetch: FetchSettings = field(default_factory=FetchSettings)
    feeds: FeedSettings = field(default_factory=FeedSettings)
    pipeline: PipelineSettings = field(default_factory=PipelineSettings)
    archive: ArchiveSettings = field(default_factory=ArchiveSettings)
    pages: PagesSettings = field(default_factory=PagesSettings)
    topics: TopicSettings = field(default_factory=TopicSettings)
    ingest: IngestSettings = field(default_factory=IngestSettings)
    backup: BackupSettings = field(default_factory=BackupSettings)
    web: WebSettings = field(default_factory=WebSettings)
    mcp: McpSettings = field(default_factory=McpSettings)
    log: LogSettings = field(default_factory=LogSettings)
    pipelines: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)
    """The user's own pipelines, from the sections `[pipelines.NAME]` of config.toml."""
    sources: dict[str, str] = field(default_factory=dict)
    """Where each value that is not a default came from, by setting name."""

    def path(self, name: str) -> Path:
        """A path of the settings: absolute, or inside the data folder."""
        return self.data / name
