"""Erasing stories from everything that a data folder keeps of them, and from the copies of its archive files.

The addresses are put on a list first, so that nothing brings the stories back meanwhile. Each step may be repeated: an erasure that
was killed, or could not reach a store, is unfinished, and is taken up by the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from tearsheet.app.addresses import Addresses, captures_of, every_address, ledger_rows, read_unread
from tearsheet.app.asking import has_topic_index
from tearsheet.app.places import QUEUE_DUMPS, TOPICS
from tearsheet.app.queues import with_broker
from tearsheet.app.services import Services
from tearsheet.archive import (
    REASON,
    Erasure,
    KnownBy,
    Outbox,
    Tombstones,
    erase_from_dumps,
    erase_from_file,
    erase_from_returned,
    recover,
    replace_copies,
    story_keys,
    with_former,
)
from tearsheet.clock import utc_now
from tearsheet.counts import how_many
from tearsheet.engines.broker import Broker
from tearsheet.engines.events import Unerasable
from tearsheet.errors import BusyError, NotFoundError
from tearsheet.feeds.polling import erase_entries, erase_from_daily_rss
from tearsheet.ingest import Documents, erase_documents, find_documents
from tearsheet.pagestore import erase_pages
from tearsheet.pipeline.queuers import erase_from_cursors
from tearsheet.story import Story, make_story_id
from tearsheet.topics import erase_from_topics
from tearsheet.topics.snapshot import erase_from_exports, erase_from_snapshots, topics_with
from tearsheet.urls import canonical_domain
from tearsheet.work import DROPPED, Explanation, LedgerEntry, living_workers, sweep_queues

STAGE = "erase"
Say = Callable[[str], None]
_PAGE = 500
_TABLES = (
    "captures capture_addresses stories web_stories unarchived_pages story_urls topic_stories topic_links topic_fetch_urls "
    "topic_seed_urls topic_post_urls topic_sentences topic_snapshots outcomes earlier_outcomes cdx html_meta file_meta "
    "ingest_file_result ingest_outbox erased_addresses"
).split()
"""The tables that rows are deleted from."""


@dataclass(slots=True, frozen=True)
class Found:
    """How much there is, or was, in one place."""

    place: str
    what: str
    count: int


@dataclass(slots=True)
class Report:
    """What an erasure finds or erases, what it could not reach, and what it cannot reach at all."""

    addresses: int
    found: list[Found] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Taken up again next time."""
    notes: list[str] = field(default_factory=list)

    def add(self, place: str, what: str, count: int) -> None:
        """Count what is in one place."""
        self.found.append(Found(place, what, count))

    @property
    def total(self) -> int:
        """Everything that was found, in all places."""
        return sum(one.count for one in self.found)


def rehearse(services: Services, addresses: Addresses) -> Report:
    """Count what an erasure of these addresses would erase, place by place. Nothing is changed."""
    keys, database = set(addresses), services.database
    report = Report(len(addresses))
    documents = find_documents(database, keys)
    report.add("index", "stories", sum(story is not None for story in services.index.get(sorted(keys))))
    if has_topic_index(services):
        in_topics = services.topic_index.get(sorted(keys))
        report.add("index of topics", "stories", sum(story is not None for story in in_topics))
    report.add("ledger", "stories", len({row.story_id for row in ledger_rows(services, addresses)}))
    captures = captures_of(services, keys, documents.parts)
    files = {capture.file.id: capture.file for capture in captures}
    report.add("archive", "captures", len(captures))
    report.add("archive", "files to be rewritten", sum(file.path is None for file in files.values()))
    report.add("archive stores", "copies to be replaced", sum(len(services.archive.proved_stores(id)) for id in files))
    report.notes += [f"{file.path} is not ours, and stays as it is" for file in files.values() if file.path]
    report.problems += read_unread(services)
    _erase_the_rest(services, addresses, documents, report, None)
    same = Tombstones(database).same_pages(captures)
    if same:
        report.notes.append(
            f"the very same page is in {how_many(same, 'capture')} of other addresses; name these, too, if they are meant"
        )
    return report


def erase(services: Services, reason: str, addresses: Addresses, say: Say) -> Report:
    """Erase the stories with these addresses. Interrupted erasures are finished first. Raises BusyError while others write.

    One of these very addresses that was interrupted goes on, under the reason that was given first: it stays one erasure.
    """
    with _alone(services):
        begun = services.erased.unfinished_with(addresses)
        report = _finish_others(services, say, begun)
        erasure = services.erased.extend(begun, addresses) if begun else services.erased.start(reason, addresses)
        mine = _work(services, erasure, say)
        mine.problems += [problem for problem in report.problems if problem not in mine.problems]
        return mine


