"""From a site's address to its feeds and news sitemaps: what the page says, what robots.txt says, and well-known paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urljoin, urlsplit

from tearsheet.clock import utc_now
from tearsheet.errors import UserError
from tearsheet.extract import parse
from tearsheet.feeds.catalogue.discovery_hints import (
    COMMENT_PARTS,
    FEED_ENDINGS,
    FEED_PARTS,
    FEED_TYPES,
    NEWS_SITEMAP_PATHS,
    ROOT_PATHS,
    SELF_PATHS,
)
from tearsheet.feeds.formats import NEWS_SITEMAP, SITEMAP, SITEMAP_INDEX, FeedError, parse_feed
from tearsheet.feeds.polling import ACCEPT_FEED, FeedClient, names_news
from tearsheet.fetch import ACCEPT_PAGE, FetchError, FetchRequest, FetchResponse, HostBusy, HostFailing
from tearsheet.urls import BadURL, host_of, join_url, normalize_url, split_http_url
from tearsheet.work import Quarantine, Reader, ReadingJob

ITSELF, DECLARED, LINKED, MENTIONED, ROBOTS, GUESSED = 120, 100, 60, 40, 30, 20
MAX_REQUESTS = 40
MAX_BYTES = 5_000_000
PATIENCE_SECONDS = 60.0
"""How long each request waits for a busy host, once the site's own page was had."""
_FIRST_PATIENCE_SECONDS = 10.0
"""How long the request for that page waits. Somebody has typed its address, perhaps for the second time, and watches."""
_MAX_LINKS = 5_000
_ITSELF_HOW = "it is a feed itself"


@dataclass(slots=True, frozen=True)
class PossibleFeed:
    """An address that may be a feed: how likely, and where it was found."""

    url: str
    score: int
    how: str
    title: str | None = None


@dataclass(slots=True, frozen=True)
class DiscoveredFeed:
    """A feed that was fetched and read."""

    url: str
    title: str | None
    version: str
    entries: int
    newest: datetime | None
    score: int
    how: str


class NoSite(UserError):
    """The site's own page could not be fetched, so its feeds cannot be found."""

    exit_code = 5


def feed_candidates(html: bytes, url: str) -> list[PossibleFeed]:
    """The feeds that a page names, most likely first. Malformed HTML is read as browsers read it."""
    tree = parse(html, scripting=False)
    base_tag = tree.css_first("base[href]")
    base = _join(url, base_tag.attributes.get("href") or "") if base_tag else url
    found: list[PossibleFeed] = []
    for node in tree.css("link[href]")[:_MAX_LINKS]:
        attributes = node.attributes
        kind = (attributes.get("type") or "").partition(";")[0].strip().lower()
        relations = (attributes.get("rel") or "").lower().split()
        typed = kind in FEED_TYPES and ("alternate" in relations or not relations)
        if typed or ("feed" in relations and kind in ("", *FEED_TYPES)):
            found.append(
                _candidate(
                    base or url, attributes.get("href"), DECLARED, "declared by the page", attributes.get("title")
                )
            )
    for node in tree.css("a[href]")[:_MAX_LINKS]:
        href = (node.attributes.get("href") or "").strip()
        label = " ".join(node.text().split())[:100]
        path = href.partition("?")[0].lower()
        if path.endswith(FEED_ENDINGS):
            found.append(_candidate(base or url, href, LINKED, "linked by the page", label))
        elif any(part in href.lower() for part in FEED_PARTS):
            found.append(_candidate(base or url, href, MENTIONED, "perhaps linked by the page", label))
    return _ranked(found)


def _candidate(base: str, href: str | None, score: int, how: str, title: str | None) -> PossibleFeed:
    link = _join(base, href or "") or ""
    lowered = f"{link} {title or ''}".lower()
    if any(part in lowered for part in COMMENT_PARTS):
        score -= 50  # readers' comments are not news
    return PossibleFeed(link, score, how, title or None)


def _join(base: str, href: str) -> str | None:
    try:
        return join_url(base, "".join(href.split())) if href.strip() else None
    except ValueError:
        return None


def robots_sitemaps(robots: str, url: str) -> list[PossibleFeed]:
    """The sitemaps that robots.txt names; those with news in their name first."""
    found = []
    for line in robots.splitlines()[:10_000]:
        name, _, value = line.partition(":")
        if name.strip().lower() == "sitemap" and (link := _join(url, value)):
            found.append(PossibleFeed(link, ROBOTS + (20 if names_news(link) else 0), "named by robots.txt"))
    return _ranked(found)


