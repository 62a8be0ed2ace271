"""Which addresses an erasure is about: those that a user names, and all others by which the same stories are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

from tearsheet.app.services import Services
from tearsheet.archive import KnownBy, StoredCapture, Tombstones, index_id_of, read_addresses
from tearsheet.errors import UsageError
from tearsheet.feeds.polling import addresses_from_domain, entry_ids
from tearsheet.index import all_stories
from tearsheet.ingest import addresses_of_documents
from tearsheet.query import Query
from tearsheet.story import make_story_id
from tearsheet.topics import addresses_in_topics, addresses_of_media
from tearsheet.urls import BadURL, canonical_domain, is_homepage, url_hash
from tearsheet.work import Naming

Tell = Callable[[float, float | None], None]
Addresses = dict[str, str]
"""Addresses by their keys: the hash of the normalised form, as in the index."""
_MOST_LINKS = 50
"""More different links than these lead to no story, but to a wall that a site puts before all of them."""


def named_addresses(urls: Iterable[str]) -> Addresses:
    """The addresses that a user names. Raises UsageError for what is none."""
    found: Addresses = {}
    for url in urls:
        try:
            found[url_hash(url)] = url
        except BadURL as error:
            raise UsageError(f"{url[:200]!r} is not an address: {error}") from error
    return found


def matching_addresses(services: Services, query: Query, domains: Iterable[str] = ()) -> Addresses:
    """The addresses of the stories in the index that match. With domains, everything of these sources that is kept anywhere."""
    services.index.refresh()
    found: Addresses = {}
    for story in all_stories(services.index, query):
        found[story.id] = story.url
    for domain in domains:
        for url in _of_source(services, domain):
            if key := index_id_of(url):
                found.setdefault(key, url)
    return found


def _of_source(services: Services, domain: str) -> Iterator[str]:
    yield from addresses_from_domain(services.database, domain)
    yield from addresses_of_media(services.database, domain)
    yield from Tombstones(services.database).captured_from(domain)
    for page in services.page_store.pages():
        with suppress(BadURL):
            if canonical_domain(page.url) == domain:
                yield page.url


def read_unread(services: Services, tell: Tell = lambda done, of: None) -> list[str]:
    """Read the addresses from archive files that an earlier version registered; returns which could not be read, and why."""
    return read_addresses(KnownBy(services.database), services.archive, services.captures.copies, tell)


def every_address(services: Services, named: Addresses) -> Addresses:
    """These addresses, and every other by which the same stories were queued, fetched, indexed, spidered or ingested.

    An address leads to a story, whose other addresses may lead to more of its copies, until nothing new is found. A front page is
    never taken for another address of a story: many pages lead there, or name it by mistake.
    """
    found, new = dict(named), dict(named)
    while new:
        more = {
            key: url
            for url in _other_addresses(services, new)
            if (key := index_id_of(url)) and key not in found and not is_homepage(url)
        }
        found |= more
        new = more
    return found


def _other_addresses(services: Services, addresses: Addresses) -> Iterator[str]:
    database, keys = services.database, list(addresses)
    server = services.settings.feeds.server_name
    story_ids = {make_story_id("feeds", server, number) for number in entry_ids(database, addresses.values())}
    for story in services.index.get(keys):
        if story is not None:
            yield from filter(None, (story.url, story.original_url))
            story_ids.add(story.story_id)
    for row in _same_in_ledger(ledger_rows(services, addresses), addresses):
        yield from filter(None, (row.url, row.link))
        story_ids.add(row.story_id)
    yield from addresses_in_topics(database, keys)
    yield from addresses_of_documents(database, keys)
    yield from _of_captures(KnownBy(database), keys, story_ids)


def _of_captures(known_by: KnownBy, keys: Iterable[str], story_ids: set[str]) -> Iterator[str]:
    """The addresses of captured stories: of these, and of those that are known by these addresses, if that is not a wall."""
    stories = known_by.stories(keys)
    addresses = known_by.addresses(story_ids.union(*stories.values()))
    for story_id in story_ids:
        yield from addresses.get(story_id, ())
    for same in stories.values():
        found = {url for story_id in same for url in addresses.get(story_id, ())}
        if len(found) <= _MOST_LINKS:
            yield from found


def ledger_rows(services: Services, addresses: Mapping[str, str]) -> set[Naming]:
    """What the ledger has on these addresses, in whichever form it has them."""
    domains = {canonical_domain(url) for url in addresses.values()}
    rows = services.ledger.naming(addresses.values(), domains)
    return {row for row in rows if index_id_of(row.url) in addresses or index_id_of(row.link) in addresses}


def _same_in_ledger(rows: Iterable[Naming], addresses: Addresses) -> Iterator[Naming]:
    """The rows of the same stories: where these links led, and which links led to these addresses.

    Nothing is concluded from having led to a front page, or to a wall.
    """
    leading: dict[str, list[Naming]] = {}
    for row in rows:
        if index_id_of(row.link) in addresses:
            yield row
        elif not is_homepage(row.url):
            leading.setdefault(index_id_of(row.url), []).append(row)
    for some in leading.values():
        if len({row.link for row in some}) <= _MOST_LINKS:
            yield from some


def captures_of(services: Services, keys: Iterable[str], story_ids: Iterable[str] = ()) -> list[StoredCapture]:
    """Every capture of these addresses and of these stories."""
    found = services.archive.captures_of_stories([story_id for story_id in story_ids if story_id])
    found |= {capture.story_id: capture for capture in services.archive.captures_known_by(keys)}
    return list(found.values())