def resume(services: Services, say: Say) -> Report:
    """Finish the erasures that were interrupted, or could not reach everything."""
    with _alone(services):
        return _finish_others(services, say)


def _finish_others(services: Services, say: Say, but: Erasure | None = None) -> Report:
    whole = Report(0)
    for erasure in services.erased.unfinished():
        if but is not None and erasure.id == but.id:
            continue
        say(f"finishing the erasure of {erasure.started:%Y-%m-%d %H:%M}")
        report = _work(services, erasure, say)
        whole.addresses += report.addresses
        whole.found += report.found
        whole.problems += report.problems
        whole.notes += report.notes
    returned = erase_from_returned(services.captures.copies, Tombstones(services.database))
    if returned:
        whole.add("archive", "captures in files that are there again", returned)
        _replace_copies(services, whole, say)
    return whole


@contextmanager
def _alone(services: Services) -> Iterator[None]:
    """Nobody takes in stories meanwhile: one that is in a worker's hands would come out of them again."""
    with services.exclusive("run"), services.exclusive("erase"):
        at_work = living_workers(services.database)
        if at_work:
            names = ", ".join(sorted({f"{worker.stage} on {worker.host}" for worker in at_work}))
            raise BusyError(
                f"workers are taking in stories ({names}): stop them first, and start them again afterwards"
            )
        yield


def _work(services: Services, erasure: Erasure, say: Say) -> Report:
    report = Report(len(erasure.addresses))
    if erasure.addresses:
        erasure = _with_unread(services, erasure, report, say)
        _erase_everywhere(services, erasure, report, say)
        if not report.problems:
            services.erased.forget_addresses(erasure)
    say("overwriting what was deleted")
    for scrub in (
        services.index.scrub,
        *((services.topic_index.scrub,) if has_topic_index(services) else ()),
        lambda: services.database.scrub(_TABLES),
        lambda: with_broker(services, lambda broker: broker.scrub()),
    ):
        try:
            scrub()
        except BusyError as error:
            report.problems.append(str(error))
    if not report.problems:
        services.erased.finish(erasure)
    return report


def _with_unread(services: Services, erasure: Erasure, report: Report, say: Say) -> Erasure:
    """The erasure with the addresses that files have which could not be read when it began."""
    if not KnownBy(services.database).count_unread():
        return erasure
    say("reading the addresses in archive files that an earlier version wrote")
    report.problems += read_unread(services)
    erasure = services.erased.extend(erasure, every_address(services, dict(erasure.addresses)))
    report.addresses = len(erasure.addresses)
    return erasure


def _erase_everywhere(services: Services, erasure: Erasure, report: Report, say: Say) -> None:
    documents = find_documents(services.database, erasure.addresses)
    report.add("ledger", "stories", _note_in_ledger(services, erasure))
    say("erasing from the queues")
    report.add("queues", "messages", with_broker(services, lambda broker: sweep_queues(broker, erasure.covers)))
    say("erasing from the index")
    report.add("index", "stories", services.index.remove(sorted(erasure.addresses)))
    if has_topic_index(services):
        report.add("index of topics", "stories", services.topic_index.remove(sorted(erasure.addresses)))
    _erase_from_archive(services, erasure, documents, report, say)
    say("erasing from pages, feeds, topics and ingested documents")
    _erase_the_rest(services, dict(erasure.addresses), documents, report, erasure)


def _note_in_ledger(services: Services, erasure: Erasure) -> int:
    """One row a story, without its address, which earlier rows lose as well; returns of how many stories there were any.

    An erasure that goes on is not noted again.
    """
    noted = {row.story_id for row in ledger_rows(services, erasure.addresses)}
    stories = {story.story_id for story in services.index.get(sorted(erasure.addresses)) if story is not None}
    stories |= {capture.story_id for capture in captures_of(services, erasure.addresses)}
    services.ledger.blank(stories | noted, erasure.addresses.values())
    domains = sorted({canonical_domain(url) for url in erasure.addresses.values()})
    domain = domains[0][:255] if len(domains) == 1 else ""
    before = {row.story_id for row in _noted_since(services, erasure.started)}
    ids = sorted(stories) or ([] if before else [make_story_id("erasure", erasure.id)])
    entries = [
        LedgerEntry(one[:36], STAGE, DROPPED, REASON, erasure.reason[:500], domain=domain)
        for one in ids
        if one[:36] not in before
    ]
    services.ledger.record(entries)
    return len(noted)


def _noted_since(services: Services, moment: datetime) -> Iterator[Explanation]:
    """What erasures have noted in the ledger since a moment."""
    after = None
    while page := services.ledger.find({"stage": STAGE, "reason": REASON}, limit=_PAGE, after=after):
        for row in page:
            if row.happened_at < moment:
                return
            yield row
        after = (page[-1].happened_at, page[-1].story_id, page[-1].stage)