def guesses(url: str) -> list[PossibleFeed]:
    """Well-known paths: at the root of the site, and below the page itself."""
    root = urljoin(url, "/")
    found = [
        PossibleFeed(urljoin(root, path), GUESSED + 5, "a usual place for news sitemaps") for path in NEWS_SITEMAP_PATHS
    ]
    found += [PossibleFeed(urljoin(root, path), GUESSED, "a usual place") for path in ROOT_PATHS]
    if urlsplit(url).path.strip("/"):
        page = url.partition("?")[0].partition("#")[0].rstrip("/") + "/"
        found += [PossibleFeed(urljoin(page, path), GUESSED + 2, "a usual place below the page") for path in SELF_PATHS]
    return found


def may_be_page(url: str) -> bool:
    """Whether an address may be that of a page with feeds, and not of a feed: nothing in it is called like one."""
    parts = urlsplit(url.lower())
    return not parts.path.endswith(FEED_ENDINGS) and not any(part in parts.path + parts.query for part in FEED_PARTS)


def _ranked(candidates: Iterable[PossibleFeed]) -> list[PossibleFeed]:
    """Each address once, the most likely first."""
    best: dict[str, PossibleFeed] = {}
    for candidate in candidates:
        try:
            key = normalize_url(candidate.url)
        except (BadURL, UnicodeError):
            continue
        if key not in best or best[key].score < candidate.score:
            best[key] = candidate
    return sorted(best.values(), key=lambda candidate: -candidate.score)


@dataclass(slots=True, frozen=True)
class ReceivedDocument:
    """A page, feed or robots.txt as it came from the web."""

    body: bytes
    url: str
    charset: str | None
    now: datetime


@dataclass(slots=True, frozen=True)
class FeedSummary:
    """What a feed has to offer."""

    version: str
    title: str | None
    entries: int
    newest: datetime | None


@dataclass(slots=True, frozen=True)
class SitePage:
    """What a site's page is, or names: a feed itself, or the addresses of some."""

    itself: FeedSummary | None
    named: list[PossibleFeed]


def read_feed_summary(received: ReceivedDocument) -> FeedSummary | None:
    """What a feed has to offer; None for any other document."""
    try:
        feed = parse_feed(received.body, received.url, charset=received.charset, now=received.now, max_bytes=MAX_BYTES)
    except FeedError:
        return None
    dates = [date for entry in feed.entries if (date := entry.published or entry.updated)]
    return FeedSummary(feed.version, feed.title, len(feed.entries), max(dates, default=None))


def read_site_page(received: ReceivedDocument) -> SitePage:
    """What a site's page is, or names."""
    itself = read_feed_summary(received)
    named = feed_candidates(received.body, received.url)[:MAX_REQUESTS] if itself is None else []
    return SitePage(itself, named)


def feeds_of_page(html: bytes, url: str, now: datetime) -> list[PossibleFeed]:
    """The feeds that a page names, most likely first; the page itself, if it is one."""
    page = read_site_page(ReceivedDocument(html, url, None, now))
    if page.itself is not None:
        return [PossibleFeed(url, ITSELF, _ITSELF_HOW, page.itself.title)]
    return page.named


def read_robots(received: ReceivedDocument) -> list[PossibleFeed]:
    """The most likely sitemaps that robots.txt names."""
    return robots_sitemaps(received.body.decode("utf-8", "replace"), received.url)[:MAX_REQUESTS]


READ_SITE_PAGE = ReadingJob(read_site_page, max_answer=1_000_000)
READ_ROBOTS = ReadingJob(read_robots, max_answer=1_000_000)
READ_FEED_SUMMARY = ReadingJob(read_feed_summary, max_answer=100_000)


