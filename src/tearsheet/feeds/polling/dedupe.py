"""Which entries are stories, and which are duplicates. Everything that is skipped is counted under a reason."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from tearsheet.feeds.formats import EARLIEST, SITEMAP, Entry, ParsedFeed, normalized_title, title_hash
from tearsheet.feeds.polling.details import details_of
from tearsheet.urls import MAX_URL_LENGTH, BadURL, canonical_domain, is_homepage, non_news_host, normalize_url

NO_URL, RELATIVE, TOO_LONG, HOME, BAD, NO_NEWS, TOSSED, STALE = (
    "nourl", "relurl", "toolong", "home", "bad", "nonews", "tossed", "stale",
)  # fmt: skip
DUPLICATE_URL, DUPLICATE_GUID, DUPLICATE_TITLE, ERASED, ADDED = "dup_url", "dup_guid", "dup_title", "erased", "ok"
_FRONT_PAGE_SLASHES = 5
"""No front page is deeper than language, section and file; most stories are, which saves a closer check."""
_LONGEST_KEY = 255
STALE_DAYS = 7
"""A plain sitemap lists a whole site; only pages that changed within this many days can be news."""


@dataclass(slots=True)
class Candidate:
    """An entry that may become a story."""

    url: str
    normalized_url: str
    domain: str
    title: str | None
    normalized_title: str | None
    normalized_title_hash: str | None
    published_at: datetime | None
    guid: str | None
    details: str | None = None
    """What else the entry says (see `details`)."""


def candidates(parsed: ParsedFeed, now: datetime, limit: int) -> tuple[list[Candidate], Counter[str]]:
    """The entries worth storing, each address once, and how many were skipped for each reason."""
    skipped: Counter[str] = Counter()
    recent = recent_entries(parsed, now)
    skipped[STALE] = len(parsed.entries) - len(recent)
    taken = newest(recent, limit)
    skipped[TOSSED] = parsed.tossed + len(recent) - len(taken)
    found: dict[str, Candidate] = {}
    for entry in taken:
        candidate = _candidate(entry)
        if isinstance(candidate, str):
            skipped[candidate] += 1
        elif candidate.normalized_url in found:
            skipped[DUPLICATE_URL] += 1
        else:
            candidate.details = details_of(entry, len(taken))
            found[candidate.normalized_url] = candidate
    return list(found.values()), +skipped


def newest(entries: Sequence[Entry], limit: int) -> Sequence[Entry]:
    """As many entries as a poll takes, in their order: the newest, wherever a document has them, then the first without a date."""
    if len(entries) <= limit:
        return entries
    times = [entry.published or entry.updated for entry in entries]
    dated = [number for number, time in enumerate(times) if time]
    undated = [number for number, time in enumerate(times) if not time]
    dated.sort(key=lambda number: times[number] or EARLIEST, reverse=True)
    return [entries[number] for number in sorted([*dated, *undated][:limit])]


def recent_entries(parsed: ParsedFeed, now: datetime) -> list[Entry]:
    """The entries that can be news: of a plain sitemap, which lists a whole site, the pages that changed lately."""
    if parsed.version != SITEMAP:
        return parsed.entries
    return [entry for entry in parsed.entries if _changed_lately(entry, now)]


def _changed_lately(entry: Entry, now: datetime) -> bool:
    return entry.updated is not None and now - entry.updated <= timedelta(days=STALE_DAYS)


def _candidate(entry: Entry) -> Candidate | str:
    """The candidate, or the reason for skipping the entry."""
    url = entry.link
    if not url:
        return NO_URL
    if not url.lower().startswith(("http://", "https://")):
        return RELATIVE
    if len(url) > MAX_URL_LENGTH:
        return TOO_LONG
    address = _address(url)
    if isinstance(address, str):
        return address
    normalized, domain = address
    title = normalized_title(entry.title) if entry.title else ""
    return Candidate(
        url.strip(), normalized, domain, entry.title, title or None, title_hash(title) if title else None,
        entry.published, entry.guid,
    )  # fmt: skip


@lru_cache(maxsize=50_000)
def _address(url: str) -> tuple[str, str] | str:
    """Normalised address and domain, or the reason for skipping it. Cached: feeds list the same addresses poll after poll."""
    try:
        normalized, domain = normalize_url(url), canonical_domain(url)
        if non_news_host(url):
            return NO_NEWS
        if normalized.count("/") <= _FRONT_PAGE_SLASHES and is_homepage(url):
            return HOME
    except (BadURL, UnicodeError):
        return BAD
    return (normalized, domain) if len(normalized) <= MAX_URL_LENGTH and len(domain) <= 255 else TOO_LONG


def guid_key(guid: str | None) -> str | None:
    """A guid as stories are found by it: itself, or where it is too long for an index, its digest."""
    if not guid or len(guid) <= _LONGEST_KEY:
        return guid or None
    return hashlib.sha256(guid.encode("utf-8", "replace")).hexdigest()


def entries_hash(entries: Iterable[Entry]) -> str:
    """A fingerprint of a document's entries: equal for documents that differ only in build dates, counters and advertisements."""
    digest = hashlib.md5(usedforsecurity=False)
    for entry in entries:
        digest.update(f"{entry.link}\x1f{entry.guid}\x1f{entry.title}\x1e".encode("utf-8", "replace"))
    return digest.hexdigest()