def _erase_from_archive(services: Services, erasure: Erasure, documents: Documents, report: Report, say: Say) -> None:
    tombstones, copies = Tombstones(services.database), services.captures.copies
    recover(services.archive_folder, services.archive, tuple(services.archive_stores))
    part_captures = services.archive.captures_of_stories(sorted(documents.parts)).values()
    files = {file.id: file for file in tombstones.files_with(erasure.addresses, erasure.id)}
    files |= {capture.file.id: capture.file for capture in part_captures}

    def unwanted(story: Story) -> bool:
        return erasure.covers(story) or story.id in documents.parts

    erased = 0
    for number, file in enumerate(files.values(), 1):
        say(f"erasing from archive file {number:,} of {len(files):,}")
        if file.path is not None:
            erased += (dropped := tombstones.drop_captures(file, erasure))
            if dropped:
                report.notes.append(f"{file.path} is not ours, and stays as it is: it has {dropped:,} of the captures")
            continue
        try:
            erased += erase_from_file(file, erasure, unwanted, copies, tombstones)
        except NotFoundError as error:
            if proved := services.archive.proved_stores(
                file.id
            ):  # its disk may be away: what is there must not come back
                report.problems.append(f"{error}; if it is lost for good: `tearsheet archive forget {proved[0]}`")
                continue
            erased += tombstones.drop_captures(file, erasure)
            report.notes.append(f"{error}: its captures are forgotten")
    report.add("archive", "captures", erased)
    _replace_copies(services, report, say)


def _replace_copies(services: Services, report: Report, say: Say) -> None:
    say("replacing copies in other stores")
    tombstones, copies = Tombstones(services.database), services.captures.copies
    stores = with_former(services.archive_stores, [name for _, name in tombstones.stale()], services.data)
    replaced, problems = replace_copies(tombstones, Outbox(services.database), copies, stores)
    report.add("archive stores", "copies replaced", replaced)
    report.problems += problems


def _erase_the_rest(
    services: Services, addresses: Addresses, documents: Documents, report: Report, erasure: Erasure | None
) -> None:
    """Erase from the other stores; without an erasure, only count."""
    database, keys, urls, dry_run = services.database, set(addresses), addresses.values(), erasure is None
    report.add("page store", "pages", erase_pages(services.page_store, keys, dry_run=dry_run))
    report.add("feeds", "entries", erase_entries(database, urls, erasure))
    report.add("daily RSS files", "entries", erase_from_daily_rss(services.data / "rss", keys, dry_run=dry_run))
    erase_from_cursors(services.data / "rss-fetcher", keys, dry_run=dry_run)
    report.add("topics", "stories", erase_from_topics(database, keys, dry_run=dry_run))
    _erase_from_exports(services, addresses, report, dry_run=dry_run)
    report.add("topics", "snapshots", erase_from_snapshots(database, keys, dry_run=dry_run))
    dumped = erase_from_dumps(
        services.data / QUEUE_DUMPS,
        lambda story: not story_keys(story).isdisjoint(keys),
        utc_now(),
        erasure.reason if erasure else "",
        dry_run=dry_run,
    )
    report.add("dumped queues", "messages", dumped)
    report.add("ingest", "documents", len(documents.captures))
    report.add("ingest", "requests", len(documents.requests))
    if dry_run:
        report.add("queues", "messages", with_broker(services, lambda broker: _waiting(broker, keys)))
    elif documents.captures or documents.requests:
        _erase_events(services, documents, report)
        erase_documents(database, documents, services.ingest.blobs)


def _erase_from_exports(services: Services, addresses: Addresses, report: Report, *, dry_run: bool) -> None:
    """Before the snapshots, which say which exports are meant: after an interruption they still do."""
    topics = topics_with(services.database, set(addresses))
    removed = erase_from_exports(services.data / TOPICS, topics, addresses.values(), dry_run=dry_run)
    report.add("topics", "exported files", len(removed))
    if removed and not dry_run:
        folders = ", ".join(sorted({str(path.parent) for path in removed}))
        report.notes.append(
            f"files that named it were removed from {folders}: `tearsheet topic export` writes them again"
        )


def _erase_events(services: Services, documents: Documents, report: Report) -> None:
    names, events = services.ingest.names, 0
    for topic in (names.requests, names.results, names.teixml):
        try:
            events += services.events.erase(topic, documents.concerns)
        except Unerasable as error:
            report.notes.append(str(error))
    report.add("event log", "events", events)


async def _waiting(broker: Broker, keys: set[str]) -> int:
    return await sweep_queues(broker, lambda story: not story_keys(story).isdisjoint(keys), dry_run=True)