async def discover(
    client: FeedClient,
    reader: Reader,
    url: str,
    *,
    limit: int = 20,
    now: datetime | None = None,
    one_declared: bool = False,
    asking: Callable[[str], None] = lambda url: None,
) -> list[DiscoveredFeed]:
    """Find the feeds of a site and read each, most useful first. Raises NoSite when its own page cannot be fetched or read.

    With `one_declared`, the first feed with entries that the page declares is enough: other places are asked only when there
    is none, at the pace of the host. `asking` is told each address before it is asked.
    """
    now = now or utc_now()
    url = url if "://" in url else f"https://{url}"
    page = await _get_page(client, url)
    try:
        site = await reader.read(READ_SITE_PAGE, _received(page, page.url, now))
    except Quarantine as error:
        raise NoSite(f"{url} cannot be read: it {error.detail}; try another page of the site") from error
    if site.itself is not None:
        return [_described(page.url, site.itself, PossibleFeed(page.url, ITSELF, _ITSELF_HOW))]
    places = _Places(client, reader, now, asking)
    declared = [candidate for candidate in site.named if candidate.score >= DECLARED] if one_declared else []
    for candidate in declared:
        if (feed := await places.ask(candidate)) and feed.entries:
            return [feed]
    asking(robots_url := urljoin(page.url, "/robots.txt"))
    robots = await _get(client, robots_url)
    likely = _ranked([*site.named, *await _sitemaps(reader, robots, page.url, now), *guesses(page.url)])
    for candidate in likely[:MAX_REQUESTS]:
        if len(places.found) >= limit:
            break
        if candidate.score <= GUESSED and any(feed.score > MENTIONED for feed in places.found.values()):
            break  # the site says where its feeds are: no need to guess
        if candidate not in declared:
            await places.ask(candidate)
    return sorted(places.found.values(), key=lambda feed: -feed.score)


@dataclass(slots=True)
class _Places:
    """Asks where feeds may be, and keeps those that are there."""

    client: FeedClient
    reader: Reader
    now: datetime
    asking: Callable[[str], None]
    found: dict[str, DiscoveredFeed] = field(default_factory=dict)

    async def ask(self, candidate: PossibleFeed) -> DiscoveredFeed | None:
        """The feed at an address that may be one; None when there is none."""
        self.asking(candidate.url)
        response = await _get(self.client, candidate.url)
        summary = await _summary(self.reader, response, self.now)
        if response is None or summary is None:
            return None
        return self.found.setdefault(normalize_url(response.url), _described(response.url, summary, candidate))


def _received(response: FetchResponse, url: str, now: datetime) -> ReceivedDocument:
    return ReceivedDocument(response.body, url, response.encoding, now)


async def _sitemaps(reader: Reader, robots: FetchResponse | None, url: str, now: datetime) -> list[PossibleFeed]:
    if robots is None or robots.status != 200:
        return []
    try:
        return await reader.read(READ_ROBOTS, _received(robots, url, now))
    except Quarantine:
        return []


async def _summary(reader: Reader, response: FetchResponse | None, now: datetime) -> FeedSummary | None:
    if response is None or response.status != 200:
        return None
    try:
        return await reader.read(READ_FEED_SUMMARY, _received(response, response.url, now))
    except Quarantine:
        return None


async def _get_page(client: FeedClient, url: str) -> FetchResponse:
    try:
        split_http_url(url)
        response = await client.fetch(_request(url, ACCEPT_PAGE, _FIRST_PATIENCE_SECONDS))
    except (FetchError, BadURL) as error:
        raise NoSite(f"{url} cannot be fetched: {error}") from error
    except HostBusy as busy:
        why = "could not be reached a moment ago" if isinstance(busy, HostFailing) else "must be left alone for now"
        raise NoSite(f"{url} cannot be fetched now: its host {why}; try again in {busy.after:.0f} s") from busy
    if response.status != 200:
        raise NoSite(
            f"{url} answers HTTP {response.status} {response.reason}".rstrip() + ": try another page of the site"
        )
    return response


async def _get(client: FeedClient, url: str) -> FetchResponse | None:
    try:
        host_of(url)
        return await client.fetch(_request(url, ACCEPT_FEED))
    except (FetchError, BadURL, HostBusy):
        return None


def _request(url: str, accept: str, patience: float = PATIENCE_SECONDS) -> FetchRequest:
    """robots.txt is not consulted: discovery acts for a person, and asks for what is meant for machines."""
    return FetchRequest(url, accept=accept, max_bytes=MAX_BYTES, obey_robots=False, patience=patience)


def _described(url: str, feed: FeedSummary, candidate: PossibleFeed) -> DiscoveredFeed:
    """Rank what was read: news sitemaps and feeds with entries go up, plain sitemaps and empty feeds down."""
    score = candidate.score
    score += {NEWS_SITEMAP: 15, SITEMAP: -25, SITEMAP_INDEX: -15}.get(feed.version, 10)
    score += 5 if feed.entries else -20
    title = feed.title or candidate.title
    return DiscoveredFeed(url, title, feed.version, feed.entries, feed.newest, score, candidate.how)
